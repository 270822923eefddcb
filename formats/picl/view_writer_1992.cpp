// The views as PICL files of 1992.
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "comshu/core/count_text.h"
#include "comshu/schema/mpi_function_generated.h"
#include "each_row.h"
#include "external_sort.h"
#include "picl/events_1992.h"
#include "picl/line_writer.h"
#include "picl/view_writer.h"

namespace comshu::format::picl {
namespace {

constexpr const char* kSpanSql = R"(SELECT rank, thread, span_id, begin_ns, end_ns, layer = 'mpi',
    category = 'p2p', coalesce(name, ''), peer, tag, bytes, root, request FROM span)";
// What another call completes than the one that started it.
constexpr const char* kReceivedSql =
    R"(SELECT recv_rank, span_thread(recv_done_span), recv_done_span,
    recv_done_begin_ns, recv_span, send_rank, tag, recv_bytes FROM message
WHERE recv_done_span <> recv_span AND recv_end_ns IS NOT NULL)";
constexpr const char* kSentSql = R"(SELECT send_rank, span_thread(send_done_span), send_done_span,
    send_done_begin_ns, send_span FROM message
WHERE send_done_span <> send_span AND send_done_ns IS NOT NULL)";
constexpr const char* kMarkSql = "SELECT rank, thread, time_ns, coalesce(name, '') FROM mark";
// The program's own messages are calls without length.
constexpr const char* kNoticeSql =
    "SELECT rank, thread, time_ns, direction = 0, peer, tag, bytes FROM user_message";

// Events by the names of MPI, of MPICL and of the old format.
int64_t EventByName(const std::string& name) {
    static const std::unordered_map<std::string, int64_t> events = [] {
        std::unordered_map<std::string, int64_t> made;
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

// At one time ends come before beginnings, inner ones first; what has no length stays together. What a call
// completes follows its beginning.
struct Event {
    enum class Order : int8_t { kEnd, kBegin, kMark };
    enum class Kind : uint8_t { kEntry, kReceived, kSent, kExit, kMark };
    static constexpr int32_t kNone = INT32_MIN;

    int64_t t;
    int32_t rank;
    int32_t thread;
    Order order;
    Kind kind;
    bool starts_request;
    uint64_t span;
    int64_t request;  // Of what is completed: the call that started it.
    int64_t bytes;
    int32_t event;  // Of the format, or the number of a name; kNone: there is none for this call.
    int32_t peer;   // kNone: not known; tag and root likewise.
    int32_t tag;
    int32_t root;

    bool operator<(const Event& other) const {
        const auto head = [](const Event& e) { return std::tie(e.t, e.rank, e.thread, e.order); };
        if (head(*this) != head(other)) return head(*this) < head(other);
        if (span != other.span) return order == Order::kEnd ? span > other.span : span < other.span;
        return std::tie(kind, request) < std::tie(other.kind, other.request);
    }
};

class Writer1992 {
public:
    explicit Writer1992(const ViewExport& what) : what_(what), events_(what.space->folder()) {}

    bool Write(std::string* error) {
        for (const auto& [name, number] : what_.numbers) {
            Begin(-5, number, 0, -1, -1);
            what_.out->Print("1 1 {}\n", name);
        }
        if (!Gather(error) || !events_.Visit([&](const Event& event) { Line(event); }, error))
            return false;
        for (const auto& [name, calls] : left_out_) {
            what_.result->remarks.push_back(
                fmt::format("{} of {} left out: the format has no event for it",
                            core::Plural(calls, "call"), name));
        }
        return true;
    }

private:
    // A message that a call completes, and the call that started it.
    struct Completion {
        bool receives;
        uint64_t started;
        int64_t bytes;
        int64_t tag;
        int64_t peer;
    };

    bool Gather(std::string* error) {
        const auto each = [&](const char* sql, auto visit) {
            return EachRow(what_.database, sql, error, visit);
        };
        uint64_t notices = 0;
        return each(kSpanSql, [&](const read::Query& row) { AddSpan(row); }) &&
               each(kReceivedSql,
                    [&](const read::Query& row) {
                        AddCompletion(row, Event::Kind::kReceived, row.Integer(7),
                                      Number(row, 5, -2), Number(row, 6, -1));
                    }) &&
               each(kSentSql,
                    [&](const read::Query& row) {
                        AddCompletion(row, Event::Kind::kSent, 0, Event::kNone, Event::kNone);
                    }) &&
               each(kMarkSql,
                    [&](const read::Query& row) {
                        Event event = At(row, 2, Event::Order::kMark, Event::Kind::kMark);
                        event.event = static_cast<int32_t>(NumberOf(row.Text(3)));
                        events_.Add(event);
                    }) &&
               each(kNoticeSql, [&](const read::Query& row) {
                   Event event = At(row, 2, Event::Order::kMark, Event::Kind::kEntry);
                   event.span = ++notices;
                   event.event =
                       static_cast<int32_t>(EventByName(row.Integer(3) != 0 ? "send" : "recv"));
                   event.peer = Number(row, 4);
                   event.tag = Number(row, 5);
                   event.bytes = row.Integer(6);
                   events_.Add(event);
                   event.kind = Event::Kind::kExit;
                   events_.Add(event);
               });
    }

    static Event At(const read::Query& row, size_t time, Event::Order order, Event::Kind kind) {
        Event event{};
        event.t = row.Integer(time);
        event.rank = static_cast<int32_t>(row.Integer(0));
        event.thread = static_cast<int32_t>(row.Integer(1));
        event.order = order;
        event.kind = kind;
        event.peer = event.tag = event.root = Event::kNone;
        return event;
    }
    static int32_t Number(const read::Query& row, size_t column, int32_t missing = Event::kNone) {
        return row.IsNull(column) ? missing : static_cast<int32_t>(row.Integer(column));
    }
    int64_t NumberOf(const std::string& name) const {
        const auto found = what_.numbers.find(name);
        return found == what_.numbers.end() ? 0 : found->second;
    }

    void AddSpan(const read::Query& row) {
        Event event = At(row, 3, Event::Order::kBegin, Event::Kind::kEntry);
        const std::string name = row.Text(7);
        const bool is_mpi = row.Integer(5) != 0;
        event.span = row.Unsigned(2);
        event.event = static_cast<int32_t>(EventByName(name));
        if (event.event == 0 && is_mpi) {
            event.event = Event::kNone;
            ++left_out_[name];
        } else if (event.event == 0) {
            event.event = static_cast<int32_t>(NumberOf(name));
        }
        event.starts_request = !row.IsNull(12) && row.Integer(6) != 0;
        event.request = row.Integer(12);
        event.bytes = row.Integer(10);
        event.peer = Number(row, 8);
        event.tag = Number(row, 9);
        event.root = Number(row, 11);
        events_.Add(event);
        if (row.IsNull(4)) return;
        event.order = row.Integer(4) == event.t ? Event::Order::kBegin : Event::Order::kEnd;
        event.t = row.Integer(4);
        event.kind = Event::Kind::kExit;
        events_.Add(event);
    }
    void AddCompletion(const read::Query& row, Event::Kind kind, int64_t bytes, int32_t peer,
                       int32_t tag) {
        Event event = At(row, 3, Event::Order::kBegin, kind);
        event.span = row.Unsigned(2);
        event.request = row.Integer(4);
        event.bytes = bytes;
        event.peer = peer;
        event.tag = tag;
        events_.Add(event);
    }

    void Line(const Event& event) {
        switch (event.kind) {
            case Event::Kind::kMark:
                Begin(kEventMark, event.event, event.t, event.rank, event.thread);
                return Data({});
            case Event::Kind::kReceived:
            case Event::Kind::kSent: {
                std::vector<Completion>& all = completions_[event.span];
                all.push_back({event.kind == Event::Kind::kReceived,
                               static_cast<uint64_t>(event.request), event.bytes, event.tag,
                               event.peer});
                if (all.size() == 1) Complete(all.front(), true, event);
                return;
            }
            case Event::Kind::kEntry:
                if (event.starts_request) requests_[event.span] = event.request;
                return Call(event, true);
            case Event::Kind::kExit:
                CompleteAll(event);
                return Call(event, false);
        }
    }
    void Complete(const Completion& one, bool entry, const Event& at) {
        Begin(entry ? kEventEntry : kEventExit, one.receives ? -61 : -31, at.t, at.rank, at.thread);
        if (entry) {
            const auto request = requests_.find(one.started);
            Data({request == requests_.end() ? 0 : request->second});
        } else if (one.receives) {
            Data({one.bytes, one.tag, one.peer});
        } else {
            Data({});
        }
    }
    // The first takes as long as the call, the others follow at its end.
    void CompleteAll(const Event& exit) {
        const auto found = completions_.find(exit.span);
        if (found == completions_.end()) return;
        const std::vector<Completion>& all = found->second;
        for (size_t i = 1; i < all.size(); ++i) {
            Complete(all[i], true, exit);
            Complete(all[i], false, exit);
        }
        Complete(all.front(), false, exit);
        for (const Completion& one : all) requests_.erase(one.started);
        completions_.erase(found);
    }
    void Call(const Event& event, bool entry) {
        if (event.event == Event::kNone) return;
        const auto number = [](int32_t value, int64_t missing) {
            return value == Event::kNone ? missing : value;
        };
        const int64_t peer = number(event.peer, -2);
        const int64_t tag = number(event.tag, -1);
        Begin(entry ? kEventEntry : kEventExit, event.event, event.t, event.rank, event.thread);
        const EventShape* shape = FindEvent(event.event);
        switch (shape == nullptr ? EventKind::kState : shape->kind) {
            case EventKind::kSend:
                return entry ? Data({event.bytes, tag, peer}) : Data({});
            case EventKind::kIsend:
                return entry ? Data({event.bytes, tag, peer}) : Data({event.request});
            case EventKind::kIrecv:
                return entry ? Data({tag, peer < 0 ? -2 : peer}) : Data({event.request});
            case EventKind::kRecv:
                return entry ? Data({tag, peer}) : Data({event.bytes, tag, peer});
            case EventKind::kBarrier:
                return entry ? Data({-1}) : Data({});
            case EventKind::kRooted:
                return entry ? Data({event.bytes, number(event.root, -1), -1})
                             : Data({event.bytes});
            case EventKind::kAll:
                return entry ? Data({event.bytes, -1}) : Data({});
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
    ExternalSort<Event> events_;
    std::map<std::string, uint64_t> left_out_;
    // By call: what open ones complete; the request of those that are not complete.
    std::unordered_map<uint64_t, std::vector<Completion>> completions_;
    std::unordered_map<uint64_t, int64_t> requests_;
};

}  // namespace

bool Write1992Views(const ViewExport& what, std::string* error) {
    return Writer1992(what).Write(error);
}

}  // namespace comshu::format::picl
