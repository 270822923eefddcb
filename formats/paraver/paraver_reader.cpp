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

bool IsMpiType(int64_t type) {
    return type >= kPointToPointType && type <= kFileType;
}

}  // namespace

ParaverReader::ParaverReader(TraceSink* sink, const PcfNames* names)
    : sink_(*sink),
      names_of_file_(names),
      send_name_(sink->writer().Text("send")),
      receive_name_(sink->writer().Text("recv")) {}

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

int32_t ParaverReader::RankOf(const Place& place) {
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
    // What runs is what is in no call.
    bad_states_ += fields_[6] < fields_[5];
    if (state == kRunning || fields_[6] <= fields_[5]) return;
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
    state->lane->Enter(ns, kind);
    state->open[type] = kind.key;
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
    state->lane->Enter(ns, kind);
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

// 3:from(4):logical:physical:to(4):logical:physical:size:tag. What it stands beside are lines of
// another time, so both sides are calls without length.
void ParaverReader::Message(const Place& from, const Place& to) {
    StackedLane::Message message;
    message.bytes = fields_[13] < 0 ? kNoBytes : static_cast<uint64_t>(fields_[13]);
    message.tag = fields_[14] > INT32_MAX || fields_[14] < INT32_MIN
                      ? kNoNumber
                      : static_cast<int32_t>(fields_[14]);
    const auto write = [&](const Place& place, const Place& peer, int64_t time, bool sends) {
        Lane* out = GetLane(place)->lane->lane();
        const int64_t ns = Ns(time);
        sink_.SeeTime(ns);
        const schema::SpanHead head(TickOf(ns), TickOf(ns), out->NextSpan(), 0,
                                    schema::SpanFlags{});
        const int32_t rank = RankOf(peer);
        if (sends) {
            sink_.writer().Add(
                out, schema::ImportPointToPoint(
                         head, send_name_, message.comm, message.bytes, 0, message.tag, rank, rank,
                         kNoNumber, schema::MpiFunction::MPI_Send, schema::ImportCategory::p2p));
        } else {
            sink_.writer().Add(
                out,
                schema::ImportReceive(head, receive_name_, message.comm, message.bytes, message.tag,
                                      rank, rank, message.tag, rank, kNoNumber,
                                      schema::MpiFunction::MPI_Recv, schema::ImportCategory::p2p));
        }
    };
    write(from, to, fields_[5], true);
    write(to, from, fields_[11], false);
}

void ParaverReader::Finish() {
    uint64_t never_ended = 0;
    for (auto& [key, state] : lanes_) never_ended += state.lane->Finish();
    if (never_ended > 0) sink_.Report(0, 0, NeverEnded(never_ended, "call"));
    if (bad_states_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_states_, "state ends before it begins: left out",
                                  "states end before they begin: left out"));
    if (without_names_ > 0)
        sink_.file().remarks.push_back(
            core::Plural(without_names_, "event of a type that no .pcf beside it names: a counter",
                         "events of types that no .pcf beside it names: counters"));
    if (names_of_file_ != nullptr && names_of_file_->cut())
        sink_.Report(0, 0, "names left out: the .pcf has more than 64 MiB of them");
}

}  // namespace comshu::format::paraver
