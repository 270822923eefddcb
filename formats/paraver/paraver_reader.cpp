#include "paraver/paraver_reader.h"

#include <charconv>
#include <string>

#include <fmt/core.h>

#include "paraver/mpi_events.h"

namespace comshu::format::paraver {
namespace {

constexpr int64_t kMostTasks = int64_t{1} << 24;
constexpr int64_t kMostThreads = 65536;
constexpr int64_t kMostTime = int64_t{4'000'000'000} * 1'000'000'000;

enum RecordType : int64_t { kState = 1, kEvent = 2, kMessage = 3 };

// Fields in front of what is of one kind of record.
constexpr size_t kStateFields = 8;
constexpr size_t kEventFields = 6;
constexpr size_t kMessageFields = 15;

// A communicator of the file in the numbers of a capture.
constexpr uint64_t kCommBase = 0x9a2'0000'0000ULL;
// Behind the numbers of communicators.
constexpr uint32_t kFirstOrder = 0x8000'0000;

bool IsMpiType(int64_t type) {
    return type >= kPointToPointType && type <= kFileType;
}

// What a function of MPI does; -1: none.
struct Moves {
    bool sends = false;
    bool receives = false;
    bool starts = false;  // For another call to complete.
};
Moves MovesOf(int32_t function) {
    if (function < 0) return {};
    const std::string_view name =
        schema::EnumNameMpiFunction(static_cast<schema::MpiFunction>(function));
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    const bool starts = name.starts_with("MPI_Start");
    if (name.ends_with("_init")) return {};
    return {starts || has("send") || has("Send"), starts || has("recv") || has("Recv"),
            starts || name.starts_with("MPI_I")};
}

}  // namespace

ParaverReader::ParaverReader(TraceSink* sink, const PcfNames* names)
    : sink_(*sink),
      names_of_file_(names),
      is_ours_(names != nullptr && names->Type(kRootType) != nullptr),
      send_name_(sink->writer().Text("send")),
      receive_name_(sink->writer().Text("recv")),
      wait_name_(sink->writer().Text("wait")) {}

// #Paraver (date at time):end_unit:nodes(cpus):applications:tasks(threads:node,..),..[,comms]:...
void ParaverReader::Header(std::string_view text, uint64_t number) {
    const size_t date_end = text.find("):");
    std::string_view rest = date_end == text.npos ? std::string_view() : text.substr(date_end + 2);
    const size_t colon = rest.find(':');
    if (colon == rest.npos)
        return sink_.Report(number, 0, "the header is not whole: times are taken as microseconds");
    const std::string_view length = rest.substr(0, colon);
    unit_ns_ = length.ends_with("_ns")   ? 1
               : length.ends_with("_us") ? 1000
               : length.ends_with("_ms") ? 1'000'000
                                         : 1000;
    rest.remove_prefix(colon + 1);
    // Behind the nodes, which may name their processors in brackets, the applications.
    const size_t nodes_end = rest.starts_with("0") ? rest.find(':') : rest.find("):");
    if (nodes_end == rest.npos) return;
    rest.remove_prefix(nodes_end + (rest[nodes_end] == ')' ? 2 : 1));
    const size_t count_end = rest.find(':');
    if (count_end == rest.npos) return;
    rest.remove_prefix(count_end + 1);
    int64_t application = 1;
    int64_t before = 0;
    while (!rest.empty()) {
        int64_t tasks = 0;
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), tasks);
        if (code != std::errc() || tasks < 0 || tasks > kMostTasks) return;
        tasks_before_[application++] = before;
        before += tasks;
        tasks_ = before;
        const size_t close = rest.find(')');
        if (close == rest.npos) return;
        const size_t next = rest.find(':', close);
        if (next == rest.npos) return;
        rest.remove_prefix(next + 1);
    }
}

bool ParaverReader::Fields(std::string_view text, uint64_t number) {
    fields_.clear();
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at <= end) {
        int64_t value = 0;
        const auto [rest, code] = std::from_chars(at, end, value);
        if (code != std::errc() || (rest != end && *rest != ':')) {
            sink_.Illegal(number, static_cast<uint32_t>(at - text.data()) + 1,
                          "a number is expected");
            return false;
        }
        fields_.push_back(value);
        at = rest + 1;
    }
    return true;
}

bool ParaverReader::PlaceAt(size_t index, Place* place, uint64_t number) {
    *place = {fields_[index], fields_[index + 1], fields_[index + 2]};
    const auto fits = [](int64_t value) { return value >= 1 && value <= kMostTasks; };
    if (fits(place->application) && fits(place->task) && fits(place->thread) &&
        place->thread <= kMostThreads)
        return true;
    sink_.Illegal(
        number, 0,
        fmt::format("there is no thread {}.{}.{}", place->application, place->task, place->thread));
    return false;
}

int32_t ParaverReader::RankOf(const Place& place) const {
    const auto before = tasks_before_.find(place.application);
    const int64_t base = before == tasks_before_.end() ? 0 : before->second;
    return static_cast<int32_t>(base + place.task - 1);
}

ParaverReader::LaneState* ParaverReader::GetLane(const Place& place) {
    const int32_t rank = RankOf(place);
    LaneState& state = lanes_[{rank, place.thread}];
    if (state.lane == nullptr) {
        state.lane = std::make_unique<StackedLane>(
            &sink_, sink_.writer().GetLane(rank, static_cast<uint32_t>(place.thread - 1)));
        sink_.writer().NameRank(rank, fmt::format("task {}.{}", place.application, place.task));
        sink_.writer().NameThread(
            state.lane->lane(),
            fmt::format("thread {}.{}.{}", place.application, place.task, place.thread));
    }
    return &state;
}

void ParaverReader::Line(std::string_view text, uint64_t number) {
    if (text.empty()) return;
    if (text.starts_with("#Paraver")) return Header(text, number);
    if (text.starts_with('#')) return;
    if (text.starts_with("c:")) return Communicator(text.substr(2), number);
    if (!Fields(text, number)) return;
    const int64_t type = fields_[0];
    const size_t needed = type == kState     ? kStateFields
                          : type == kEvent   ? kEventFields + 2
                          : type == kMessage ? kMessageFields
                                             : 1;
    if (fields_.size() < needed)
        return sink_.Illegal(
            number, static_cast<uint32_t>(text.size()) + 1,
            fmt::format("{} fields are there, {} are needed", fields_.size(), needed));
    ++sink_.file().records;
    if (type < kState || type > kMessage) {
        ++sink_.file().unknown;
        return;
    }
    Place place;
    Place other;
    if (!PlaceAt(2, &place, number)) return;
    if (type == kMessage && !PlaceAt(8, &other, number)) return;
    for (const size_t i : {size_t{5}, size_t{6}, size_t{11}, size_t{12}}) {
        const bool is_time = i == 5 || (type != kEvent && i == 6) || (type == kMessage && i > 6);
        if (is_time && i < fields_.size() &&
            (fields_[i] > kMostTime / unit_ns_ || fields_[i] < -kMostTime / unit_ns_))
            return sink_.Illegal(number, 0, "a time of more than a century");
    }
    if (type == kState) {
        State();
    } else if (type == kEvent) {
        Events(place, number);
    } else {
        Message(place, other);
    }
}

// 1:cpu:application:task:thread:begin:end:state
void ParaverReader::State() {
    const int64_t state = fields_[7];
    // What runs is what is in no call; the states of our own traces are those of calls, which events tell of.
    bad_states_ += fields_[6] < fields_[5];
    if (state == kRunning || is_ours_ || fields_[6] <= fields_[5]) return;
    LaneState* lane = GetLane({fields_[2], fields_[3], fields_[4]});
    uint64_t& name = names_[-1 - state];
    if (name == 0) {
        const bool known = state >= 0 && state < static_cast<int64_t>(std::size(kStates));
        const std::string* given =
            names_of_file_ == nullptr ? nullptr : names_of_file_->State(state);
        name = sink_.KeepText(given != nullptr ? *given
                              : known          ? std::string(kStates[state])
                                               : fmt::format("state {}", state));
    }
    Lane* out = lane->lane->lane();
    sink_.SeeTime(Ns(fields_[5]));
    sink_.SeeTime(Ns(fields_[6]));
    // A record holds both ends, so it never waits on a stack.
    sink_.writer().Add(out, schema::ImportState({TickOf(Ns(fields_[5])), TickOf(Ns(fields_[6])),
                                                 out->NextSpan(), 0, schema::SpanFlags{}},
                                                name, kNoNumber, schema::ImportCategory::user));
}

// application:number:members:member...
void ParaverReader::Communicator(std::string_view text, uint64_t number) {
    if (!Fields(text, number)) return;
    if (fields_.size() < 3)
        return sink_.Illegal(number, 0, "a communicator without number and members");
    // Of the same members as the first others may be: duplicates, with operations of their own.
    if (world_ == 0 && fields_[2] == tasks_ && tasks_before_.size() <= 1) world_ = fields_[1];
}

uint64_t ParaverReader::CommId(int64_t comm) const {
    return comm == world_ ? CaptureWriter::kWorld : kCommBase | static_cast<uint32_t>(comm);
}

// 2:cpu:application:task:thread:time:type:value[:type:value]...
void ParaverReader::Events(const Place& place, uint64_t number) {
    LaneState* state = GetLane(place);
    const int64_t ns = Ns(fields_[5]);
    Settle(state, ns);
    const auto each = [&](auto visit) {
        for (size_t i = kEventFields; i + 1 < fields_.size(); i += 2)
            visit(fields_[i], fields_[i + 1]);
    };
    // Calls first: what else stands in the line may be of them.
    each([&](int64_t type, int64_t value) {
        if (IsMpiType(type)) Call(state, ns, type, value, number);
    });
    each([&](int64_t type, int64_t value) {
        if (IsMpiType(type) || OfCollective(state, type, value)) return;
        const bool has_names = names_of_file_ != nullptr && names_of_file_->Type(type) != nullptr;
        if (type == kRegionType && has_names) return Region(state, ns, value, number);
        without_names_ += !has_names;
        uint64_t& name = names_[type];
        if (name == 0) {
            name = sink_.KeepText(has_names ? *names_of_file_->Type(type)
                                            : fmt::format("type {}", type));
        }
        state->lane->Count(ns, name, static_cast<double>(value));
    });
}

void ParaverReader::Call(LaneState* state, int64_t ns, int64_t type, int64_t value,
                         uint64_t number) {
    if (const auto open = state->open.find(type); open != state->open.end()) {
        const auto [first, last] = state->started.equal_range(ns);
        for (auto it = first; it != last; ++it)
            state->lane->Complete({ns, it->second->request, true, false, it->second->message},
                                  wait_name_);
        state->started.erase(first, last);
        state->lane->Leave(ns, open->second);
        state->open.erase(open);
    } else if (value == 0) {
        sink_.Report(number, 0, fmt::format("a call of type {} ends that has not begun", type));
    }
    if (value == 0) return;
    const MpiEvent* event = FindMpiEvent(type, value);
    const std::string* given =
        names_of_file_ == nullptr ? nullptr : names_of_file_->Value(type, value);
    const std::string name = event != nullptr   ? event->name
                             : given != nullptr ? *given
                                                : fmt::format("MPI call {}", value);
    StateKind kind;
    kind.key = ++state->states;
    kind.name = sink_.KeepText(name);
    kind.function = MpiFunctionNumber(name);
    const bool is_known = kind.function >= 0;
    if (!is_known) kind.function = static_cast<int32_t>(schema::MpiFunction::MPI_Pcontrol);
    kind.category = CategoryOfMpi(name);
    state->lane->Enter(ns, kind, {&sink_.file(), number, 0});
    state->open[type] = kind.key;
    state->has_calls |= type == kPointToPointType;
    const auto coming = state->receives.lower_bound(ns);  // The first one of that time.
    if (coming != state->receives.end() && coming->first == ns &&
        ReceiveInCall(state, ns, coming->second))
        state->receives.erase(coming);
    if (type != kCollectiveType || !is_known) return;
    StackedLane::Collective collective;
    collective.function = static_cast<schema::MpiFunction>(kind.function);
    state->lane->Collect(collective);
}

// A value begins a region of that number, 0 ends the innermost.
void ParaverReader::Region(LaneState* state, int64_t ns, int64_t value, uint64_t number) {
    if (value == 0) {
        if (state->regions.empty())
            return sink_.Report(number, 0, "a region ends that has not begun");
        state->lane->Leave(ns, state->regions.back());
        state->regions.pop_back();
        return;
    }
    uint64_t& name = region_names_[value];
    if (name == 0) {
        const std::string* given = names_of_file_->Value(kRegionType, value);
        name = sink_.KeepText(given == nullptr ? fmt::format("region {}", value) : *given);
    }
    StateKind kind;
    kind.key = ++state->states;
    kind.name = name;
    state->lane->Enter(ns, kind, {&sink_.file(), number, 0});
    state->regions.push_back(kind.key);
}

// What stands beside the beginning of a collective; false: it is no such event, or there is none.
bool ParaverReader::OfCollective(LaneState* state, int64_t type, int64_t value) {
    if (type != kRootType && (type < kSentType || type > kCommType)) return false;
    StackedLane::Collective* const open = state->lane->OpenCollective();
    if (open == nullptr || value < 0) return false;
    if (type == kSentType) open->sent = static_cast<uint64_t>(value);
    if (type == kReceivedType) open->received = static_cast<uint64_t>(value);
    if (type == kCommType) open->comm = CommId(value);
    if (type == kRootType && value >= 1 && value <= INT32_MAX)
        open->root = static_cast<int32_t>(value - 1);
    return true;
}

StackedLane::Message ParaverReader::MessageTo(const Place& peer) const {
    StackedLane::Message message;
    message.peer = RankOf(peer);
    message.bytes = fields_[13] < 0 ? kNoBytes : static_cast<uint64_t>(fields_[13]);
    message.tag = fields_[14] > INT32_MAX || fields_[14] < INT32_MIN
                      ? kNoNumber
                      : static_cast<int32_t>(fields_[14]);
    return message;
}

void ParaverReader::WriteSend(const Place& from, int64_t ns, const StackedLane::Message& message) {
    Lane* out = GetLane(from)->lane->lane();
    const schema::SpanHead head(TickOf(ns), TickOf(ns), out->NextSpan(), 0, schema::SpanFlags{});
    sink_.writer().Add(out, schema::ImportPointToPoint(
                                head, send_name_, message.comm, message.bytes, 0, message.tag,
                                message.peer, message.peer, kNoNumber,
                                schema::MpiFunction::MPI_Send, schema::ImportCategory::p2p));
}

bool ParaverReader::ReceiveInCall(LaneState* state, int64_t ns, const Coming& coming) {
    const Moves moves = MovesOf(state->lane->CallThatBegan(ns));
    if (!moves.receives) return false;
    if (!moves.starts) {
        state->lane->Receive(ns, coming.message, receive_name_);
        return true;
    }
    const auto started = std::make_shared<StackedLane::Started>();
    started->request = sink_.NextRequest();
    started->is_receive = started->is_known = true;
    started->message = coming.message;
    state->lane->Start(ns, started, receive_name_);
    state->started.emplace(coming.end_ns, started);
    return true;
}

// Of a call that no event tells of, or that has ended: it started what another one completes.
void ParaverReader::WriteReceive(LaneState* state, int64_t ns, const Coming& coming) {
    const StackedLane::Message& message = coming.message;
    if (state->has_calls && coming.end_ns > ns) {
        const auto started = std::make_shared<StackedLane::Started>();
        started->request = sink_.NextRequest();
        started->is_receive = started->is_known = true;
        started->message = message;
        state->lane->StartApart(ns, started, receive_name_);
        state->started.emplace(coming.end_ns, started);
        return;
    }
    Lane* out = state->lane->lane();
    const schema::SpanHead head(TickOf(ns), TickOf(coming.end_ns), out->NextSpan(), 0,
                                schema::SpanFlags{});
    sink_.writer().Add(
        out, schema::ImportReceive(head, receive_name_, message.comm, message.bytes, message.tag,
                                   message.peer, message.peer, message.tag, message.peer, kNoNumber,
                                   schema::MpiFunction::MPI_Recv, schema::ImportCategory::p2p));
}

void ParaverReader::Settle(LaneState* state, int64_t ns) {
    while (!state->receives.empty() && state->receives.begin()->first < ns) {
        const auto first = state->receives.begin();
        WriteReceive(state, first->first, first->second);
        state->receives.erase(first);
    }
    while (!state->started.empty() && state->started.begin()->first < ns) {
        const auto first = state->started.begin();
        const StackedLane::Started& started = *first->second;
        state->lane->CompleteApart({first->first, started.request, true, false, started.message},
                                   wait_name_);
        state->started.erase(first);
    }
}

// Messages come in the order in which they were sent. The first order whose last message was received before
// this one takes it.
uint64_t ParaverReader::CommOfMessage(int32_t from, const StackedLane::Message& message,
                                      int64_t receive_ns) {
    std::vector<int64_t>& received = orders_[{from, message.peer, message.tag}];
    const auto order = std::lower_bound(received.begin(), received.end(), receive_ns,
                                        [](int64_t last, int64_t ns) { return last > ns; });
    const auto number = static_cast<uint32_t>(order - received.begin());
    if (order == received.end())
        received.push_back(receive_ns);
    else
        *order = receive_ns;
    if (number == 0) return CaptureWriter::kWorld;
    ++crossing_;
    return kCommBase | (kFirstOrder + number);
}

// 3:from(4):logical:physical:to(4):logical:physical:size:tag
void ParaverReader::Message(const Place& from, const Place& to) {
    const int64_t send_ns = Ns(fields_[5]);
    const int64_t receive_ns = Ns(fields_[11]);
    const int64_t end_ns = std::max(receive_ns, Ns(fields_[12]));
    for (const int64_t ns : {send_ns, receive_ns, end_ns}) sink_.SeeTime(ns);
    const StackedLane& sender = *GetLane(from)->lane;
    StackedLane::Message sent = MessageTo(to);
    sent.comm = CommOfMessage(RankOf(from), sent, receive_ns);
    if (sender.OpenFunction() >= 0 && MovesOf(sender.CallThatBegan(send_ns)).sends) {
        GetLane(from)->lane->Send(send_ns, sent, send_name_);
    } else {
        WriteSend(from, send_ns, sent);
    }
    LaneState* const receiver = GetLane(to);
    Coming coming{end_ns, MessageTo(from)};
    coming.message.comm = sent.comm;
    if (ReceiveInCall(receiver, receive_ns, coming)) return;
    if (receive_ns >= send_ns) {
        receiver->receives.emplace(receive_ns, coming);
    } else {
        WriteReceive(receiver, receive_ns, coming);
    }
}

void ParaverReader::Finish() {
    OpenEnds never_ended;
    for (auto& [key, state] : lanes_) {
        Settle(&state, INT64_MAX);
        state.lane->Finish(&never_ended);
    }
    never_ended.Tell(&sink_, "call");
    if (bad_states_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_states_, "state ends before it begins: left out",
                                  "states end before they begin: left out"));
    if (crossing_ > 0)
        sink_.file().remarks.push_back(core::Plural(
            crossing_,
            "message is received before one that was sent earlier: as over another communicator",
            "messages are received before ones that were sent earlier: as over other "
            "communicators"));
    if (without_names_ > 0)
        sink_.file().remarks.push_back(
            core::Plural(without_names_, "event of a type that no .pcf beside it names: a counter",
                         "events of types that no .pcf beside it names: counters"));
    if (names_of_file_ != nullptr && names_of_file_->cut())
        sink_.Report(0, 0, "names left out: the .pcf has more than 64 MiB of them");
}

}  // namespace comshu::format::paraver
