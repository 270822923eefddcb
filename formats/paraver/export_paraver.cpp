// Export as a Paraver trace: .prv, and .pcf and .row beside it.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "comshu/format/export.h"
#include "comshu/core/count_text.h"
#include "comshu/read/external_sort.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "each_row.h"
#include "paraver/mpi_events.h"
#include "paraver/record_writer.h"
#include "small_collectives.h"
#include "sort_space.h"
#include "text/file_output.h"
#include "text/one_line.h"

namespace comshu::format {
namespace {

using paraver::MpiEvent;
using paraver::Place;

constexpr const char* kRegionsSql =
    "SELECT DISTINCT name FROM span WHERE layer <> 'mpi' AND name IS NOT NULL ORDER BY name";

constexpr const char* kSpanSql = R"(SELECT rank, thread, span_id, begin_ns, end_ns, parent_id,
    layer = 'mpi', category, name FROM span)";
constexpr const char* kMessageSql =
    R"(SELECT send_rank, span_thread(send_span), send_span, send_begin_ns,
    greatest(coalesce(recv_end_ns, recv_begin_ns), 0), recv_rank,
    span_thread(coalesce(recv_done_span, recv_span)), coalesce(bytes, recv_bytes, 0), tag FROM message)";
constexpr const char* kThreadSql = "SELECT rank, thread, begin_ns FROM thread";

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
    ParaverWriter(const SortSpace& space, FileOutput* out, int64_t end_ns, ExportResult* result)
        : out_(*out),
          result_(*result),
          end_ns_(end_ns),
          items_(space.folder()),
          records_(out, end_ns) {}

    // Threads of each rank.
    void Header(const std::vector<uint32_t>& threads, int64_t end_ns) {
        out_.Print("#Paraver (01/01/1970 at 00:00):{}_ns:1({}):1:{}(", end_ns,
                   std::max<size_t>(1, threads.size()), threads.size());
        for (size_t i = 0; i < threads.size(); ++i)
            out_.Print("{}{}:1", i == 0 ? "" : ",", threads[i]);
        out_.Write(")\n");
    }

    // Of what is not MPI: the number behind its name.
    void Region(const std::string& name, int64_t number) { regions_[name] = number; }

    bool Gather(read::Database* database, std::string* error) {
        return EachRow(database, kThreadSql, error,
                       [&](const read::Query& row) {
                           items_.Add(At(row, row.Integer(2), Item::Order::kThread));
                       }) &&
               EachRow(database, kSpanSql, error, [&](const read::Query& row) { AddSpan(row); }) &&
               EachRow(database, kMessageSql, error, [&](const read::Query& row) {
                   Item item = At(row, row.Integer(3), Item::Order::kMessage);
                   item.span = row.Unsigned(2);
                   item.other_ns = row.Integer(4);
                   item.peer = static_cast<int32_t>(row.Integer(5));
                   item.peer_thread = static_cast<int32_t>(row.Integer(6));
                   item.bytes_or_parent = row.Unsigned(7);
                   item.tag = row.Integer(8);
                   items_.Add(item);
               });
    }
    bool Write(std::string* error) {
        return items_.Visit([&](const Item& item) { Line(item); }, error);
    }

    void Finish() {
        for (const auto& [name, calls] : left_out_) {
            result_.remarks.push_back(
                fmt::format("{} of {} without an event: Extrae's types are for the common ones",
                            core::Plural(calls, "call"), name));
        }
        records_.Finish();
        result_.records = records_.records();
    }

private:
    // At one time ends come first, inner ones before outer ones; what has no length stays together.
    struct Item {
        enum class Order : uint8_t { kThread, kEnd, kBegin, kMessage };

        int64_t t;
        int32_t rank;
        int32_t thread;
        Order order;
        bool begins;
        bool is_call;  // Of MPI.
        uint8_t state;
        uint64_t span;
        uint64_t bytes_or_parent;
        int64_t other_ns;  // Of a call, its end; of a message, when it arrives.
        int64_t value;     // Of the event.
        int64_t tag;
        int32_t type;  // 0: there is no event.
        int32_t peer;
        int32_t peer_thread;

        bool operator<(const Item& other) const {
            const auto head = [](const Item& i) {
                return std::make_tuple(i.t, i.order == Order::kMessage, i.rank, i.thread, i.order);
            };
            if (head(*this) != head(other)) return head(*this) < head(other);
            if (span != other.span)
                return order == Order::kEnd ? span > other.span : span < other.span;
            return begins > other.begins;
        }
    };

    static Item At(const read::Query& row, int64_t t, Item::Order order) {
        Item item{};
        item.t = t;
        item.rank = static_cast<int32_t>(row.Integer(0));
        item.thread = static_cast<int32_t>(row.Integer(1));
        item.order = order;
        return item;
    }
    void AddSpan(const read::Query& row) {
        Item item = At(row, row.Integer(3), Item::Order::kBegin);
        const std::string name = row.Text(8);
        const bool ends = !row.IsNull(4);
        item.begins = true;
        item.is_call = row.Integer(6) != 0;
        item.span = row.Unsigned(2);
        item.bytes_or_parent = row.Unsigned(5);
        item.other_ns = ends ? row.Integer(4) : end_ns_;
        if (item.is_call) {
            item.state = static_cast<uint8_t>(StateOf(row.Text(7), name));
            const MpiEvent* event = EventOf(name);
            if (event == nullptr) {
                ++left_out_[name];
            } else {
                item.type = static_cast<int32_t>(event->type);
                item.value = event->value;
            }
        } else {
            item.type = static_cast<int32_t>(paraver::kRegionType);
            item.value = regions_[name];
        }
        items_.Add(item);
        if (!ends) return;
        item.order = item.other_ns == item.t ? Item::Order::kBegin : Item::Order::kEnd;
        item.t = item.other_ns;
        item.begins = false;
        item.value = 0;
        items_.Add(item);
    }

    void Line(const Item& item) {
        const Place place = {item.rank, item.thread};
        if (item.order == Item::Order::kThread) return records_.ThreadStarts(item.t, place);
        if (item.order == Item::Order::kMessage) {
            return records_.Send({.from = place,
                                  .to = {item.peer, item.peer_thread},
                                  .sent_ns = item.t,
                                  .received_ns = item.other_ns,
                                  .bytes = static_cast<int64_t>(item.bytes_or_parent),
                                  .tag = item.tag});
        }
        if (item.is_call && item.begins) {
            records_.CallBegins(item.t, place, item.span, item.bytes_or_parent, item.other_ns,
                                item.state);
        } else if (item.is_call) {
            records_.CallEnds(item.t, place, item.span);
        }
        if (item.type != 0) records_.Event(item.t, place, item.type, item.value);
    }

    FileOutput& out_;
    ExportResult& result_;
    const int64_t end_ns_;
    read::ExternalSort<Item> items_;
    paraver::RecordWriter records_;
    std::map<std::string, int64_t> regions_;
    std::map<std::string, uint64_t> left_out_;
};

std::string Beside(const std::string& path, const char* suffix) {
    return (path.ends_with(".prv") ? path.substr(0, path.size() - 4) : path) + suffix;
}

void WriteNames(const std::vector<std::string>& regions, FileOutput* names) {
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
    for (size_t i = 0; i < regions.size(); ++i) out.Print("{}    {}\n", i + 1, OneLine(regions[i]));
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

// What the trace does not hold.
bool TellLeftOut(read::Database* database, ExportResult* result, std::string* error) {
    return EachRow(database,
                   "SELECT (SELECT count(*) FROM mark), (SELECT count(*) FROM counter), "
                   "(SELECT count(*) FROM unmatched), "
                   "(SELECT count(*) FROM span WHERE end_ns IS NULL)",
                   error, [&](const read::Query& row) {
                       const auto say = [&](uint64_t count, const char* one, const char* many) {
                           if (count > 0) result->remarks.push_back(core::Plural(count, one, many));
                       };
                       say(row.Unsigned(0), "mark left out", "marks left out");
                       say(row.Unsigned(1), "value of a counter left out",
                           "values of counters left out");
                       say(row.Unsigned(2), "send or receive has no partner: left out",
                           "sends and receives have no partner: left out");
                       say(row.Unsigned(3), "call never ended: drawn to the end of the run",
                           "calls never ended: drawn to the end of the run");
                   });
}

}  // namespace

std::vector<std::string> ParaverFiles(const std::string& path) {
    return {path, Beside(path, ".pcf"), Beside(path, ".row")};
}

bool ExportParaver(read::Database* database, const std::string& path, ExportResult* result,
                   std::string* error) {
    if (read::PendingFile(path).in_place()) {
        *error = path + ": a Paraver trace is three files: give a name for them";
        return false;
    }
    const SortSpace space(database, path);
    std::vector<std::string> regions;
    read::Query names_of_regions, sizes;
    if (!names_of_regions.Run(database, kRegionsSql, error)) return false;
    while (names_of_regions.Next()) regions.push_back(names_of_regions.Text(0));
    if (!(*error = names_of_regions.error()).empty() ||
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
    ParaverWriter writer(space, &out, end_ns, result);
    writer.Header(threads, end_ns);
    for (size_t i = 0; i < regions.size(); ++i)
        writer.Region(regions[i], static_cast<int64_t>(i) + 1);
    if (!writer.Gather(database, error) || !writer.Write(error)) return false;
    writer.Finish();
    if (!TellLeftOut(database, result, error)) return false;
    if (!TellSmallCollectives(database, result, error)) return false;
    WriteNames(regions, &names);
    WriteRowNames(threads, &row_names);
    return out.Close(error) && names.Close(error) && row_names.Close(error) && out.Finish(error) &&
           names.Finish(error) && row_names.Finish(error);
}

}  // namespace comshu::format
