#include "alog/alog_reader.h"

#include <iterator>

#include <fmt/core.h>

#include "text/tokens.h"

namespace comshu::format::alog {
namespace {

enum EventType : int64_t {
    kSend = -101,
    kReceive = -102,
    kEventName = -9,
    kRollover = -11,
    kState = -13,
    kProcessName = -15,
    kLastHeader = -15,
};

constexpr int64_t kMostProcesses = int64_t{1} << 24;
constexpr int64_t kMostMicroseconds = 4'000'000'000'000'000;

// Of "colour:bitmap name with blanks" the name.
std::string_view StateName(std::string_view comment) {
    Tokens tokens(comment);
    tokens.Next();
    return tokens.done() ? comment : tokens.rest();
}

}  // namespace

AlogReader::AlogReader(TraceSink* sink)
    : sink_(*sink),
      send_name_(sink->writer().Text("send")),
      receive_name_(sink->writer().Text("recv")) {}

StackedLane* AlogReader::GetLane(int64_t process) {
    std::unique_ptr<StackedLane>& lane = lanes_[process];
    if (lane == nullptr) {
        const auto rank = static_cast<int32_t>(process);
        lane = std::make_unique<StackedLane>(&sink_, sink_.writer().GetLane(rank, 0));
        sink_.writer().NameRank(rank, fmt::format("process {}", process));
    }
    return lane.get();
}

void AlogReader::Line(std::string_view text, uint64_t number) {
    Tokens tokens(text);
    if (tokens.done()) return;
    Event event;
    int64_t* const fields[] = {&event.type, &event.process, &event.task,
                               &event.data, &event.cycle,   &event.time};
    uint32_t columns[std::size(fields) + 1] = {};
    for (size_t i = 0; i < std::size(fields); ++i) {
        columns[i] = tokens.column();
        int64_t* const field = fields[i];
        if (tokens.NextInteger(field)) continue;
        return sink_.Illegal(number, tokens.column(),
                             tokens.done()
                                 ? "the line ends before its six numbers"
                                 : fmt::format("{} is not a number", tokens.rest().substr(0, 40)));
    }
    const uint32_t column = columns[0];
    columns[std::size(fields)] = tokens.column();
    event.comment = tokens.rest();
    ++sink_.file().records;
    if (event.type < 0 && event.type >= kLastHeader) return Describe(event);
    if (event.process < 0 || event.process > kMostProcesses)
        return sink_.Illegal(number, columns[1],
                             fmt::format("there is no process {}", event.process));
    const int64_t rounds =
        rollover_ > 0 && event.cycle > 0 && event.cycle < kMostMicroseconds / rollover_
            ? event.cycle * rollover_
            : 0;
    if (event.time > kMostMicroseconds || event.time < -kMostMicroseconds)
        return sink_.Illegal(number, columns[5], "a time of more than a century");
    const int64_t ns = (rounds + event.time) * 1000;
    if (event.type == kSend || event.type == kReceive)
        return Message(event, ns, number,
                       event.data < 0 || event.data > kMostProcesses ? columns[3] : columns[6]);
    StackedLane* lane = GetLane(event.process);
    if (const auto begin = begins_.find(event.type); begin != begins_.end())
        return lane->Enter(ns, begin->second, {&sink_.file(), number, column});
    if (const auto end = ends_.find(event.type); end != ends_.end()) {
        if (!lane->Leave(ns, end->second))
            sink_.Report(number, column,
                         fmt::format("event {} ends a state that has not begun", event.type));
        return;
    }
    uint64_t& name = names_[event.type];
    if (name == 0) {
        name = sink_.KeepText(fmt::format("event {}", event.type));
        ++sink_.file().unknown;
    }
    lane->Mark(ns, name, static_cast<double>(event.data));
}

void AlogReader::Describe(const Event& event) {
    switch (event.type) {
        case kRollover:
            rollover_ = event.time > 0 ? event.time : event.data;
            return;
        case kEventName:
            names_[event.data] = sink_.KeepText(event.comment);
            return;
        case kState: {
            const std::string name(StateName(event.comment));
            StateKind kind;
            kind.key = static_cast<uint64_t>(event.data);
            kind.name = sink_.KeepText(name);
            kind.function = MpiFunctionNumber(name);
            if (kind.function >= 0) kind.category = CategoryOfMpi(name);
            begins_[event.task] = kind;
            ends_[event.data] = kind.key;
            return;
        }
        case kProcessName:
            if (event.process >= 0 && event.process <= kMostProcesses) {
                GetLane(event.process);
                sink_.writer().NameRank(static_cast<int32_t>(event.process),
                                        std::string(event.comment));
            }
            return;
        default:
            return;
    }
}

// The comment is "tag length", the data the other process.
void AlogReader::Message(const Event& event, int64_t ns, uint64_t number, uint32_t column) {
    Tokens words(event.comment);
    int64_t tag = 0;
    int64_t bytes = 0;
    if (!words.NextInteger(&tag) || !words.NextInteger(&bytes) || bytes < 0 || tag > INT32_MAX ||
        tag < INT32_MIN || event.data < 0 || event.data > kMostProcesses) {
        return sink_.Illegal(number, column, "a message without its tag, length or other process");
    }
    StackedLane::Message message;
    message.peer = static_cast<int32_t>(event.data);
    message.tag = static_cast<int32_t>(tag);
    message.bytes = static_cast<uint64_t>(bytes);
    StackedLane* lane = GetLane(event.process);
    if (event.type == kSend)
        lane->Send(ns, message, send_name_);
    else
        lane->Receive(ns, message, receive_name_);
}

void AlogReader::Finish() {
    OpenEnds never_ended;
    for (auto& [process, lane] : lanes_) lane->Finish(&never_ended);
    never_ended.Tell(&sink_, "state");
}

}  // namespace comshu::format::alog
