#include "picl/reader_1992.h"

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "picl/line_pieces.h"
#include "picl/values.h"
#include "text/tokens.h"

namespace comshu::format::picl {
namespace {

using schema::ImportCategory;
using schema::MpiFunction;

constexpr int64_t kNone = INT64_MIN;
// Of one time: where a clock stands still, the order of the file has to do.
constexpr size_t kMostSteps = 256;
constexpr int64_t kEventLabel = -5;
constexpr int64_t kTraceMessageEvent = -911;
constexpr int64_t kTracingEvent = -901;

int32_t SourceOf(int64_t value) {
    return value < 0 ? kAnySource : Narrow(value);
}
int32_t TagOf(int64_t value) {
    return value < 0 ? kAnyTag : Narrow(value);
}
// Communicators and subsets by their number in the file; all processors are the world.
uint64_t CommOf(int64_t subset) {
    if (subset == -1 || subset == kNone) return CaptureWriter::kWorld;
    return 0x5eb5e7ULL << 40 | static_cast<uint32_t>(subset);
}

bool IsKnownRecord(int64_t record) {
    return (record >= -7 && record <= -5) ||
           (record >= kSizeStatistics && record <= kTimeStatistics) ||
           (record >= -203 && record <= -201);
}

}  // namespace

Reader1992::Reader1992(TraceSink* sink) : sink_(*sink) {}

Reader1992::LaneState* Reader1992::GetLane(int64_t processor, int64_t process) {
    if (last_key_ == std::pair(processor, process)) return last_lane_;
    // What is of all processors has its place with the first one.
    const int64_t rank = std::max<int64_t>(0, processor);
    const auto thread = static_cast<uint32_t>(std::max<int64_t>(0, process));
    std::unique_ptr<LaneState>& lane = lanes_[{rank, thread}];
    if (lane == nullptr) {
        lane = std::make_unique<LaneState>();
        lane->lane = sink_.writer().GetLane(static_cast<int32_t>(rank), thread);
        lane->processor = rank;
        sink_.writer().NameRank(static_cast<int32_t>(rank), fmt::format("processor {}", rank));
    }
    last_key_ = {processor, process};
    last_lane_ = lane.get();
    return last_lane_;
}

uint64_t Reader1992::NameOf(int64_t event) {
    uint64_t& name = names_[event];
    if (name == 0) {
        const EventShape* shape = FindEvent(event);
        name = shape != nullptr ? sink_.writer().Text(shape->name)
                                : sink_.KeepText(fmt::format("event {}", event));
    }
    return name;
}

void Reader1992::Line(std::string_view text, uint64_t number) {
    if (Tokens(text).done()) return;
    Line1992 line;
    LineError error;
    if (!ParseLine1992(text, &line, &error)) {
        sink_.Illegal(number, error.column, error.text);
        return;
    }
    ++sink_.file().records;
    sink_.SeeTime(line.ns);
    LaneState* lane = GetLane(line.processor, line.process);
    Handle(lane, line, number);
    KeepRecord(lane, line, text, number);
}

void Reader1992::KeepRecord(LaneState* lane, const Line1992& line, std::string_view text,
                            uint64_t number) {
    const uint64_t inside = lane->open.empty() ? 0 : lane->open.back().span;
    const schema::EventHead head(TickOf(line.ns), inside);
    const int32_t processor = Narrow(line.processor);
    if (lane->file != nullptr && lane->file != &sink_.file()) {
        KeepBeginningOfFile(&sink_, lane->lane, head, number, processor,
                            schema::PiclForm::picl_1992);
    }
    lane->file = &sink_.file();
    uint64_t text_id = 0;
    if (line.keep_text) {
        text_id = KeepLine(&sink_, lane->lane, head, number, processor, schema::PiclForm::picl_1992,
                           Tokens(text).rest());
    }
    sink_.writer().Add(
        lane->lane,
        schema::PiclRecord(head, number, text_id, line.values[0], line.values[1], line.values[2],
                           line.values[3], line.values[4], static_cast<int32_t>(line.record),
                           static_cast<int32_t>(line.event), processor,
                           static_cast<int32_t>(line.process), line.descriptor, line.count,
                           line.decimals, schema::PiclForm::picl_1992));
}

void Reader1992::Handle(LaneState* lane, const Line1992& line, uint64_t number) {
    if (line.record == kEventEntry || line.record == kEventExit) {
        const EventShape* shape = FindEvent(line.event);
        if (shape == nullptr && line.event < 0) ++sink_.file().unknown;
        if (shape != nullptr && shape->kind == EventKind::kTracing) return MarkEvent(lane, line);
        // Steps of one time are taken together.
        const uint64_t tick = TickOf(line.ns);
        if (tick != lane->tick || lane->steps.size() >= kMostSteps) Settle(lane);
        lane->tick = tick;
        Step step{line.record == kEventEntry,
                  static_cast<int32_t>(line.event),
                  {&sink_.file(), number, line.event_column},
                  {}};
        for (size_t i = 0; i < std::min<size_t>(line.count, kValues); ++i)
            step.values.at[step.values.count++] = line.values[i];
        lane->steps.push_back(step);
        return;
    }
    if (line.record == kEventMark) return MarkEvent(lane, line);
    if (line.record >= kReceiveStatistics && line.record <= kTimeStatistics) {
        for (auto& [key, other] : lanes_) {
            if (other->processor == line.processor) Settle(other.get());
        }
        return statistics_.Compare(line);
    }
    if (line.record == kEventLabel && line.event >= 0) {
        if (const std::string_view label = LabelOf(line); !label.empty())
            names_[line.event] = sink_.KeepText(label);
        return;
    }
    if (!IsKnownRecord(line.record)) ++sink_.file().unknown;
}

void Reader1992::MarkEvent(LaneState* lane, const Line1992& line) {
    uint64_t name = NameOf(line.event);
    const bool is_text = line.event == kTraceMessageEvent && !line.data.empty();
    if (is_text) name = sink_.KeepText(line.data);
    if (line.event == kTracingEvent && line.record == kEventExit)
        name = sink_.writer().Text("tracing ends");
    if (line.record != kEventExit)
        statistics_.Count(line.processor, static_cast<int32_t>(line.event));
    double value = 0;
    if (!is_text) FirstNumber(line, &value);
    const uint64_t inside = lane->open.empty() ? 0 : lane->open.back().span;
    sink_.writer().Add(lane->lane, schema::Mark({TickOf(line.ns), inside}, name, value));
}

// Every exit of the innermost open event that waits; true if there was one.
bool Reader1992::LeaveInnermost(LaneState* lane, std::vector<Step>* steps) {
    bool any = false;
    for (size_t i = 0; i < steps->size() && !lane->open.empty();) {
        const Step step = (*steps)[i];
        if (step.is_entry || step.event != lane->open.back().event) {
            ++i;
            continue;
        }
        steps->erase(steps->begin() + static_cast<ptrdiff_t>(i));
        Leave(lane, step);
        any = true;
        i = 0;
    }
    return any;
}

void Reader1992::Settle(LaneState* lane) {
    if (lane->steps.empty()) return;
    if (lane->steps.size() == 1) {
        const Step step = lane->steps.front();
        lane->steps.clear();
        return step.is_entry ? Enter(lane, step) : Leave(lane, step);
    }
    std::vector<Step> steps = std::move(lane->steps);
    lane->steps.clear();
    LeaveInnermost(lane, &steps);
    while (!steps.empty()) {
        const Step step = steps.front();
        steps.erase(steps.begin());
        if (!step.is_entry) {
            Leave(lane, step);
            continue;
        }
        Enter(lane, step);
        LeaveInnermost(lane, &steps);
    }
}

void Reader1992::Enter(LaneState* lane, const Step& step) {
    lane->open.push_back({lane->lane->NextSpan(), lane->tick, step.event, step.place, step.values});
    statistics_.Count(lane->processor, step.event);
}

void Reader1992::Leave(LaneState* lane, const Step& step) {
    size_t index = lane->open.size();
    while (index > 0 && lane->open[index - 1].event != step.event) --index;
    if (index == 0) {
        ++bad_exits_;
        sink_.Report(step.place, fmt::format("exit of event {} that was not entered", step.event));
        return;
    }
    --index;
    crossed_ += index + 1 != lane->open.size();
    const Open open = lane->open[index];
    lane->open.erase(lane->open.begin() + static_cast<ptrdiff_t>(index));
    // What is still open and began before encloses it.
    const uint64_t parent = index == 0 ? 0 : lane->open[index - 1].span;
    const uint64_t end = std::max(lane->tick, open.begin);
    statistics_.AddTime(lane->processor, open.event, static_cast<int64_t>(end - open.begin));
    WriteSpan(lane, open,
              schema::SpanHead(open.begin, end, open.span,
                               static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                               schema::SpanFlags{}),
              step.values);
}

template <typename Record>
void Reader1992::Put(LaneState* lane, const Record& record, bool is_open) {
    if (is_open) {
        sink_.writer().AddOpen(lane->lane, record);
    } else {
        sink_.writer().Add(lane->lane, record);
    }
}

uint64_t Reader1992::NewRequest(LaneState* lane, bool is_receive, int64_t number) {
    const uint64_t request = ++lane->last_request;
    lane->requests[{is_receive, number}] = request;
    return request;
}

void Reader1992::Complete(LaneState* lane, bool is_receive, int64_t number,
                          const schema::SpanHead& head, const Values& exit) {
    const auto found = lane->requests.find({is_receive, number});
    if (found == lane->requests.end()) return;
    const uint64_t request = found->second;
    lane->requests.erase(found);
    const int32_t source = is_receive ? Narrow(exit.Get(2, kNone)) : kNoNumber;
    sink_.writer().Add(
        lane->lane,
        schema::ImportCompletion(
            {head.end(), head.span()}, request, is_receive ? BytesOf(exit.Get(0, -1)) : kNoBytes,
            source, source, is_receive ? Narrow(exit.Get(1, kNone)) : kNoNumber,
            is_receive ? schema::MpiRequestKind::receive : schema::MpiRequestKind::send,
            schema::MpiCompletionFlags{}));
}

void Reader1992::WriteSpan(LaneState* lane, const Open& open, const schema::SpanHead& head,
                           const Values& exit) {
    const bool is_open = head.end() == 0;
    const EventShape* shape = FindEvent(open.event);
    const EventKind kind = shape == nullptr ? EventKind::kState : shape->kind;
    const uint64_t name = NameOf(open.event);
    const Values& in = open.values;
    switch (kind) {
        case EventKind::kSend:
        case EventKind::kIsend: {
            const int32_t to = in.Get(2, 0) < 0 ? kProcNull : Narrow(in.Get(2, kNone));
            uint64_t request = 0;
            if (kind == EventKind::kIsend && exit.count > 0)
                request = NewRequest(lane, false, exit.at[0]);
            statistics_.AddSent(lane->processor, open.event, std::max<int64_t>(0, in.Get(0, 0)));
            return Put(lane,
                       schema::ImportPointToPoint(head, name, CommOf(in.Get(3, kNone)),
                                                  BytesOf(in.Get(0, -1)), request,
                                                  Narrow(in.Get(1, kNone)), to, to, open.event,
                                                  shape->function, shape->category),
                       is_open);
        }
        case EventKind::kIrecv: {
            // Some writers say (bytes tag self).
            const int32_t from = in.count < 2 ? kAnySource : SourceOf(in.at[1]);
            const int32_t tag = in.count == 0 ? kAnyTag : TagOf(in.at[0]);
            uint64_t request = 0;
            if (exit.count > 0) request = NewRequest(lane, true, exit.at[0]);
            return Put(lane,
                       schema::ImportPointToPoint(head, name, CommOf(in.Get(2, kNone)), kNoBytes,
                                                  request, tag, from, from, open.event,
                                                  shape->function, shape->category),
                       is_open);
        }
        case EventKind::kRecv: {
            const int32_t posted = in.count < 2 ? kAnySource : SourceOf(in.at[1]);
            const int32_t posted_tag = in.count == 0 ? kAnyTag : TagOf(in.at[0]);
            const int32_t from = exit.count < 3 ? posted : Narrow(exit.at[2]);
            const int32_t tag = exit.count < 2 ? posted_tag : Narrow(exit.at[1]);
            statistics_.AddReceived(lane->processor, open.event,
                                    std::max<int64_t>(0, exit.Get(0, 0)));
            return Put(lane,
                       schema::ImportReceive(head, name, CommOf(in.Get(2, exit.Get(3, kNone))),
                                             BytesOf(exit.Get(0, -1)), tag, from, from, posted_tag,
                                             posted, open.event, shape->function, shape->category),
                       is_open);
        }
        case EventKind::kSendEnd:
        case EventKind::kRecvEnd: {
            const bool is_receive = kind == EventKind::kRecvEnd;
            const int64_t number = in.Get(0, kNone);
            const auto found = lane->requests.find({is_receive, number});
            const uint64_t request = found == lane->requests.end() ? 0 : found->second;
            Put(lane,
                schema::ImportCall(head, name, request, open.event, shape->function,
                                   shape->category),
                is_open);
            if (is_open) return;
            if (is_receive) {
                statistics_.AddReceived(lane->processor, open.event,
                                        std::max<int64_t>(0, exit.Get(0, 0)));
            }
            return Complete(lane, is_receive, number, head, exit);
        }
        case EventKind::kTest:
        case EventKind::kCall:
            return Put(
                lane,
                schema::ImportCall(head, name, 0, open.event, shape->function, shape->category),
                is_open);
        case EventKind::kBarrier:
        case EventKind::kRooted:
        case EventKind::kAll: {
            const bool rooted = kind == EventKind::kRooted;
            const bool barrier = kind == EventKind::kBarrier;
            const int64_t subset = in.Get(barrier ? 0 : rooted ? 2 : 1, kNone);
            const int32_t root = rooted && in.Get(1, -1) >= 0 ? Narrow(in.at[1]) : kNoNumber;
            return Put(lane,
                       schema::ImportCollective(
                           head, name, CommOf(subset), barrier ? 0 : BytesOf(in.Get(0, -1)),
                           // Of a call of all to all MPICL has the subset alone.
                           barrier ? 0 : BytesOf(exit.Get(rooted ? 0 : 1, -1)), root, open.event,
                           shape->function, shape->category),
                       is_open);
        }
        case EventKind::kState:
        case EventKind::kTracing:
            break;
    }
    Put(lane,
        schema::ImportState(head, name, open.event,
                            open.event >= 0    ? ImportCategory::user
                            : shape == nullptr ? ImportCategory::other
                                               : shape->category),
        is_open);
}

void Reader1992::Finish() {
    OpenEnds never_ended;
    for (auto& [key, lane] : lanes_) {
        Settle(lane.get());
        for (const Open& open : lane->open) {
            never_ended.Add(open.place);
            WriteSpan(lane.get(), open,
                      schema::SpanHead(open.begin, 0, open.span, 0, schema::SpanFlags{}), {});
        }
        lane->open.clear();
    }
    never_ended.Tell(&sink_, "state");
    if (bad_exits_ > 0)
        sink_.file().remarks.push_back(
            core::Plural(bad_exits_, "exit without an entry", "exits without an entry"));
    if (crossed_ > 0)
        sink_.file().remarks.push_back(core::Plural(crossed_,
                                                    "state ends in another order than it nests",
                                                    "states end in another order than they nest"));
    const std::string sums = statistics_.Summary();
    if (!sums.empty()) sink_.file().remarks.push_back(sums);
}

}  // namespace comshu::format::picl
