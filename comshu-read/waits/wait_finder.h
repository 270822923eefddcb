// Where calls stood because another rank was late, from messages and collectives in order of time.
#ifndef COMSHU_READ_WAITS_WAIT_FINDER_H_
#define COMSHU_READ_WAITS_WAIT_FINDER_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "matching/flat_map.h"
#include "matching/match_rows.h"
#include "matching/mpi_functions.h"
#include "span_table.h"

namespace comshu::read {

enum class WaitKind : uint8_t {
    kLateSender,
    kLateReceiver,
    kAtBarrier,
    kBarrierCompletion,
    kAtAll,
    kAllCompletion,
    kEarlyReduce,
    kLateBroadcast,
    kEarlyScan,
};
const char* WaitKindText(WaitKind kind);

// Of a late sender: a message that was sent before it could have been taken instead.
enum class WrongOrder : uint8_t { kNo, kSameSource, kOtherSource };

struct WaitRow {
    WaitKind kind = WaitKind::kLateSender;
    WrongOrder wrong = WrongOrder::kNo;
    int32_t rank = 0;
    int32_t cause_rank = 0;
    uint64_t span = 0;
    uint64_t cause_span = 0;
    uint64_t instance = 0;  // 0: of a message.
    int64_t enter_ns = 0;
    int64_t until_ns = 0;
};

// Problem: waiting is worked out (formulas in docs/waits.md) per call, of all that it completes; as SQL that is
// sorts and joins over all messages at once, in memory. Idea: messages and collectives come in order of
// their first time (TimeOf in views/link_files.h). What a call completes began before the call ended, so
// when time has passed the end of a call all of it has come, and the call's rows go out. Whether an
// earlier message could have been taken is known when time has passed the sending of the later one. An
// instance of a collective is whole when as many calls have come as `CountMember` was told of before.
// Memory: calls, messages and instances in flight; 8 bytes for each instance and each two ranks.
class WaitFinder {
public:
    using Found = std::function<void(const WaitRow&)>;
    explicit WaitFinder(Found found) : found_(std::move(found)) {}

    // Before all else: of every row that AddCollective will bring; and what starts a synchronous send.
    void CountMember(uint64_t instance) { ++members_.At(instance); }
    void AddSynchronousSend(uint64_t span) { synchronous_.Insert(span, true); }

    void AddMessage(const MessageRow& row);
    void AddCollective(const CollectiveRow& row);
    void Finish();

private:
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
    static constexpr uint32_t kNone = UINT32_MAX;

    // What a call may have waited for longest; ties go to the lowest rank and span.
    struct Cause {
        int64_t ns = kNever;
        int32_t rank = 0;
        WrongOrder wrong = WrongOrder::kNo;
        uint64_t span = 0;

        // Whether `other` is the longer one.
        bool Take(const Cause& other);
    };
    // The same of collectives that are not blocking.
    struct Split {
        WaitRow row;
        int64_t ns = kNever;
        void Take(const WaitRow& other, int64_t other_ns);
    };
    struct Splits {
        Split wait;
        Split completion;
    };
    struct Call {
        uint64_t span = 0;
        int64_t enter_ns = 0;
        int64_t exit_ns = kNever;
        int64_t final_ns = kNever;  // No more comes when time has passed it.
        int32_t rank = 0;
        uint32_t missing = 0;  // Instances that are not whole.
        uint32_t splits = kNone;
        bool receives = false;
        bool passed = false;  // Its final_ns.
        Cause sender;
        Cause receiver;
        Cause synchronous_receiver;
    };
    struct Turn {
        int64_t ns;
        uint32_t call;
        bool operator>(const Turn& other) const { return ns > other.ns; }
    };
    struct Sent {
        int64_t ns;
        int64_t done_begin_ns;
        uint64_t span;
        int32_t from;
        int32_t to;
        uint32_t call;  // That waited for it; kNone: none did.
        bool operator>(const Sent& other) const {
            return ns != other.ns ? ns > other.ns : done_begin_ns > other.done_begin_ns;
        }
    };
    struct Hash {
        uint64_t operator()(uint64_t id) const { return MixBits(id); }
    };
    template <typename T>
    using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;
    using Instance = std::vector<CollectiveRow>;

    uint32_t CallOf(uint64_t span, int32_t rank, int64_t enter_ns, int64_t exit_ns);
    void Expect(uint32_t call, int64_t ns);
    // All that is still to come begins at `ns` or later.
    void Advance(int64_t ns);
    void Receive(const Sent& sent);
    void Close(uint32_t call);
    void EmitCall(const Call& call);

    void CloseInstance(const Instance& rows);
    void Emit(const CollectiveRow& row, WaitKind kind, int64_t enter_ns, int64_t until_ns,
              const CollectiveRow* cause, bool cause_is_done);
    static bool IsSplit(const CollectiveRow& row) {
        return row.done_span != 0 && row.done_span != row.span;
    }

    Found found_;
    SpanTable<uint32_t> members_;
    FlatMap<uint64_t, bool, Hash> synchronous_;
    std::vector<Call> calls_;
    std::vector<uint32_t> free_calls_;
    FlatMap<uint64_t, uint32_t, Hash> call_of_;
    std::vector<Splits> splits_;
    std::vector<uint32_t> free_splits_;
    Earliest<Turn> turns_;
    Earliest<Sent> sent_;
    std::vector<int64_t> latest_;  // By receiver: beginning of the latest call that received.
    FlatMap<uint64_t, int64_t, Hash> latest_of_;  // The same by both ranks.
    FlatMap<uint64_t, Instance, Hash> instances_;
    int64_t now_ns_ = kNever;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_WAITS_WAIT_FINDER_H_
