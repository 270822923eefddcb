// Gives each receive of a rank its place in its channel, wildcards included.
#ifndef COMSHU_READ_MATCHING_RECEIVE_ORDER_H_
#define COMSHU_READ_MATCHING_RECEIVE_ORDER_H_

#include <cstdint>
#include <vector>

#include "matching/channel_table.h"

namespace comshu::read {

// Problem: a receive takes its place in the order when it is posted, but a wildcard tells its channel
// only when it completes. Idea: as long as a wildcard is not resolved, receives posted after it that
// it could have competed with are held back; when it is resolved, they follow it into their
// channels in the order of posting. Receives without such a wildcard before them, the usual case, go
// straight to their channel.
// One for each rank and communicator. Cost: constant for receives that are not held; a resolved
// wildcard looks at held receives up to the kScanLimit-th unresolved one.
class ReceiveOrder {
public:
    using Handle = ChannelTable::Handle;

    // Nodes of all orders of a rank; wildcards are few, so one pool serves them.
    struct Node {
        ChannelKey key;  // `from` and `tag` as posted until resolved.
        Handle half = ChannelTable::kNone;
        uint32_t next = ChannelTable::kNone;
        uint32_t previous = ChannelTable::kNone;
        bool resolved = false;
        bool lost = false;  // The record of the receive is lost; its completion may be there.
    };
    using NodeId = uint32_t;
    static constexpr NodeId kPlaced = UINT32_MAX;

    explicit ReceiveOrder(ChannelTable* table) : table_(table) {}

    // A receive from `key.from`, `key.tag`, either of which may be a wildcard. Returns kPlaced if it
    // went to its channel, else the node by which it is resolved or withdrawn. `half` kNone: lost.
    NodeId Post(const ChannelKey& key, Handle half);
    // The same with the channel known already, whatever was posted (a blocking receive).
    NodeId PostResolved(const ChannelKey& key, Handle half);
    void PostLost(const ChannelKey& key, uint64_t count);

    // The wildcard got a message from `from` with `tag`. After this the node is gone or waits by itself.
    void Resolve(NodeId id, int32_t from, int32_t tag);
    // The receive was cancelled, or what it got can never be known. Returns the half.
    Handle Withdraw(NodeId id);
    const ChannelKey& KeyOf(NodeId id) const { return nodes_[id].key; }
    // The first lost wildcard that could have got this message: kPlaced if there is none.
    NodeId FindLost(int32_t from, int32_t tag) const;

    // Drops wildcards that were never resolved (`dropped` is called with key and half of each) and
    // places what they held back.
    template <typename Dropped>
    void Finish(Dropped dropped) {
        for (NodeId id = head_; id != kPlaced;) {
            const Node node = nodes_[id];
            Unlink(id);
            if (node.resolved) {
                Place(node);
            } else if (node.half != ChannelTable::kNone) {
                dropped(node.key, node.half);
            }
            id = node.next;
        }
    }

    bool empty() const { return head_ == kPlaced; }

private:
    static constexpr int kScanLimit = 8;

    static bool IsWildcard(const ChannelKey& key) {
        return key.from == kAnySource || key.tag == kAnyTag;
    }
    static bool Overlap(const ChannelKey& a, const ChannelKey& b);
    bool MustWait(const ChannelKey& key) const;
    NodeId Link(const ChannelKey& key, Handle half, bool resolved);
    void Unlink(NodeId id);
    void Place(const Node& node);
    void Sweep();
    bool IsNearFront(NodeId id) const;

    ChannelTable* table_;
    std::vector<Node> nodes_;
    NodeId free_ = kPlaced;
    NodeId head_ = kPlaced;
    NodeId tail_ = kPlaced;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_RECEIVE_ORDER_H_
