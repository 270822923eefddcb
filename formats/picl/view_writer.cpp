#include "picl/view_writer.h"

#include <map>
#include <set>
#include <string_view>

#include "comshu/read/query.h"
#include "comshu/core/count_text.h"
#include "comshu/schema/mpi_function_generated.h"
#include "picl/events_1992.h"
#include "picl/line_writer.h"
#include "small_collectives.h"

namespace comshu::format::picl {
namespace {

// Names of what has only a number in PICL: regions, marks.
constexpr const char* kNamesSql = R"(CREATE OR REPLACE TEMP TABLE picl_name AS
SELECT name, row_number() OVER (ORDER BY name) - 1 AS number FROM (
    SELECT DISTINCT name FROM span WHERE layer <> 'mpi'
    UNION SELECT DISTINCT name FROM mark) WHERE name IS NOT NULL)";

// Ends at one time come before beginnings, inner ones first; what has no length stays together.
// What is read twice is not kept: it is as long as the run.
constexpr const char* kOldSql = R"(WITH send AS NOT MATERIALIZED (
    SELECT send_rank AS rank, send_span AS span, send_begin_ns AS b, send_end_ns AS e,
        recv_rank AS peer, tag, bytes FROM message
    UNION ALL SELECT u.rank, u.span_id, s.begin_ns, s.end_ns, u.peer, u.tag, u.bytes
    FROM unmatched u JOIN span s USING (span_id) WHERE u.side = 'send' AND u.layer = 'mpi'
    UNION ALL SELECT rank, span_id, begin_ns, begin_ns, peer, tag, bytes FROM unmatched
    WHERE side = 'send' AND layer = 'user'),
receive AS NOT MATERIALIZED (
    SELECT recv_rank AS rank, recv_span AS span,
        greatest(recv_begin_ns, coalesce(recv_done_begin_ns, recv_begin_ns)) AS b,
        coalesce(recv_end_ns, recv_begin_ns) AS e, send_rank AS peer, tag,
        coalesce(recv_bytes, bytes) AS bytes
    FROM message),
block AS NOT MATERIALIZED (
    SELECT rank, span_id AS span, begin_ns AS b, end_ns AS e,
        CASE WHEN name LIKE '%arrier%' THEN -1 WHEN name LIKE '%cast%' THEN -2 ELSE -4 END AS a
    FROM collective
    UNION ALL SELECT s.rank, s.span_id, s.begin_ns, s.end_ns, n.number
    FROM span s JOIN picl_name n USING (name) WHERE s.layer <> 'mpi'),
row AS (
    SELECT b AS t, rank, 1 AS class, span::HUGEINT AS ord, 0 AS step, 4 AS kind, peer AS a, tag AS b,
        bytes AS c FROM send
    UNION ALL SELECT e, rank, (e = b)::INTEGER, CASE WHEN e = b THEN span ELSE -span::HUGEINT END, 1, 11,
        e - b, 0, 0 FROM send WHERE e IS NOT NULL
    UNION ALL SELECT b, rank, 1, span, 0, 7, tag, 0, 0 FROM receive
    UNION ALL SELECT e, rank, (e = b)::INTEGER, CASE WHEN e = b THEN span ELSE -span::HUGEINT END, 1, 8,
        peer, tag, bytes FROM receive
    UNION ALL SELECT b, rank, 1, span, 0, 20, a, 0, 0 FROM block
    UNION ALL SELECT e, rank, (e = b)::INTEGER, CASE WHEN e = b THEN span ELSE -span::HUGEINT END, 1, 21,
        a, 0, 0 FROM block WHERE e IS NOT NULL
    UNION ALL SELECT time_ns, m.rank, 2, 0, 0, 15,
        CASE WHEN m.name = 'trace_mark' THEN m.value::BIGINT ELSE n.number END, 0, 0
    FROM mark m JOIN picl_name n USING (name)
    UNION ALL SELECT begin_ns, rank, -1, 0, 0, 1, 1, 1, 1 FROM rank
    UNION ALL SELECT coalesce(end_ns, begin_ns), rank, 9, 0, 0, 19, 0, 0, 0 FROM rank)
SELECT t, rank, kind, a, b, c FROM row ORDER BY t, rank, class, ord, step)";

// The program's own messages are calls without length.
constexpr const char* k1992Sql = R"(WITH notice AS (
    SELECT *, row_number() OVER () AS number FROM user_message),
one AS NOT MATERIALIZED (
    SELECT rank, thread, span_id AS span, begin_ns AS b, end_ns AS e, layer, category, name, peer, tag,
        bytes, root, request FROM span),
done AS (
    SELECT m.recv_rank AS rank, m.recv_done_span AS span, 'receive' AS side,
        recv_span AS started, m.recv_bytes AS bytes, m.tag, m.send_rank AS peer
    FROM message m WHERE m.recv_done_span <> m.recv_span
    UNION ALL SELECT m.send_rank, m.send_done_span, 'send', m.send_span, NULL, NULL, NULL
    FROM message m WHERE m.send_done_span <> m.send_span),
ended AS (
    SELECT done.*, s.begin_ns, s.end_ns, st.request, s.thread,
        row_number() OVER (PARTITION BY done.span ORDER BY started) AS number
    FROM done JOIN span s ON s.span_id = done.span JOIN span st ON st.span_id = done.started),
row AS (
    SELECT b AS t, rank, thread, 1 AS class, span::HUGEINT AS ord, 0 AS step, true AS entry, layer,
        category, name, peer, tag, bytes, root, request FROM one
    UNION ALL SELECT e, rank, thread, (e = b)::INTEGER,
        CASE WHEN e = b THEN span ELSE -span::HUGEINT END, 9, false, layer, category, name, peer, tag,
        bytes, root, request FROM one WHERE e IS NOT NULL
    UNION ALL SELECT CASE WHEN number = 1 THEN begin_ns ELSE end_ns END, rank, thread,
        CASE WHEN number = 1 THEN 1 ELSE -1 END, CASE WHEN number = 1 THEN span ELSE number END, 1, true,
        'done', side, '', peer, tag, bytes, NULL, request FROM ended WHERE end_ns IS NOT NULL
    UNION ALL SELECT end_ns, rank, thread, CASE WHEN number = 1 THEN 0 ELSE -1 END,
        CASE WHEN number = 1 THEN -span::HUGEINT ELSE number END, 2, false, 'done', side, '', peer, tag,
        bytes, NULL, request FROM ended WHERE end_ns IS NOT NULL
    UNION ALL SELECT time_ns, rank, thread, 2, 0, 0, true, 'mark', '', name, NULL, NULL, NULL, NULL, NULL
    FROM mark
    UNION ALL SELECT time_ns, rank, thread, 2, n.number, step, step = 0, 'mpi', 'p2p',
        CASE WHEN direction = 0 THEN 'send' ELSE 'recv' END, peer, n.tag, n.bytes, NULL, NULL
    FROM notice n, (VALUES (0), (1)) steps(step))
SELECT t, rank, thread, entry, layer, category, coalesce(name, '') AS name, peer, tag, bytes, root,
    request
FROM row ORDER BY t, rank, thread, class, ord, step)";

OldLine LineAt(int64_t ns, int64_t rank, int32_t record) {
    OldLine line;
    line.record = record;
    line.seconds = ns / 1'000'000'000;
    line.microseconds = ns % 1'000'000'000 / 1000;
    line.node = rank;
    line.count = ShapeOf(record).fields;
    return line;
}

class OldWriter {
public:
    OldWriter(bool verbose, FileOutput* out, ExportResult* result)
        : verbose_(verbose), out_(*out), result_(*result) {}

    void Name(int64_t number, const std::string& name) {
        const std::string text = fmt::format("block or mark {} is {}", number, name);
        OldLine line = LineAt(0, 0, kTraceMessage);
        line.text = text;
        Put(line);
    }
    void Row(const read::Query& row) {
        const int64_t t = std::max<int64_t>(0, row.Integer(0));
        const int64_t rank = row.Integer(1);
        const auto record = static_cast<int32_t>(row.Integer(2));
        OldLine line = LineAt(t, rank, record);
        for (size_t i = 0; i < 3; ++i) line.values[i] = row.Integer(3 + i);
        if (record == kCompstats) {
            idle_ns_[rank] += std::max<int64_t>(0, row.Integer(3));
            return Stats(t, rank);
        }
        Put(line);
        if (record == kSend) Stats(t, rank);
    }

private:
    void Stats(int64_t t, int64_t rank) {
        OldLine line = LineAt(t, rank, kCompstats);
        const int64_t idle = idle_ns_[rank] / 1000;
        line.values[0] = idle / 1'000'000;
        line.values[1] = idle % 1'000'000;
        Put(line);
    }
    void Put(const OldLine& line) {
        PrintOldLine(line, verbose_, &out_);
        ++result_.records;
    }

    bool verbose_;
    FileOutput& out_;
    ExportResult& result_;
    std::map<int64_t, int64_t> idle_ns_;
};

// Events by the names of MPI, of MPICL and of the old format.
int64_t EventByName(const std::string& name) {
    static const std::map<std::string, int64_t> events = [] {
        std::map<std::string, int64_t> made;
        for (int32_t event = -1; event > -1000; --event) {
            const EventShape* shape = FindEvent(event);
            if (shape == nullptr || shape->kind == EventKind::kTracing) continue;
            made.emplace(shape->name, event);
            const bool calls =
                shape->kind != EventKind::kState && shape->kind != EventKind::kSendEnd &&
                shape->kind != EventKind::kRecvEnd && shape->kind != EventKind::kTest;
            if (calls) made.emplace(schema::EnumNameMpiFunction(shape->function), event);
        }
        made.insert({{"recv_blocking", -52},
                     {"sync", -402},
                     {"bcast0", -785},
                     {"bcast1", -785},
                     {"global_op", -790},
                     {"trace_flush", -912},
                     {"trace_files", -903}});
        return made;
    }();
    const auto found = events.find(name);
    return found == events.end() ? 0 : found->second;
}

class Writer1992 {
public:
    Writer1992(FileOutput* out, ExportResult* result) : out_(*out), result_(*result) {}

    void Name(int64_t number, const std::string& name) {
        numbers_[name] = number;
        Begin(-5, number, 0, -1, -1);
        out_.Print("1 1 {}\n", name);
    }

    void Row(const read::Query& row) {
        const int64_t t = row.Integer(0);
        const int64_t rank = row.Integer(1);
        const int64_t thread = row.Integer(2);
        const bool entry = row.Integer(3) != 0;
        const std::string layer = row.Text(4);
        const std::string name = row.Text(6);
        const auto number = [&](size_t column, int64_t missing) {
            return row.IsNull(column) ? missing : row.Integer(column);
        };
        const int64_t peer = number(7, -2);
        const int64_t tag = number(8, -1);
        const int64_t bytes = number(9, 0);
        const int64_t request = number(11, 0);
        if (layer == "mark") {
            Begin(kEventMark, numbers_[name], t, rank, thread);
            return Data({});
        }
        if (layer == "done") {
            const bool receives = row.Text(5) == "receive";
            Begin(entry ? kEventEntry : kEventExit, receives ? -61 : -31, t, rank, thread);
            if (entry) return Data({request});
            return receives ? Data({bytes, tag, peer}) : Data({});
        }
        int64_t event = EventByName(name);
        if (event == 0 && layer != "mpi") event = numbers_[name];
        if (event == 0 && layer == "mpi") {
            if (entry) ++left_out_[name];
            return;
        }
        Begin(entry ? kEventEntry : kEventExit, event, t, rank, thread);
        const EventShape* shape = FindEvent(event);
        switch (shape == nullptr ? EventKind::kState : shape->kind) {
            case EventKind::kSend:
                return entry ? Data({bytes, tag, peer}) : Data({});
            case EventKind::kIsend:
                return entry ? Data({bytes, tag, peer}) : Data({request});
            case EventKind::kIrecv:
                return entry ? Data({tag, peer < 0 ? -2 : peer}) : Data({request});
            case EventKind::kRecv:
                return entry ? Data({tag, peer}) : Data({bytes, tag, peer});
            case EventKind::kBarrier:
                return entry ? Data({-1}) : Data({});
            case EventKind::kRooted:
                return entry ? Data({bytes, number(10, -1), -1}) : Data({bytes});
            case EventKind::kAll:
                return entry ? Data({bytes, -1}) : Data({});
            default:
                return Data({});
        }
    }

    void Finish() {
        for (const auto& [name, calls] : left_out_) {
            result_.remarks.push_back(
                fmt::format("{} of {} left out: the format has no event for it",
                            core::Plural(calls, "call"), name));
        }
    }

private:
    void Begin(int64_t record, int64_t event, int64_t t, int64_t rank, int64_t thread) {
        out_.Print("{} {} ", record, event);
        PrintSeconds(t, 9, &out_);
        out_.Print(" {} {} ", rank, thread);
        ++result_.records;
    }
    void Data(std::initializer_list<int64_t> values) {
        constexpr int kInt = 2;
        out_.Print("{}", values.size());
        if (values.size() > 0) out_.Print(" {}", kInt);
        for (const int64_t value : values) out_.Print(" {}", value);
        out_.Write("\n");
    }

    FileOutput& out_;
    ExportResult& result_;
    std::map<std::string, int64_t> numbers_;
    std::map<std::string, uint64_t> left_out_;
};

template <typename Writer>
bool WriteNames(read::Database* database, Writer* writer, std::string* error) {
    read::Query names;
    if (!names.Run(database, "SELECT number, name FROM picl_name ORDER BY number", error))
        return false;
    while (names.Next()) writer->Name(names.Integer(0), names.Text(1));
    *error = names.error();
    return error->empty();
}

template <typename Writer>
bool WriteRows(read::Database* database, const char* sql, Writer* writer, std::string* error) {
    read::Query rows;
    if (!rows.Run(database, sql, error)) return false;
    while (rows.Next()) writer->Row(rows);
    *error = rows.error();
    return error->empty();
}

// What the views hold and the file does not.
bool CountLeftOut(read::Database* database, ExportResult* result, std::string* error) {
    read::Query left;
    if (!left.Run(database,
                  "SELECT name, count(*) FROM span WHERE layer = 'mpi' AND category NOT IN ('p2p', "
                  "'collective', 'wait') GROUP BY name ORDER BY name",
                  error)) {
        return false;
    }
    while (left.Next()) {
        result->remarks.push_back(fmt::format("{} of {} left out: the format has no record for it",
                                              core::Plural(left.Unsigned(1), "call"),
                                              left.Text(0)));
    }
    *error = left.error();
    return error->empty();
}

}  // namespace

bool WriteViews(read::Database* database, PiclForm form, FileOutput* out, ExportResult* result,
                std::string* error) {
    if (!database->Execute(kNamesSql, error) || !TellSmallCollectives(database, result, error))
        return false;
    if (form == PiclForm::k1992) {
        Writer1992 writer(out, result);
        if (!WriteNames(database, &writer, error) ||
            !WriteRows(database, k1992Sql, &writer, error)) {
            return false;
        }
        writer.Finish();
        return true;
    }
    OldWriter writer(form == PiclForm::kVerbose, out, result);
    return WriteNames(database, &writer, error) && WriteRows(database, kOldSql, &writer, error) &&
           CountLeftOut(database, result, error);
}

}  // namespace comshu::format::picl
