// Export as a Paraver trace: .prv, and .pcf and .row beside it.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "comshu/format/export.h"
#include "comshu/core/count_text.h"
#include "comshu/read/query.h"
#include "paraver/mpi_events.h"
#include "small_collectives.h"
#include "sort_space.h"
#include "text/file_output.h"

namespace comshu::format {
namespace {

using paraver::MpiEvent;

constexpr const char* kRegionsSql = R"(CREATE OR REPLACE TEMP TABLE paraver_region AS
SELECT name, row_number() OVER (ORDER BY name) AS number
FROM (SELECT DISTINCT name FROM span WHERE layer <> 'mpi' AND name IS NOT NULL))";

// States: calls of MPI that are in no other, and what runs between them. At one time ends come first.
constexpr const char* kRowsSql = R"(WITH whole AS (SELECT $end AS t),
outer_call AS (
    SELECT s.rank, s.thread, s.begin_ns AS b, coalesce(s.end_ns, (SELECT t FROM whole)) AS e,
        s.category, s.name
    FROM span s LEFT JOIN span p ON p.span_id = s.parent_id AND p.layer = 'mpi'
    WHERE s.layer = 'mpi' AND p.span_id IS NULL),
gap AS (
    SELECT rank, thread, e AS b,
        lead(b) OVER (PARTITION BY rank, thread ORDER BY b, e) AS next_b FROM outer_call
    UNION ALL SELECT rank, thread, begin_ns, (SELECT min(b) FROM outer_call o
        WHERE o.rank = t.rank AND o.thread = t.thread) FROM thread t),
event AS (
    SELECT rank, thread, begin_ns AS t, 1 AS begins, layer, category, name, 1 AS class,
        span_id::HUGEINT AS ord
    FROM span
    UNION ALL SELECT rank, thread, end_ns, 0, layer, category, name, (end_ns = begin_ns)::INTEGER,
        CASE WHEN end_ns = begin_ns THEN span_id ELSE -span_id::HUGEINT END FROM span
    WHERE end_ns IS NOT NULL)
SELECT b AS t, 1 AS kind, rank, thread, e AS a, category, name, 0 AS p, 0 AS tag, 0 AS bytes, 0 AS q,
    0::HUGEINT AS ord, 0 AS number, 0 AS class
FROM outer_call WHERE e > b
UNION ALL SELECT b, 1, rank, thread, coalesce(next_b, (SELECT t FROM whole)), 'run', '', 0, 0, 0, 0, 0,
    0, 0 FROM gap WHERE coalesce(next_b, (SELECT t FROM whole)) > b
UNION ALL SELECT event.t, 2, rank, thread, begins, CASE WHEN layer = 'mpi' THEN 'mpi' ELSE 'region' END,
    event.name, 0, 0, 0, 0, ord, coalesce(r.number, 0), class
FROM event LEFT JOIN paraver_region r ON r.name = event.name AND event.layer <> 'mpi'
UNION ALL SELECT send_begin_ns, 3, send_rank, coalesce(s.thread, 0),
    greatest(coalesce(recv_end_ns, recv_begin_ns), 0), '', '', recv_rank, m.tag,
    coalesce(m.bytes, recv_bytes, 0), coalesce(r.thread, 0), 0, 0, 0
FROM message m LEFT JOIN span s ON s.span_id = m.send_span
    LEFT JOIN span r ON r.span_id = coalesce(m.recv_done_span, m.recv_span)
ORDER BY t, kind, rank, thread, class, ord, a DESC)";

// Calls that other formats name otherwise.
struct OtherName {
    const char* name;
    const char* mpi;
};
constexpr OtherName kOtherNames[] = {
    {"send", "MPI_Send"},          {"recv", "MPI_Recv"},
    {"recv_blocking", "MPI_Recv"}, {"recv blocked", "MPI_Recv"},
    {"isend", "MPI_Isend"},        {"irecv", "MPI_Irecv"},
    {"sync", "MPI_Barrier"},       {"barrier", "MPI_Barrier"},
    {"bcast0", "MPI_Bcast"},       {"bcast1", "MPI_Bcast"},
    {"bcast", "MPI_Bcast"},        {"global_op", "MPI_Reduce"},
    {"reduce", "MPI_Reduce"},      {"allreduce", "MPI_Allreduce"},
    {"irecv end", "MPI_Wait"},     {"irecv end blocked", "MPI_Wait"},
    {"isend end", "MPI_Wait"},     {"isend end blocked", "MPI_Wait"},
};

const MpiEvent* EventOf(std::string_view name) {
    for (const OtherName& other : kOtherNames) {
        if (name == other.name) name = other.mpi;
    }
    const auto* found = std::find_if(std::begin(paraver::kMpiEvents), std::end(paraver::kMpiEvents),
                                     [&](const MpiEvent& event) { return name == event.name; });
    return found == std::end(paraver::kMpiEvents) ? nullptr : found;
}

// Numbers of the states of Paraver.
int StateOf(const std::string& category, const std::string& name) {
    if (category == "run") return 1;
    if (category == "wait") return 8;
    if (category == "collective") return 13;
    if (category == "sync") return 5;
    if (category == "probe") return 6;
    if (category == "io") return 12;
    if (category == "p2p") {
        const MpiEvent* event = EventOf(name);
        const int64_t value = event == nullptr ? 0 : event->value;
        return value == 1 ? 4 : value == 3 ? 10 : value == 4 ? 11 : 3;
    }
    return 7;
}

class ParaverWriter {
public:
    ParaverWriter(FileOutput* out, ExportResult* result) : out_(*out), result_(*result) {}

    // Threads of each rank.
    void Header(const std::vector<uint32_t>& threads, int64_t end_ns) {
        out_.Print("#Paraver (01/01/1970 at 00:00):{}_ns:1({}):1:{}(", end_ns,
                   std::max<size_t>(1, threads.size()), threads.size());
        for (size_t i = 0; i < threads.size(); ++i)
            out_.Print("{}{}:1", i == 0 ? "" : ",", threads[i]);
        out_.Write(")\n");
    }

    void Row(const read::Query& row) {
        const int64_t t = std::max<int64_t>(0, row.Integer(0));
        const int64_t task = row.Integer(2) + 1;
        const int64_t thread = row.Integer(3) + 1;
        const int64_t a = row.Integer(4);
        const std::string category = row.Text(5);
        const std::string name = row.Text(6);
        switch (row.Integer(1)) {
            case 1:
                out_.Print("1:0:1:{}:{}:{}:{}:{}\n", task, thread, t, a, StateOf(category, name));
                break;
            case 2: {
                const bool begins = a != 0;
                int64_t type = paraver::kRegionType;
                int64_t value = row.Integer(12);
                if (category == "mpi") {
                    const MpiEvent* event = EventOf(name);
                    if (event == nullptr) {
                        if (begins) ++left_out_[name];
                        return;
                    }
                    type = event->type;
                    value = event->value;
                }
                out_.Print("2:0:1:{}:{}:{}:{}:{}\n", task, thread, t, type, begins ? value : 0);
                break;
            }
            default:
                out_.Print("3:0:1:{0}:{1}:{2}:{2}:0:1:{3}:{4}:{5}:{5}:{6}:{7}\n", task, thread, t,
                           row.Integer(7) + 1, row.Integer(10) + 1, a, row.Integer(9),
                           row.Integer(8));
        }
        ++result_.records;
    }

    void Finish() {
        for (const auto& [name, calls] : left_out_) {
            result_.remarks.push_back(
                fmt::format("{} of {} without an event: Extrae's types are for the common ones",
                            core::Plural(calls, "call"), name));
        }
    }

private:
    FileOutput& out_;
    ExportResult& result_;
    std::map<std::string, uint64_t> left_out_;
};

std::string Beside(const std::string& path, const char* suffix) {
    return (path.ends_with(".prv") ? path.substr(0, path.size() - 4) : path) + suffix;
}

bool WriteNames(read::Database* database, FileOutput* names, std::string* error) {
    FileOutput& out = *names;
    out.Write(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n");
    for (size_t i = 0; i < std::size(paraver::kStates); ++i)
        out.Print("{}    {}\n", i, paraver::kStates[i]);
    struct Type {
        int64_t type;
        const char* name;
    };
    for (const Type type : {Type{paraver::kPointToPointType, "MPI Point-to-point"},
                            Type{paraver::kCollectiveType, "MPI Collective Comm"},
                            Type{paraver::kOtherType, "MPI Other"}}) {
        out.Print("\nEVENT_TYPE\n9    {}    {}\nVALUES\n0    Outside MPI\n", type.type, type.name);
        for (const MpiEvent& event : paraver::kMpiEvents) {
            if (event.type == type.type) out.Print("{}    {}\n", event.value, event.name);
        }
    }
    out.Print("\nEVENT_TYPE\n9    {}    Region\nVALUES\n0    End\n", paraver::kRegionType);
    read::Query regions;
    if (!regions.Run(database, "SELECT number, name FROM paraver_region ORDER BY number", error))
        return false;
    while (regions.Next()) out.Print("{}    {}\n", regions.Integer(0), regions.Text(1));
    *error = regions.error();
    return error->empty();
}

void WriteRowNames(const std::vector<uint32_t>& threads, FileOutput* names) {
    FileOutput& out = *names;
    out.Print("LEVEL TASK SIZE {}\n", threads.size());
    for (size_t i = 0; i < threads.size(); ++i) out.Print("rank {}\n", i);
    uint64_t count = 0;
    for (const uint32_t of_task : threads) count += of_task;
    out.Print("\nLEVEL THREAD SIZE {}\n", count);
    for (size_t i = 0; i < threads.size(); ++i) {
        for (uint32_t t = 0; t < threads[i]; ++t) out.Print("thread {} of rank {}\n", t, i);
    }
}

}  // namespace

std::vector<std::string> ParaverFiles(const std::string& path) {
    return {path, Beside(path, ".pcf"), Beside(path, ".row")};
}

bool ExportParaver(read::Database* database, const std::string& path, ExportResult* result,
                   std::string* error) {
    const SortSpace space(database, path);
    read::Query sizes;
    if (!database->Execute(kRegionsSql, error) ||
        !sizes.Run(database,
                   "SELECT rank, max(thread) + 1, (SELECT greatest(coalesce(max(end_ns), 0), "
                   "(SELECT coalesce(max(greatest(begin_ns, coalesce(end_ns, 0))), 0) FROM span)) "
                   "FROM rank) FROM thread GROUP BY rank ORDER BY rank",
                   error)) {
        return false;
    }
    std::vector<uint32_t> threads;
    int64_t end_ns = 0;
    while (sizes.Next()) {
        threads.resize(static_cast<size_t>(std::max<int64_t>(0, sizes.Integer(0))) + 1, 1);
        threads.back() = static_cast<uint32_t>(sizes.Unsigned(1));
        end_ns = sizes.Integer(2);
    }
    if (!(*error = sizes.error()).empty()) return false;
    const std::vector<std::string> files = ParaverFiles(path);
    FileOutput out(files[0]), names(files[1]), row_names(files[2]);
    ParaverWriter writer(&out, result);
    writer.Header(threads, end_ns);
    std::string sql = kRowsSql;
    sql.replace(sql.find("$end"), 4, std::to_string(end_ns));
    read::Query rows;
    if (!rows.Run(database, sql, error)) return false;
    while (rows.Next()) writer.Row(rows);
    if (!(*error = rows.error()).empty()) return false;
    writer.Finish();
    if (!WriteNames(database, &names, error) || !TellSmallCollectives(database, result, error))
        return false;
    WriteRowNames(threads, &row_names);
    return out.Close(error) && names.Close(error) && row_names.Close(error) && out.Finish(error) &&
           names.Finish(error) && row_names.Finish(error);
}

}  // namespace comshu::format
