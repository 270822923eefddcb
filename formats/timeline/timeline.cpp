#include "timeline/timeline.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/core.h>

#include "comshu/read/query.h"

namespace comshu::format {
namespace {

constexpr const char* kFlowSql = R"(CREATE OR REPLACE TEMP TABLE flow AS
SELECT row_number() OVER () AS id, send_span, coalesce(recv_done_span, recv_span) AS recv_span,
    send_rank, recv_rank, tag, coalesce(bytes, recv_bytes, 0) AS bytes,
    coalesce(recv_end_ns < send_begin_ns, false) AS backward
FROM message)";

// A message is five numbers in the texts of its send and of its receive.
constexpr const char* kSpanSql = R"(SELECT s.process_id, s.rank, s.thread, s.span_id, s.begin_ns,
    s.end_ns, s.layer, s.category, s.name, s.source, s.bytes, s.peer, s.tag, s.root, s.comm, s.request,
    o.texts, i.texts
FROM span s
LEFT JOIN (SELECT send_span AS span_id, string_agg(concat_ws(' ', id, recv_rank, tag, bytes,
        backward::INTEGER), ' ' ORDER BY id) AS texts FROM flow GROUP BY 1) o USING (span_id)
LEFT JOIN (SELECT recv_span AS span_id, string_agg(concat_ws(' ', id, send_rank, tag, bytes,
        backward::INTEGER), ' ' ORDER BY id) AS texts FROM flow GROUP BY 1) i USING (span_id)
ORDER BY s.process_id, s.thread, s.begin_ns, coalesce(s.end_ns, 9223372036854775807) DESC, s.span_id)";

std::vector<TimelineMessage> Messages(const std::string& text) {
    constexpr size_t kNumbers = 5;
    std::vector<TimelineMessage> messages;
    int64_t numbers[kNumbers] = {};
    size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        const auto [rest, code] = std::from_chars(at, end, numbers[count]);
        if (code != std::errc()) break;
        if (++count == kNumbers) {
            messages.push_back({static_cast<uint64_t>(numbers[0]), numbers[1], numbers[2],
                                numbers[3], numbers[4] != 0});
            count = 0;
        }
        at = rest < end ? rest + 1 : end;
    }
    return messages;
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
    if (!database_.Execute(kFlowSql, error)) return false;
    read::Query sums;
    if (!sums.Run(
            &database_,
            "SELECT (SELECT count(*) FROM flow), (SELECT count(*) FROM flow WHERE backward), "
            "(SELECT count(*) FROM unmatched), greatest((SELECT coalesce(max(end_ns), 0) FROM "
            "rank), (SELECT coalesce(max(greatest(begin_ns, coalesce(end_ns, 0))), 0) FROM "
            "span))",
            error)) {
        return false;
    }
    while (sums.Next()) {
        messages_ = sums.Unsigned(0);
        backward_ = sums.Unsigned(1);
        unmatched_ = sums.Unsigned(2);
        end_ns_ = sums.Integer(3);
    }
    if (!(*error = sums.error()).empty()) return false;
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
    if (!spans.Run(&database_, kSpanSql, error)) return false;
    std::unique_ptr<Lanes> lanes;
    TimelineRow row;
    while (spans.Next()) {
        TimelineSpan span;
        span.row.process_id = static_cast<uint32_t>(spans.Unsigned(0));
        span.row.rank = static_cast<int32_t>(spans.Integer(1));
        span.row.thread = static_cast<uint32_t>(spans.Unsigned(2));
        span.span_id = spans.Unsigned(3);
        span.begin_ns = std::max<int64_t>(0, spans.Integer(4));
        span.is_open = spans.IsNull(5);
        span.end_ns = span.is_open ? std::max(end_ns_, span.begin_ns)
                                   : std::max(span.begin_ns, spans.Integer(5));
        span.layer = spans.Text(6);
        span.category = spans.Text(7);
        span.name = spans.Text(8);
        if (!spans.IsNull(9)) span.source = spans.Text(9);
        int64_t* const numbers[] = {&span.bytes, &span.peer, &span.tag,
                                    &span.root,  &span.comm, &span.request};
        for (size_t i = 0; i < std::size(numbers); ++i) {
            if (!spans.IsNull(10 + i)) *numbers[i] = static_cast<int64_t>(spans.Unsigned(10 + i));
        }
        // Signed ones may be below zero.
        if (span.peer != TimelineSpan::kNone) span.peer = spans.Integer(11);
        if (span.tag != TimelineSpan::kNone) span.tag = spans.Integer(12);
        if (span.root != TimelineSpan::kNone) span.root = spans.Integer(13);
        if (!spans.IsNull(16)) span.sends = Messages(spans.Text(16));
        if (!spans.IsNull(17)) span.receives = Messages(spans.Text(17));
        span.is_padded =
            span.begin_ns == span.end_ns && !(span.sends.empty() && span.receives.empty());
        if (span.is_padded) ++span.end_ns;
        padded_ += span.is_padded;
        open_ += span.is_open;
        if (lanes == nullptr || row != span.row) {
            if (lanes != nullptr) lanes->Finish();
            row = span.row;
            lanes = std::make_unique<Lanes>(visitor, names[{row.process_id, row.thread}]);
        }
        overlaps_ += lanes->Add(std::move(span));
    }
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

std::vector<std::string> TimelineRemarks(const Timeline& timeline) {
    std::vector<std::string> remarks;
    const auto say = [&](uint64_t count, const char* what) {
        if (count > 0) remarks.push_back(fmt::format("{} {}", count, what));
    };
    say(timeline.backward(), "messages arrive before they are sent: without an arrow");
    say(timeline.unmatched(), "sends and receives have no partner: without an arrow");
    say(timeline.overlaps(),
        "spans overlap others of their thread without nesting: on rows of "
        "their own");
    say(timeline.padded(), "calls with a message have no length: drawn with 1 ns");
    say(timeline.open(), "calls never ended: drawn to the end of the run");
    return remarks;
}

}  // namespace comshu::format
