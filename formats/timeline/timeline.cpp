#include "timeline/timeline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "comshu/read/query.h"

namespace comshu::format {
namespace {

// Communicators of which all members are there.
constexpr const char* kCommSql = R"(CREATE OR REPLACE TEMP TABLE timeline_comm AS
SELECT comm, row_number() OVER (ORDER BY min(time_ns), comm) - 1 AS number,
    coalesce(comm_name(comm), '') AS name
FROM mpi_comm WHERE remote_members IS NULL GROUP BY comm HAVING count(DISTINCT comm_rank) = max(size))";
constexpr const char* kMembersSql = R"(SELECT t.number, t.comm, t.name, min(c.rank)
FROM timeline_comm t JOIN mpi_comm c USING (comm)
GROUP BY t.number, t.comm, t.name, c.comm_rank ORDER BY t.number, c.comm_rank)";

constexpr const char* kFlowSql = R"(CREATE OR REPLACE TEMP TABLE flow AS
SELECT row_number() OVER () AS id, send_span, coalesce(recv_done_span, recv_span) AS recv_span,
    send_rank, recv_rank, m.tag, coalesce(m.bytes, m.recv_bytes, 0) AS bytes,
    coalesce(recv_end_ns < send_begin_ns, false) AS backward, coalesce(c.number, -1) AS comm
FROM message m LEFT JOIN timeline_comm c USING (comm) WHERE m.layer = 'mpi')";

// What the program told of its own transport has a time of its own, often within no call.
constexpr const char* kNoticeSql = R"(CREATE OR REPLACE TEMP TABLE notice AS
WITH side AS (SELECT *, direction = 0 AS sends, CASE WHEN direction = 0 THEN rank ELSE peer END AS a,
        CASE WHEN direction = 0 THEN peer ELSE rank END AS z FROM user_message)
SELECT process_id, rank, thread, time_ns, transport, peer, tag, bytes, sends,
    source_text(process_id, caller) AS source,
    (SELECT count(*) FROM flow) + dense_rank() OVER (ORDER BY transport, a, z, tag, number) AS id,
    coalesce(min(bytes) FILTER (sends) OVER pair, min(bytes) OVER pair, 0) AS pair_bytes,
    bool_or(sends) OVER pair AND bool_or(NOT sends) OVER pair AS is_matched,
    coalesce(max(time_ns) FILTER (NOT sends) OVER pair < min(time_ns) FILTER (sends) OVER pair,
        false) AS backward
FROM side WINDOW pair AS (PARTITION BY transport, a, z, tag, number))";

constexpr const char* kCollectiveNameSql =
    R"(CREATE OR REPLACE TEMP TABLE timeline_collective_name AS
SELECT name, row_number() OVER (ORDER BY name) - 1 AS number
FROM (SELECT DISTINCT name FROM collective WHERE name IS NOT NULL))";
// A blocking call that never returned would have completed what it began.
constexpr const char* kCollectiveSql = R"(CREATE OR REPLACE TEMP TABLE timeline_collective AS
SELECT row_number() OVER () AS id, span_id, coalesce(done_span, CASE WHEN
        regexp_matches(name, '^MPI_I[a-z]|_init(_c)?$') THEN NULL ELSE span_id END) AS done_span,
    n.number AS name, coalesce(m.number, -1) AS comm, coalesce(root, -1) AS root,
    coalesce(bytes_in, 0) AS bytes_in, coalesce(bytes_out, 0) AS bytes_out
FROM collective c JOIN timeline_collective_name n USING (name)
LEFT JOIN timeline_comm m ON m.comm = c.comm)";

// A row per span; of several messages, a row each. A part in a collective is six numbers in a text.
constexpr const char* kSpanSql = R"(SELECT * FROM (
SELECT s.process_id, s.rank, s.thread, s.span_id, s.begin_ns,
    s.end_ns, s.layer, s.category, s.name, s.source, s.bytes, s.peer, s.tag, s.root, s.comm, s.request,
    o.id AS sent, o.recv_rank AS to_rank, o.tag AS sent_tag, o.bytes AS sent_bytes,
    o.backward::INTEGER AS sent_backward, o.comm AS sent_comm, i.id AS received, i.send_rank AS from_rank,
    i.tag AS received_tag, i.bytes AS received_bytes, i.backward::INTEGER AS received_backward,
    i.comm AS received_comm, NULL AS transport, {columns}
FROM span s LEFT JOIN flow o ON o.send_span = s.span_id LEFT JOIN flow i ON i.recv_span = s.span_id
{joins}
UNION ALL SELECT process_id, rank, thread, NULL, time_ns, time_ns + 1, 'user', 'message',
    CASE WHEN sends THEN 'send (' ELSE 'receive (' END || transport || ')', source, bytes, peer, tag,
    NULL, NULL, NULL, CASE WHEN is_matched AND sends THEN id END, peer, tag, pair_bytes, backward::INTEGER, -1,
    CASE WHEN is_matched AND NOT sends THEN id END, peer, tag, pair_bytes, backward::INTEGER, -1, transport,
    NULL, NULL
FROM notice)
ORDER BY process_id, thread, begin_ns, coalesce(end_ns, 9223372036854775807) DESC, span_id, sent, received)";
constexpr const char* kNoCollectiveColumns = "NULL::VARCHAR AS starts, NULL::VARCHAR AS completes";
constexpr const char* kCollectiveColumns = "cs.texts AS starts, cd.texts AS completes";
constexpr const char* kCollectiveJoins = R"(LEFT JOIN (SELECT span_id, string_agg(concat_ws(' ', id,
        name, comm, root, bytes_in, bytes_out), ' ' ORDER BY id) AS texts
    FROM timeline_collective GROUP BY 1) cs USING (span_id)
LEFT JOIN (SELECT done_span AS span_id, string_agg(concat_ws(' ', id, name, comm, root, bytes_in,
        bytes_out), ' ' ORDER BY id) AS texts FROM timeline_collective GROUP BY 1) cd USING (span_id))";

// Numbers by six.
using SixNumbers = std::array<int64_t, 6>;

std::vector<SixNumbers> BySix(const std::string& text) {
    std::vector<SixNumbers> all;
    SixNumbers numbers{};
    size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        const auto [rest, code] = std::from_chars(at, end, numbers[count]);
        if (code != std::errc()) break;
        if (++count == numbers.size()) {
            all.push_back(numbers);
            count = 0;
        }
        at = rest < end ? rest + 1 : end;
    }
    return all;
}

// The message in six columns from `column` on, unless the row before had it too.
void AddMessage(const read::Query& row, size_t column, std::vector<TimelineMessage>* messages) {
    if (row.IsNull(column)) return;
    const uint64_t id = row.Unsigned(column);
    if (!messages->empty() && messages->back().id >= id) return;
    messages->push_back({id, row.Integer(column + 1), row.Integer(column + 2),
                         row.Integer(column + 3), row.Integer(column + 4) != 0,
                         row.Integer(column + 5)});
}

std::vector<TimelineCollective> Collectives(const std::string& text) {
    std::vector<TimelineCollective> collectives;
    for (const auto& [id, name, comm, root, in, out] : BySix(text)) {
        collectives.push_back({static_cast<uint64_t>(id), name, comm,
                               std::max(root, TimelineCollective::kNoRoot), in, out});
    }
    return collectives;
}

// Columns of kSpanSql.
constexpr size_t kSpanId = 3;
constexpr size_t kSent = 16;
constexpr size_t kReceived = 22;
constexpr size_t kTransport = 28;
constexpr size_t kStarts = 29;
constexpr size_t kCompletes = 30;

// All but its messages. `end_ns`: of the run.
TimelineSpan SpanOf(const read::Query& row, int64_t end_ns) {
    TimelineSpan span;
    span.row.process_id = static_cast<uint32_t>(row.Unsigned(0));
    span.row.rank = static_cast<int32_t>(row.Integer(1));
    span.row.thread = static_cast<uint32_t>(row.Unsigned(2));
    span.span_id = row.Unsigned(kSpanId);
    span.begin_ns = std::max<int64_t>(0, row.Integer(4));
    span.is_open = row.IsNull(5);
    span.end_ns =
        span.is_open ? std::max(end_ns, span.begin_ns) : std::max(span.begin_ns, row.Integer(5));
    span.layer = row.Text(6);
    span.category = row.Text(7);
    span.name = row.Text(8);
    if (!row.IsNull(9)) span.source = row.Text(9);
    int64_t* const numbers[] = {&span.bytes, &span.peer, &span.tag,
                                &span.root,  &span.comm, &span.request};
    for (size_t i = 0; i < std::size(numbers); ++i) {
        if (!row.IsNull(10 + i)) *numbers[i] = static_cast<int64_t>(row.Unsigned(10 + i));
    }
    // Signed ones may be below zero.
    if (span.peer != TimelineSpan::kNone) span.peer = row.Integer(11);
    if (span.tag != TimelineSpan::kNone) span.tag = row.Integer(12);
    if (span.root != TimelineSpan::kNone) span.root = row.Integer(13);
    span.is_notice = !row.IsNull(kTransport);
    if (span.is_notice) span.transport = row.Text(kTransport);
    if (!row.IsNull(kStarts)) span.starts = Collectives(row.Text(kStarts));
    if (!row.IsNull(kCompletes)) span.completes = Collectives(row.Text(kCompletes));
    return span;
}

// The rows of one thread: each a stack of open spans.
class Lanes {
public:
    Lanes(TimelineVisitor* visitor, std::string name)
        : visitor_(*visitor), name_(std::move(name)) {}

    // True if the span had to go to an extra row.
    bool Add(TimelineSpan span) {
        size_t lane = 0;
        for (;; ++lane) {
            if (lane == stacks_.size()) {
                stacks_.emplace_back();
                span.row.lane = static_cast<uint32_t>(lane);
                visitor_.Row(span.row, name_);
            }
            std::vector<TimelineSpan>& stack = stacks_[lane];
            while (!stack.empty() && stack.back().end_ns <= span.begin_ns) Pop(&stack);
            if (stack.empty() || stack.back().end_ns >= span.end_ns) break;
        }
        span.row.lane = static_cast<uint32_t>(lane);
        visitor_.Begin(span);
        stacks_[lane].push_back(std::move(span));
        return lane > 0;
    }
    void Finish() {
        for (auto& stack : stacks_) {
            while (!stack.empty()) Pop(&stack);
        }
    }

private:
    void Pop(std::vector<TimelineSpan>* stack) {
        visitor_.End(stack->back());
        stack->pop_back();
    }

    TimelineVisitor& visitor_;
    std::string name_;
    std::vector<std::vector<TimelineSpan>> stacks_;
};

}  // namespace

bool Timeline::Prepare(std::string* error) {
    if (!FindComms(error) || !database_.Execute(kFlowSql, error) ||
        !database_.Execute(kNoticeSql, error) || (with_collectives_ && !FindCollectives(error))) {
        return false;
    }
    read::Query sums;
    if (!sums.Run(&database_,
                  "SELECT (SELECT count(*) FROM message), "
                  "(SELECT count(*) FROM message WHERE recv_end_ns < send_begin_ns), "
                  "(SELECT count(*) FROM unmatched), greatest((SELECT coalesce(max(end_ns), 0) "
                  "FROM rank), (SELECT coalesce(max(greatest(begin_ns, coalesce(end_ns, 0))), 0) "
                  "FROM span))",
                  error)) {
        return false;
    }
    while (sums.Next()) {
        messages_ = sums.Unsigned(0);
        backward_ = sums.Unsigned(1);
        unmatched_ = sums.Unsigned(2);
        end_ns_ = sums.Integer(3);
    }
    return (*error = sums.error()).empty() && FindProcesses(error);
}

bool Timeline::FindProcesses(std::string* error) {
    read::Query rows;
    if (!rows.Run(&database_,
                  "SELECT process_id, p.rank, coalesce(p.host, ''), p.pid, "
                  "coalesce(p.executable, '') FROM process p ORDER BY p.rank, process_id",
                  error)) {
        return false;
    }
    std::set<int32_t> ranks;
    while (rows.Next()) {
        TimelineProcess process;
        process.process_id = static_cast<uint32_t>(rows.Unsigned(0));
        process.rank = static_cast<int32_t>(rows.Integer(1));
        process.is_first_of_rank = ranks.insert(process.rank).second;
        // Of an imported trace it is the name that the trace gives.
        const std::string executable = rows.Text(4);
        process.name =
            executable.starts_with('/') || executable.empty()
                ? fmt::format("rank {} ({} {})", process.rank, rows.Text(2), rows.Text(3))
                : executable;
        processes_.push_back(std::move(process));
    }
    *error = rows.error();
    return error->empty();
}

bool Timeline::FindComms(std::string* error) {
    read::Query members;
    if (!database_.Execute(kCommSql, error) || !members.Run(&database_, kMembersSql, error))
        return false;
    while (members.Next()) {
        const uint64_t number = members.Unsigned(0);
        if (number >= comms_.size()) comms_.push_back({members.Unsigned(1), members.Text(2), {}});
        comms_.back().members.push_back(static_cast<int32_t>(members.Integer(3)));
    }
    *error = members.error();
    return error->empty();
}

bool Timeline::FindCollectives(std::string* error) {
    read::Query names;
    if (!database_.Execute(kCollectiveNameSql, error) ||
        !database_.Execute(kCollectiveSql, error) ||
        !names.Run(&database_, "SELECT name FROM timeline_collective_name ORDER BY number", error))
        return false;
    while (names.Next()) collective_names_.push_back(names.Text(0));
    *error = names.error();
    return error->empty();
}

bool Timeline::Visit(TimelineVisitor* visitor, std::string* error) {
    return VisitSpans(visitor, error) && VisitEvents("mark", visitor, error) &&
           VisitEvents("counter", visitor, error);
}

bool Timeline::VisitSpans(TimelineVisitor* visitor, std::string* error) {
    std::map<std::pair<uint32_t, uint32_t>, std::string> names;
    read::Query threads;
    if (!threads.Run(&database_, "SELECT process_id, thread, coalesce(name, '') FROM thread",
                     error))
        return false;
    while (threads.Next()) {
        names[{static_cast<uint32_t>(threads.Unsigned(0)),
               static_cast<uint32_t>(threads.Unsigned(1))}] = threads.Text(2);
    }
    read::Query spans;
    const std::string sql = fmt::format(
        fmt::runtime(kSpanSql),
        fmt::arg("columns", with_collectives_ ? kCollectiveColumns : kNoCollectiveColumns),
        fmt::arg("joins", with_collectives_ ? kCollectiveJoins : ""));
    if (!spans.Run(&database_, sql, error)) return false;
    std::unique_ptr<Lanes> lanes;
    TimelineRow row;
    const auto add = [&](TimelineSpan span) {
        span.is_padded =
            span.begin_ns == span.end_ns && !(span.sends.empty() && span.receives.empty());
        if (span.is_padded) ++span.end_ns;
        padded_ += span.is_padded;
        open_ += span.is_open;
        notices_ += span.is_notice;
        if (lanes == nullptr || row != span.row) {
            if (lanes != nullptr) lanes->Finish();
            row = span.row;
            lanes = std::make_unique<Lanes>(visitor, names[{row.process_id, row.thread}]);
        }
        overlaps_ += lanes->Add(std::move(span));
    };
    std::optional<TimelineSpan> last;
    while (spans.Next()) {
        if (!last || spans.IsNull(kSpanId) || spans.Unsigned(kSpanId) != last->span_id) {
            if (last) add(std::move(*last));
            last = SpanOf(spans, end_ns_);
        }
        AddMessage(spans, kSent, &last->sends);
        AddMessage(spans, kReceived, &last->receives);
    }
    if (last) add(std::move(*last));
    if (lanes != nullptr) lanes->Finish();
    *error = spans.error();
    return error->empty();
}

bool Timeline::VisitEvents(const char* view, TimelineVisitor* visitor, std::string* error) {
    read::Query events;
    if (!events.Run(
            &database_,
            fmt::format("SELECT process_id, rank, thread, time_ns, coalesce(name, ''), value "
                        "FROM {} ORDER BY process_id, thread, name, time_ns",
                        view),
            error)) {
        return false;
    }
    const bool marks = std::string_view(view) == "mark";
    while (events.Next()) {
        TimelineEvent event;
        event.row.process_id = static_cast<uint32_t>(events.Unsigned(0));
        event.row.rank = static_cast<int32_t>(events.Integer(1));
        event.row.thread = static_cast<uint32_t>(events.Unsigned(2));
        event.time_ns = std::max<int64_t>(0, events.Integer(3));
        event.name = events.Text(4);
        event.value = events.Real(5);
        if (marks)
            visitor->Mark(event);
        else
            visitor->Counter(event);
    }
    *error = events.error();
    return error->empty();
}

std::vector<std::string> TimelineRemarks(const Timeline& timeline, bool has_arrows) {
    std::vector<std::string> remarks;
    const auto say = [&](uint64_t count, const char* one, const char* many) {
        if (count > 0) remarks.push_back(core::Plural(count, one, many));
    };
    if (has_arrows) {
        say(timeline.backward(), "message arrives before it is sent: without an arrow",
            "messages arrive before they are sent: without an arrow");
        say(timeline.unmatched(), "send or receive has no partner: without an arrow",
            "sends and receives have no partner: without an arrow");
        say(timeline.notices(), "side of a message of the program's own transport: drawn with 1 ns",
            "sides of messages of the program's own transport: drawn with 1 ns");
    } else {
        say(timeline.backward(), "message arrives before it is sent: as it is",
            "messages arrive before they are sent: as they are");
        say(timeline.unmatched(), "send or receive has no partner: left out",
            "sends and receives have no partner: left out");
    }
    say(timeline.overlaps(),
        "span overlaps others of its thread without nesting: on a row of its own",
        "spans overlap others of their thread without nesting: on rows of their own");
    say(timeline.padded(), "call with a message has no length: drawn with 1 ns",
        "calls with a message have no length: drawn with 1 ns");
    say(timeline.open(), "call never ended: drawn to the end of the run",
        "calls never ended: drawn to the end of the run");
    return remarks;
}

}  // namespace comshu::format
