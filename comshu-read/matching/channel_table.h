// Pairs sends with receives: the k-th send of a channel meets its k-th receive.
#ifndef COMSHU_READ_MATCHING_CHANNEL_TABLE_H_
#define COMSHU_READ_MATCHING_CHANNEL_TABLE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "matching/flat_map.h"
#include "matching/match_rows.h"

namespace comshu::read {

// Messages that cannot overtake each other. Ranks are those of the whole capture.
struct ChannelKey {
    uint64_t comm = 0;
    int32_t from = 0;
    int32_t to = 0;
    int32_t tag = 0;
    uint32_t lane = 0;  // 0; or which partitioned pair, since those match among themselves.

    bool operator==(const ChannelKey&) const = default;
};

struct ChannelKeyHash {
    uint64_t operator()(const ChannelKey& key) const {
        const uint64_t ranks =
            uint64_t{static_cast<uint32_t>(key.from)} << 32 | static_cast<uint32_t>(key.to);
        const uint64_t rest = uint64_t{static_cast<uint32_t>(key.tag)} << 32 | key.lane;
        return MixBits(MixBits(key.comm ^ ranks * 0x9e3779b97f4a7c15u) ^ rest);
    }
};

// One side of a message: a send, or a receive.
struct Half {
    CallTimes call;
    int64_t done = kNoTime;
    uint64_t done_span = 0;
    uint64_t bytes = kNoBytes;
    int64_t done_begin = kNoTime;  // Of the completing call.
};

// What of a rank is in the capture; kPartly: an unknown number of its records is missing.
enum class Recorded : uint8_t { kNot, kPartly, kWhole };

// Takes what one side of channels has, in order, when it can be paired.
class HalfSink {
public:
    virtual ~HalfSink() = default;
    // `lost`: not 0: stands for that many halves that were not recorded. `complete`: false only of what
    // is left at the end.
    virtual void TakeHalf(const ChannelKey& key, Side side, const Half& half, uint64_t lost,
                          bool complete) = 0;
};

// Idea: each channel keeps its sends and its receives that have not met in two queues, in order; when
// both heads are complete they are a message and leave. Waiting for completion is what keeps the
// order right when a receive is cancelled late. So memory is what is in flight, if the processes are
// fed in step; the result does not depend on that, only on the order within each process. The two sides
// of a channel can therefore be put in order apart and be paired elsewhere: with `halves` that is done.
// Handles are reused once their half has been emitted or dropped. Not thread-safe.
class ChannelTable {
public:
    using Handle = uint32_t;
    static constexpr Handle kNone = UINT32_MAX;

    // With `halves` nothing is paired: the halves of each side go there in order.
    explicit ChannelTable(MatchSink* sink, HalfSink* halves = nullptr)
        : sink_(sink), halves_(halves) {}

    // A half that is not in a channel yet: a receive whose place is not known.
    Handle Make(const Half& half) {
        // Here, so that what is known of the half is written where it stays and not copied.
        const Handle handle = free_ != kNone ? TakeFree() : AddNode();
        nodes_[handle].half = half;
        return handle;
    }
    // Appends to the channel's sends or receives.
    void Place(Handle handle, const ChannelKey& key, Side side);
    // `count` halves that were not recorded have their place here.
    void PlaceLost(const ChannelKey& key, Side side, uint64_t count);
    // What a HalfSink took, in the order in which it took what is of one channel and side.
    void AddHalf(const ChannelKey& key, Side side, const Half& half, uint64_t lost, bool complete);

    // No completion will change the half any more. kNoTime: it is complete, but when is not known.
    void Complete(Handle handle, int64_t done, uint64_t done_span, int64_t done_begin);
    void SetCall(Handle handle, const CallTimes& call) { nodes_[handle].half.call = call; }
    void SetBytes(Handle handle, uint64_t bytes) { nodes_[handle].half.bytes = bytes; }
    // Takes it out of its channel, as if it had never been there.
    void Withdraw(Handle handle, Why why);
    bool IsPlaced(Handle handle) const { return nodes_[handle].channel != kNone; }
    // Drops a half that was never placed.
    Half Discard(Handle handle);

    // Pairs what is left, complete or not, and reports the rest. `recorded` tells what of a rank
    // is in the capture.
    void Finish(const std::function<Recorded(int32_t)>& recorded);

    size_t in_flight() const { return nodes_.size() - free_count_; }

private:
    struct Node {
        Half half;
        uint64_t lost = 0;  // Not 0: stands for that many halves that were not recorded.
        uint32_t channel = kNone;
        Handle next = kNone;
        Side side = Side::kSend;
        bool complete = false;
        bool withdrawn = false;
        Why why = Why::kCancelled;
    };
    struct Queue {
        Handle head = kNone;
        Handle tail = kNone;
    };
    struct Channel {
        ChannelKey key;
        Queue queues[2];
    };

    Handle TakeFree() {
        const Handle handle = free_;
        Node& node = nodes_[handle];
        free_ = node.next;
        --free_count_;
        node.lost = 0;
        node.channel = kNone;
        node.next = kNone;
        node.complete = false;
        node.withdrawn = false;
        return handle;
    }
    Handle AddNode();
    uint32_t FindChannel(const ChannelKey& key);
    void Append(Handle handle, uint32_t channel, Side side);
    void Release(Handle handle);
    // Pairs the heads of the channel as long as both are complete, or `all`.
    void Pair(uint32_t channel, bool all);
    void HandOut(Channel* channel, Queue* queue, bool all);
    void DropWithdrawn(Channel* channel, Queue* queue);
    void Pop(Queue* queue);
    void EmitUnmatched(const Channel& channel, const Node& node, Why why);
    Why WhyLeft(const Channel& channel, const Node& node,
                const std::function<Recorded(int32_t)>& recorded) const;

    MatchSink* sink_;
    HalfSink* halves_;
    std::vector<Node> nodes_;
    Handle free_ = kNone;
    size_t free_count_ = 0;
    std::vector<Channel> channels_;
    FlatMap<ChannelKey, uint32_t, ChannelKeyHash> by_key_;
    std::array<uint32_t, 64> recent_{};  // Channels, each at the place that its key chooses.
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_CHANNEL_TABLE_H_
