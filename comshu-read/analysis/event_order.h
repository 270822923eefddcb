// Begins and ends of calls of all threads in order of time, and what each has to do with others.
#ifndef COMSHU_ANALYSIS_EVENT_ORDER_H_
#define COMSHU_ANALYSIS_EVENT_ORDER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "matching/flat_map.h"
#include "ordered_rows.h"

namespace comshu::analysis {

struct Window {
    int64_t t0_ns = 0;
    int64_t t1_ns = 0;

    // Whether a call has a part in it, and whether it ends there.
    bool Has(const CallRow& call) const { return call.end_ns >= t0_ns && call.begin_ns < t1_ns; }
    bool HasEnd(const CallRow& call) const { return Has(call) && call.end_ns <= t1_ns; }
};

enum class TieKind : uint8_t {
    // Of the call that starts it:
    kSends,   // message `slot`
    kPosts,   // the receive of message `slot`
    kEnters,  // collective operation `slot`
    // Of the call that it holds up:
    kNeedsSender,    // of message `slot`, who was there before the call ended
    kNeedsReceiver,  // the same of a synchronous send
    kNeedsAll,       // all of operation `slot`
    kNeedsRoot,
    kNeedsLower,  // those with a lower index
};

// A slot belongs to one message or operation from its first tie to its last, then to another one.
struct Tie {
    TieKind kind = TieKind::kSends;
    bool is_first = false;  // Of kEnters: nobody has before.
    bool is_root = false;   // The same.
    bool is_scan = false;   // The same.
    uint32_t slot = 0;
    uint32_t index = 0;  // Of a member of an operation.
};
using Ties = std::vector<Tie>;

// The value of a slot, made when it is first asked for.
template <typename Value>
Value& AtSlot(std::vector<Value>* values, uint32_t slot) {
    if (slot >= values->size()) values->resize(slot + 1);
    return (*values)[slot];
}

// When a call could go on, and the thread it waited for until then: of those it depends on the one that came
// last, if that was after the call began; ties go to the lowest rank. kNone: it did not wait.
struct Release {
    int64_t ns = 0;
    uint32_t cause_lane = kNone;
};

class EventVisitor {
public:
    virtual ~EventVisitor() = default;
    virtual void Enter(const CallRow& call, const Ties& ties) = 0;
    // A call inside of one that has been entered starts this.
    virtual void Join(const CallRow& call, const Ties& ties) = 0;
    virtual void Exit(const CallRow& call, const Ties& ties, const Release& release) = 0;
};

// Problem: efficiency, critical path and slack follow the same dependencies through a whole run, in order of
// time, which SQL cannot do, and the run does not fit in memory. Idea: calls, messages and members of
// collectives come in order of time and are merged; a message is known before its calls come, waits for them by
// their spans, and is forgotten when it has met them all. Calls inside another one (MPI_Init calling MPI_Comm_rank) are
// part of it. At one time enters come before exits, so that whoever is waited for is there; the order is that
// of the lanes otherwise. O(n log lanes); memory: what is in flight.
class EventOrder {
public:
    EventOrder(OrderedRows* rows, EventVisitor* visitor);
    bool Run(std::string* error);

private:
    enum Role : uint8_t {
        kSend = 1,
        kSendDone = 2,
        kPost = 4,
        kReceiveDone = 8,
        kEnter = 16,
        kLeave = 32,
    };
    // What a call has to do with a message or, if it is kEnter or kLeave, a member.
    struct Link {
        uint32_t index = 0;
        uint8_t roles = 0;
    };
    struct ListedLink {
        Link link;
        uint32_t next = kNone;
    };
    struct Message {
        int64_t send_ns = 0;
        int64_t post_ns = 0;
        uint32_t send_lane = kNone;
        uint32_t post_lane = kNone;  // kNone: it is not posted yet.
        bool sent = false;
        uint8_t missing = 0;  // Roles whose calls have not come by.
    };
    struct Member {
        MemberRow row;
        uint32_t group = 0;
        uint8_t missing = 0;
    };
    struct Group {
        uint32_t to_enter = 0;
        uint32_t to_leave = 0;
        bool entered = false;
        uint64_t instance = 0;
    };
    // A call that has been read and has not ended.
    struct Active {
        CallRow row;
        std::vector<Link> links;
        bool entered = false;
    };
    struct LaneState {
        std::deque<uint32_t> calls;
        bool has_last = false;
        int64_t last_end_ns = 0;
    };
    struct Hash {
        uint64_t operator()(uint64_t id) const { return read::MixBits(id); }
    };
    // Recycles indices of an array.
    template <typename T>
    class Pool {
    public:
        uint32_t Take() {
            if (free_.empty()) {
                all_.emplace_back();
                return static_cast<uint32_t>(all_.size() - 1);
            }
            const uint32_t index = free_.back();
            free_.pop_back();
            return index;
        }
        void Give(uint32_t index) { free_.push_back(index); }
        T& operator[](uint32_t index) { return all_[index]; }

    private:
        std::vector<T> all_;
        std::vector<uint32_t> free_;
    };
    using Turn = std::tuple<int64_t, bool, uint32_t>;  // Time, exit, lane.

    void Feed(const CallRow& row);
    void AddMessage(const MessageTimes& times);
    void AddMember(const MemberRow& row);
    void Expect(uint64_t span, Link link);
    void TakeLinks(uint64_t span);
    void TakeTurn();
    void EnterLink(const Active& call, const Link& link);
    void Leave(const Active& call);
    Release ReleaseOf(const Active& call);
    void Met(const Link& link, uint8_t roles);

    OrderedRows* rows_;
    EventVisitor* visitor_;
    const MessageTimes* next_message_ = nullptr;
    const MemberRow* next_member_ = nullptr;
    read::FlatMap<uint64_t, uint32_t, Hash> by_span_;  // The first of a list of links.
    Pool<ListedLink> links_;
    Pool<Message> messages_;
    Pool<Member> members_;
    Pool<Group> groups_;
    read::FlatMap<uint64_t, uint32_t, Hash> group_of_;  // By instance.
    Pool<Active> calls_;
    std::vector<LaneState> lanes_;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
    std::vector<Link> taken_;
    Ties ties_;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_EVENT_ORDER_H_
