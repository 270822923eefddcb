// The views as PICL files of 1992.
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "communicators.h"
#include "comshu/read/external_sort.h"
#include "each_row.h"
#include "ordered_messages.h"
#include "picl/cancels_1992.h"
#include "picl/events_1992.h"
#include "picl/imported_marks.h"
#include "picl/line_writer.h"
#include "picl/view_writer.h"
#include "probed_messages.h"
#include "text/one_line.h"

namespace comshu::format::picl {
namespace {

constexpr int32_t kSendEvent = -21;
constexpr int32_t kIsendEvent = -27;
constexpr int32_t kReceiveEvent = -51;
constexpr int32_t kIrecvEvent = -57;

constexpr const char* k1992SpanSql = R"(SELECT rank, thread, span_id, begin_ns, end_ns,
    layer = 'mpi', coalesce(name, ''), peer, tag, bytes, root, comm FROM span)";
constexpr size_t k1992MessageColumns = 20;
constexpr const char* k1992MessageSql = R"(send_rank, span_thread(send_span), send_span,
    send_begin_ns, recv_rank, span_thread(recv_span), recv_span, recv_begin_ns, tag, bytes,
    coalesce(recv_bytes, bytes), span_thread(send_done_span), send_done_span, send_done_begin_ns,
    span_thread(recv_done_span), recv_done_span, recv_done_begin_ns,
    send_done_span <> send_span AND send_done_ns IS NOT NULL,
    recv_done_span <> recv_span AND recv_end_ns IS NOT NULL, comm)";
constexpr const char* k1992UnmatchedSql = R"(SELECT rank, span_thread(span_id), span_id, begin_ns,
    side = 'send', peer, tag, bytes, why IN ('cancelled', 'failed'), comm
FROM unmatched WHERE layer = 'mpi' ORDER BY ALL)";
constexpr const char* k1992CollectiveSql =
    R"(SELECT rank, span_thread(span_id), span_id, begin_ns, bytes_in, bytes_out, root, comm, name
FROM collective)";
constexpr const char* k1992MarkSql =
    "SELECT rank, thread, time_ns, coalesce(name, ''), value FROM mark";
// The program's own messages are calls without length.
constexpr const char* k1992NoticeSql =
    "SELECT rank, thread, time_ns, direction = 0, peer, tag, bytes FROM user_message ORDER BY ALL";

// At one time ends come before beginnings, inner ones first; what has no length stays together. What is known
// of a call, its messages, comes before its beginning.
struct Event1992 {
    enum class Order : int8_t { kStart, kEnd, kBegin, kMark, kStop };
    enum class Kind : uint8_t {
        kSends,
        kReceives,
        kReceived,
        kSent,
        kCollective,
        kEntry,
        kExit,
        kMark
    };
    static constexpr int32_t kNone = INT32_MIN;

    int64_t t;
    int32_t rank;
    int32_t thread;
    Order order;
    Kind kind;
    bool is_completed;  // Of what a call starts: another one completes it.
    bool is_cancelled;
    uint64_t span;
    uint64_t message;   // The same where it starts and is completed; of a mark, its data.
    int64_t bytes;      // -1: not known. Of a collective, what goes in; of a mark, its value.
    int64_t bytes_out;  // Of a collective.
    int32_t event;  // Of the format, or the number of a name; kNone: there is none for this call.
    int32_t peer;   // kNone: not known; tag and root likewise.
    int32_t tag;
    int32_t root;    // Of a mark, its record type.
    int32_t name;    // Of a call.
    int32_t subset;  // Its communicator.

    bool operator<(const Event1992& other) const {
        const auto head = [](const Event1992& e) {
            return std::tie(e.t, e.rank, e.thread, e.order);
        };
        if (head(*this) != head(other)) return head(*this) < head(other);
        if (span != other.span) return order == Order::kEnd ? span > other.span : span < other.span;
        const auto rest = [](const Event1992& e) {
            return std::tie(e.kind, e.message, e.root, e.event, e.bytes);
        };
        return rest(*this) < rest(other);
    }
};

// Problem: the format has an event for a send and for a receive, and calls of MPI do both at once, start
// many, or have other names. Idea: the sides of messages lead. A call with an event of its own takes the side
// that it is; every other side becomes an event inside the call: a send or receive as long as the call,
// or, where requests are started, a nonblocking one. Requests have numbers of their own here.
// Cost: what is sorted lies in files; in memory are calls that are open and requests under way.
class Writer1992 {
public:
    explicit Writer1992(const ViewExport& what) : what_(what), events_(what.space->folder()) {}

    bool Write(std::string* error) {
        for (const auto& [name, number] : what_.numbers) {
            Begin(-5, number, 0, -1, -1);
            std::string label = line_names_.Of(name);
            // Quotes around a label are no part of it.
            if (label.size() > 1 && label.front() == '"' && label.back() == '"')
                label = '"' + label + '"';
            what_.out->Print("1 1 {}\n", label);
        }
        if (!comms_.Load(what_.database, error)) return false;
        WriteSubsets();
        if (!Gather(error) || !events_.Visit([&](const Event1992& event) { Line(event); }, error))
            return false;
        Tell();
        return true;
    }

private:
    using Kind = Event1992::Kind;
    static constexpr int32_t kNone = Event1992::kNone;

    // What is to be said at the end of a call.
    struct OpenCall {
        bool is_left_out = false;
        int64_t request = 0;            // Of the event of its own.
        std::vector<Event1992> inside;  // Sends and receives that last as long.
        std::vector<Event1992> completes;
        // What it does, when it is a collective.
        std::optional<Event1992> collective;
    };

    void Tell() {
        ExportResult& result = *what_.result;
        for (const auto& [name, calls] : left_out_) {
            result.Say(calls, "call of " + name, "calls of " + name,
                       " left out: the format has no event for it");
        }
        for (const auto& [name, calls] : as_messages_) {
            result.Say(calls, "call of " + name, "calls of " + name,
                       " written as the messages in them alone");
        }
        result.Say(renamed_, "call has the name of MPICL", "calls have the names of MPICL",
                   ": send, recv, barrier, bcast");
        result.Say(of_nobody_, "nonblocking receive", "nonblocking receives",
                   " left out: from MPI_PROC_NULL, or its records were lost");
        result.Say(cancelled_, "send or receive", "sends and receives",
                   " left out: cancelled, or they failed");
        result.Say(without_call_, "side of a message", "sides of messages",
                   " left out: without the call");
        result.Say(lost_values_, "value of a mark left out or cut to a whole number",
                   "values of marks left out or cut to whole numbers");
        result.Say(lost_fields_, "field of a record left out", "fields of records left out");
        result.Say(named_comms_, "name of a communicator left out",
                   "names of communicators left out");
        result.Say(barrier_bytes_, "barrier has", "barriers have",
                   " bytes: left out, as the format has no place for them");
        probed_.TellMoved(&result);
        line_names_.Tell(&result);
    }

    // Who is in a communicator, for other readers.
    void WriteSubsets() {
        for (const Communicator& comm : comms_.all()) {
            if (comms_.IsWorld(comm.id)) continue;
            named_comms_ += !comm.name.empty();
            Begin(-202, -812, 0, -1, -1);
            what_.out->Print("{} 2 {}", comm.members.size() + 1, SubsetOf(comm.id));
            for (const int32_t rank : comm.members) what_.out->Print(" {}", rank);
            what_.out->Write("\n");
        }
        // So that numbers do not depend on which one comes first.
        for (const uint64_t comm : comms_.others()) SubsetOf(comm);
    }
    // The number of a communicator in the file; -1: all processors.
    int32_t SubsetOf(uint64_t comm) {
        if (comms_.IsWorld(comm)) return -1;
        return subsets_.try_emplace(comm, static_cast<int32_t>(subsets_.size())).first->second;
    }
    template <typename Row>
    int32_t SubsetAt(const Row& row, size_t column) {
        return row.IsNull(column) ? -1 : SubsetOf(row.Unsigned(column));
    }
    template <typename Row>
    static int64_t BytesAt(const Row& row, size_t column) {
        return row.IsNull(column) ? -1 : row.Integer(column);
    }

    bool Gather(std::string* error) {
        const auto each = [&](const char* sql, auto visit) {
            return EachRow(what_.database, sql, error, visit);
        };
        return each(k1992SpanSql, [&](const read::Query& row) { AddSpan(row); }) &&
               (!has_cancels_ || cancels_.Load(what_.database, error)) &&
               probed_.Load(what_.database, error) &&
               EachMessage<k1992MessageColumns>(what_.database, k1992MessageSql, "layer = 'mpi'",
                                                what_.space->folder(), error,
                                                [&](const auto& row, uint64_t number) {
                                                    messages_ = number;
                                                    AddMessage(row);
                                                }) &&
               each(k1992UnmatchedSql, [&](const read::Query& row) { AddUnmatched(row); }) &&
               each(k1992CollectiveSql, [&](const read::Query& row) { AddCollective(row); }) &&
               each(what_.source == PiclSource::kOld ? kOldMarksSql : k1992MarkSql,
                    [&](const read::Query& row) { AddMark(row); }) &&
               each(k1992NoticeSql, [&](const read::Query& row) {
                   Event1992 event = At(row, 2, Event1992::Order::kMark, Kind::kEntry);
                   event.span = ++notices_;
                   event.event = row.Integer(3) != 0 ? kSendEvent : kReceiveEvent;
                   event.name = NameOf(std::string(FindEvent(event.event)->name));
                   event.peer = Number(row, 4);
                   event.tag = Number(row, 5);
                   event.bytes = BytesAt(row, 6);
                   events_.Add(event);
                   event.kind = Kind::kExit;
                   events_.Add(event);
               });
    }

    static Event1992 At(const read::Query& row, size_t time, Event1992::Order order, Kind kind) {
        Event1992 event{};
        event.t = row.Integer(time);
        event.rank = static_cast<int32_t>(row.Integer(0));
        event.thread = static_cast<int32_t>(row.Integer(1));
        event.order = order;
        event.kind = kind;
        event.peer = event.tag = event.root = kNone;
        event.subset = event.bytes_out = -1;
        return event;
    }
    void AddMark(const read::Query& row) {
        Event1992 event = At(row, 2, Event1992::Order::kMark, Kind::kMark);
        event.root = kEventMark;
        if (what_.source != PiclSource::kOld) {
            event.event = static_cast<int32_t>(NumberOf(row.Text(3)));
            event.bytes = MarkOf(row.Real(4));
            return events_.Add(event);
        }
        const ImportedMark mark = MarkAs1992(row, what_.numbers);
        lost_fields_ += mark.lost;
        if (mark.record == 0) return;
        if (mark.order != ImportedMark::Order::kAmong) {
            event.order = mark.order == ImportedMark::Order::kFirst ? Event1992::Order::kStart
                                                                    : Event1992::Order::kStop;
        }
        event.root = static_cast<int32_t>(mark.record);
        event.event = static_cast<int32_t>(mark.event);
        event.bytes = mark.values[0];
        event.span = row.Unsigned(kMarkLineNumber);
        if (!mark.text.empty()) {
            const auto [found, is_new] =
                mark_data_numbers_.emplace(mark.text, mark_data_.size() + 1);
            if (is_new) mark_data_.push_back(&found->first);
            event.message = found->second;
        }
        events_.Add(event);
    }
    // A value is a whole number there.
    int64_t MarkOf(double value) {
        constexpr double kMost = 1e15;
        const bool fits = std::abs(value) <= kMost;
        lost_values_ += !fits || std::trunc(value) != value;
        return fits ? std::llround(value) : 0;
    }
    template <typename Row>
    static int32_t Number(const Row& row, size_t column) {
        return row.IsNull(column) ? kNone : static_cast<int32_t>(row.Integer(column));
    }
    int64_t NumberOf(const std::string& name) const {
        const auto found = what_.numbers.find(name);
        return found == what_.numbers.end() ? 0 : found->second;
    }
    int32_t NameOf(const std::string& name) {
        const auto [found, is_new] =
            name_numbers_.emplace(name, static_cast<int32_t>(names_.size()));
        if (is_new) names_.push_back(name);
        return found->second;
    }

    void AddSpan(const read::Query& row) {
        Event1992 event = At(row, 3, Event1992::Order::kBegin, Kind::kEntry);
        const std::string name = row.Text(6);
        event.span = row.Unsigned(2);
        event.name = NameOf(name);
        const bool is_call = row.Integer(5) != 0;
        has_cancels_ |= is_call && name == "MPI_Cancel";
        event.event = static_cast<int32_t>(EventByName(name));
        // A region of the program may have the name of a call.
        if (!is_call && event.event != 0 && KindOf(event.event) != EventKind::kState)
            event.event = 0;
        if (event.event == 0) event.event = is_call ? kNone : static_cast<int32_t>(NumberOf(name));
        event.bytes = BytesAt(row, 9);
        event.subset = SubsetAt(row, 11);
        event.peer = Number(row, 7);
        event.tag = Number(row, 8);
        event.root = Number(row, 10);
        events_.Add(event);
        if (row.IsNull(4)) return;
        event.order = row.Integer(4) == event.t ? Event1992::Order::kBegin : Event1992::Order::kEnd;
        event.t = row.Integer(4);
        event.kind = Kind::kExit;
        events_.Add(event);
    }
    // Of a receive that a matched probe has taken: it is started there.
    void AddProbe(const ProbedMessages::Probe& probe, int32_t rank, Event1992 event) {
        event.order = Event1992::Order::kBegin;
        event.kind = Kind::kReceives;
        event.rank = rank;
        event.thread = probe.thread;
        event.span = probe.span;
        event.t = probe.begin_ns;
        events_.Add(event);
    }
    // `at`: the column of the thread, and behind it those of the call and its beginning.
    template <typename Row>
    void AddSide(const Row& row, Kind kind, size_t rank, size_t at, Event1992 event) {
        event.order = Event1992::Order::kBegin;
        event.kind = kind;
        event.rank = static_cast<int32_t>(row.Integer(rank));
        event.thread = static_cast<int32_t>(row.Integer(at));
        event.span = row.Unsigned(at + 1);
        event.t = row.Integer(at + 2);
        events_.Add(event);
    }
    template <typename Row>
    void AddMessage(const Row& row) {
        Event1992 event{};
        event.message = messages_;
        event.tag = Number(row, 8);
        event.subset = SubsetAt(row, 19);
        event.peer = Number(row, 4);
        event.bytes = BytesAt(row, 9);
        const bool sent = row.Integer(17) != 0;
        const bool received = row.Integer(18) != 0;
        event.is_completed = sent;
        AddSide(row, Kind::kSends, 0, 1, event);
        if (sent) AddSide(row, Kind::kSent, 0, 11, event);
        event.peer = Number(row, 0);
        event.bytes = BytesAt(row, 10);
        const ProbedMessages::Probe* const probe = probed_.Find(row.Unsigned(6));
        event.is_completed = received || probe != nullptr;
        if (probe != nullptr) {
            AddProbe(*probe, static_cast<int32_t>(row.Integer(4)), event);
            return AddSide(row, Kind::kReceived, 4, 5, event);
        }
        AddSide(row, Kind::kReceives, 4, 5, event);
        if (received) AddSide(row, Kind::kReceived, 4, 14, event);
    }
    void AddCollective(const read::Query& row) {
        Event1992 event{};
        event.bytes = BytesAt(row, 4);
        event.bytes_out = BytesAt(row, 5);
        event.root = Number(row, 6);
        event.subset = SubsetAt(row, 7);
        barrier_bytes_ += row.Text(8) == "MPI_Barrier" && (event.bytes > 0 || event.bytes_out > 0);
        AddSide(row, Kind::kCollective, 0, 1, event);
    }
    void AddUnmatched(const read::Query& row) {
        Event1992 event{};
        event.message = ++messages_;
        event.peer = Number(row, 5);
        event.tag = Number(row, 6);
        event.bytes = BytesAt(row, 7);
        event.is_cancelled = row.Integer(8) != 0;
        event.subset = SubsetAt(row, 9);
        AddSide(row, row.Integer(4) != 0 ? Kind::kSends : Kind::kReceives, 0, 1, event);
    }

    void Line(Event1992 event) {
        const bool is_call = event.kind == Kind::kEntry || event.kind == Kind::kExit;
        if (has_cancels_ && is_call && names_[event.name] == "MPI_Cancel")
            event.event = cancels_.EventOf(event.span, event.event);
        switch (event.kind) {
            case Kind::kMark:
                Begin(event.root, event.event, event.t, event.rank, event.thread);
                if (event.message != 0)
                    return what_.out->Print("{}\n", *mark_data_[event.message - 1]);
                return event.bytes == 0 ? Data({}) : Data({event.bytes});
            case Kind::kEntry:
                return Enter(event);
            case Kind::kExit:
                return Exit(event);
            default:
                sides_.push_back(event);
        }
    }

    static bool IsNonblocking(const std::string& name) {
        return name.starts_with("MPI_Start") || name.starts_with("MPI_I") || name == "MPI_Mprobe";
    }
    static EventKind KindOf(int32_t event) {
        const EventShape* shape = FindEvent(event);
        return shape == nullptr ? EventKind::kState : shape->kind;
    }
    // By message and side: what completes it comes later.
    static uint64_t RequestKey(const Event1992& side) {
        const bool receives = side.kind == Kind::kReceives || side.kind == Kind::kReceived;
        return side.message * 2 + receives;
    }
    int64_t NewRequest(const Event1992& side) {
        const int64_t request = ++last_request_;
        if (side.is_completed) requests_.emplace(RequestKey(side), request);
        return request;
    }

    void Enter(const Event1992& call) {
        OpenCall open;
        const EventKind kind = KindOf(call.event);
        const bool starts = kind == EventKind::kIsend || kind == EventKind::kIrecv;
        const bool sends = kind == EventKind::kSend || kind == EventKind::kIsend;
        const bool receives = kind == EventKind::kRecv || kind == EventKind::kIrecv;
        const Event1992* own = nullptr;
        std::vector<Event1992> sides;
        sides.swap(sides_);
        std::vector<const Event1992*> others;
        for (const Event1992& side : sides) {
            if (side.span != call.span) {
                ++without_call_;
            } else if (side.kind == Kind::kCollective) {
                open.collective = side;
            } else if (side.kind == Kind::kReceived || side.kind == Kind::kSent) {
                if (requests_.contains(RequestKey(side))) open.completes.push_back(side);
            } else if (own == nullptr && (side.kind == Kind::kSends ? sends : receives)) {
                own = &side;
            } else {
                others.push_back(&side);
            }
        }
        open.is_left_out = call.event == kNone;
        const std::string& called = names_[call.name];
        if (call.event < 0 && !open.is_left_out) renamed_ += FindEvent(call.event)->name != called;
        if (starts) {
            // A receive that nothing can complete would stay open.
            const bool of_nobody = own == nullptr && receives;
            const bool cancelled = own != nullptr && own->is_cancelled;
            of_nobody_ += of_nobody;
            cancelled_ += cancelled;
            open.is_left_out = of_nobody || cancelled;
            if (!open.is_left_out)
                open.request = own == nullptr ? ++last_request_ : NewRequest(*own);
        }
        if (!open.is_left_out)
            Call(open.collective ? AtCall(*open.collective, call) : call, true, open.request);
        for (const Event1992* side : others) Inside(call, *side, &open);
        if (!open.completes.empty()) Complete(open.completes.front(), true, call);
        const bool has_messages = !others.empty() || !open.completes.empty();
        if (call.event == kNone) ++(has_messages ? as_messages_ : left_out_)[called];
        if (has_messages || open.is_left_out || starts || open.collective)
            open_.emplace(call.span, std::move(open));
    }
    // What is known of a collective, in the place of its call.
    static Event1992 AtCall(Event1992 collective, const Event1992& call) {
        collective.t = call.t;
        collective.event = call.event;
        return collective;
    }
    // A side for which the call has no event.
    void Inside(const Event1992& call, Event1992 side, OpenCall* open) {
        if (side.is_cancelled) {
            ++cancelled_;
            return;
        }
        const bool sends = side.kind == Kind::kSends;
        if (!IsNonblocking(names_[call.name])) {
            side.event = sends ? kSendEvent : kReceiveEvent;
            Call(side, true, 0);
            open->inside.push_back(side);
            return;
        }
        side.event = sends ? kIsendEvent : kIrecvEvent;
        const int64_t request = NewRequest(side);
        Call(side, true, request);
        Call(side, false, request);
    }
    void Exit(const Event1992& call) {
        const auto found = open_.find(call.span);
        if (found == open_.end()) return Call(call, false, 0);
        const OpenCall open = std::move(found->second);
        open_.erase(found);
        // The first takes as long as the call, the others follow at its end. Its exit stands first: of equal
        // events at one time, the first exit is that of the innermost.
        for (size_t i = 0; i < open.completes.size(); ++i) {
            if (i > 0) Complete(open.completes[i], true, call);
            Complete(open.completes[i], false, call);
            requests_.erase(RequestKey(open.completes[i]));
        }
        for (auto side = open.inside.rbegin(); side != open.inside.rend(); ++side) {
            Event1992 end = *side;
            end.t = call.t;
            Call(end, false, 0);
        }
        if (!open.is_left_out)
            Call(open.collective ? AtCall(*open.collective, call) : call, false, open.request);
    }
    void Complete(const Event1992& one, bool entry, const Event1992& at) {
        const bool receives = one.kind == Kind::kReceived;
        Begin(entry ? kEventEntry : kEventExit, receives ? -61 : -31, at.t, at.rank, at.thread);
        if (entry)
            Data({requests_.at(RequestKey(one))});
        else if (receives)
            Data({one.bytes, one.tag, one.peer});
        else
            Data({});
    }
    void Call(const Event1992& event, bool entry, int64_t request) {
        const auto number = [](int32_t value, int64_t missing) {
            return value == kNone ? missing : value;
        };
        const int64_t peer = number(event.peer, -2);
        const int64_t tag = number(event.tag, -1);
        Begin(entry ? kEventEntry : kEventExit, event.event, event.t, event.rank, event.thread);
        const int64_t subset = event.subset;
        const bool of_all = subset == -1;
        switch (KindOf(event.event)) {
            case EventKind::kSend:
            case EventKind::kIsend:
                if (entry && of_all) return Data({event.bytes, tag, peer});
                if (entry) return Data({event.bytes, tag, peer, subset});
                return KindOf(event.event) == EventKind::kSend ? Data({}) : Data({request});
            case EventKind::kIrecv: {
                const int64_t source = peer < 0 ? -2 : peer;
                if (!entry) return Data({request});
                return of_all ? Data({tag, source}) : Data({tag, source, subset});
            }
            case EventKind::kRecv:
                if (!entry) return Data({event.bytes, tag, peer});
                return of_all ? Data({tag, peer}) : Data({tag, peer, subset});
            case EventKind::kBarrier:
                return entry ? Data({subset}) : Data({});
            case EventKind::kRooted:
                return entry ? Data({event.bytes, number(event.root, -1), subset})
                             : Data({event.bytes_out});
            case EventKind::kAll:
                // MPICL has the subset alone.
                return entry ? Data({event.bytes, subset}) : Data({subset, event.bytes_out});
            default:
                return Data({});
        }
    }

    void Begin(int64_t record, int64_t event, int64_t t, int64_t rank, int64_t thread) {
        what_.out->Print("{} {} ", record, event);
        PrintSeconds(t, 9, what_.out);
        what_.out->Print(" {} {} ", rank, thread);
        ++what_.result->records;
    }
    void Data(std::initializer_list<int64_t> values) {
        constexpr int kInt = 2;
        what_.out->Print("{}", values.size());
        if (values.size() > 0) what_.out->Print(" {}", kInt);
        for (const int64_t value : values) what_.out->Print(" {}", value);
        what_.out->Write("\n");
    }

    const ViewExport& what_;
    read::ExternalSort<Event1992> events_;
    std::map<std::string, int32_t> name_numbers_;
    std::vector<std::string> names_;
    std::map<std::string, uint64_t> left_out_;
    uint64_t of_nobody_ = 0;
    uint64_t cancelled_ = 0;
    uint64_t without_call_ = 0;
    uint64_t messages_ = 0;
    uint64_t notices_ = 0;
    uint64_t renamed_ = 0;
    uint64_t lost_values_ = 0;
    uint64_t lost_fields_ = 0;
    uint64_t barrier_bytes_ = 0;
    bool has_cancels_ = false;
    Cancels1992 cancels_;
    ProbedMessages probed_;
    // Data of marks of an imported file that are more than a number; lines with these are in memory where
    // captures are read, too.
    std::map<std::string, uint64_t> mark_data_numbers_;
    std::vector<const std::string*> mark_data_;
    uint64_t named_comms_ = 0;
    std::map<std::string, uint64_t> as_messages_;
    LineNames line_names_;
    Communicators comms_;
    std::unordered_map<uint64_t, int32_t> subsets_;
    std::vector<Event1992> sides_;  // Of the call that begins next.
    std::unordered_map<uint64_t, OpenCall> open_;
    std::unordered_map<uint64_t, int64_t> requests_;
    int64_t last_request_ = 0;
};

}  // namespace

bool Write1992Views(const ViewExport& what, std::string* error) {
    return Writer1992(what).Write(error);
}

}  // namespace comshu::format::picl
