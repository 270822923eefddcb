#include "timeline/timeline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "comshu/read/query.h"
#include "each_row.h"
#include "plain_losses.h"
#include "timeline/span_stream.h"

namespace comshu::format {
namespace {

constexpr const char* kCollectiveNameSql =
    "SELECT DISTINCT name FROM collective WHERE name IS NOT NULL ORDER BY name";

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
    if (!HasWholeCapture(&database_, error) || !comms_.Load(&database_, error) ||
        (with_collectives_ && !FindCollectives(error)))
        return false;
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

std::string Timeline::CommText(const TimelineSpan& span) const {
    return span.comm == TimelineSpan::kNone ? "" : comms_.NameOf(static_cast<uint64_t>(span.comm));
}

bool Timeline::FindCollectives(std::string* error) {
    return EachRow(&database_, kCollectiveNameSql, error,
                   [&](const read::Query& row) { collective_names_.push_back(row.Text(0)); });
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
    SpanStream spans(space_.folder(), &comms_, collective_names_, end_ns_);
    if (!spans.Gather(&database_, with_collectives_, with_requests_, error)) return false;
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
    if (!spans.Visit(add, error)) return false;
    if (lanes != nullptr) lanes->Finish();
    without_call_ = spans.without_call();
    return true;
}

bool Timeline::VisitEvents(const char* view, TimelineVisitor* visitor, std::string* error) {
    read::Query events;
    if (!events.Run(
            &database_,
            fmt::format("SELECT process_id, rank, thread, time_ns, coalesce(name, ''), value "
                        "FROM {} ORDER BY process_id, thread, name, time_ns, value",
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

void TimelineRemarks(const Timeline& timeline, bool has_arrows, ExportResult* result) {
    if (has_arrows) {
        result->Say(timeline.backward(), "message arrives before it is sent: without an arrow",
                    "messages arrive before they are sent: without an arrow");
        result->Say(timeline.unmatched(), "send or receive has no partner: without an arrow",
                    "sends and receives have no partner: without an arrow");
        result->Say(timeline.notices(),
                    "side of a message of the program's own transport: drawn with 1 ns",
                    "sides of messages of the program's own transport: drawn with 1 ns");
    } else {
        result->Say(timeline.backward(), "message arrives before it is sent: as it is",
                    "messages arrive before they are sent: as they are");
        result->Say(timeline.unmatched(), "send or receive has no partner: left out",
                    "sends and receives have no partner: left out");
    }
    result->Say(timeline.without_call(),
                "side of a message or collective without its call: left out",
                "sides of messages or collectives without their calls: left out");
    result->Say(timeline.overlaps(),
                "span overlaps others of its thread without nesting: on a row of its own",
                "spans overlap others of their thread without nesting: on rows of their own");
    result->Say(timeline.padded(), "call with a message has no length: drawn with 1 ns",
                "calls with a message have no length: drawn with 1 ns");
    result->Say(timeline.open(), "call never ended: drawn to the end of the run",
                "calls never ended: drawn to the end of the run");
}

}  // namespace comshu::format
