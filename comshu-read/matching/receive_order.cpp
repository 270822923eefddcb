#include "matching/receive_order.h"

#include <array>

namespace comshu::read {

bool ReceiveOrder::Overlap(const ChannelKey& a, const ChannelKey& b) {
    const bool sources = a.from == b.from || a.from == kAnySource || b.from == kAnySource;
    const bool tags = a.tag == b.tag || a.tag == kAnyTag || b.tag == kAnyTag;
    return sources && tags && a.lane == b.lane;
}

// Exact while few wait; beyond that everything waits, which is right too, only later.
bool ReceiveOrder::MustWait(const ChannelKey& key) const {
    int looked_at = 0;
    for (NodeId id = head_; id != kPlaced; id = nodes_[id].next) {
        if (++looked_at > kScanLimit || Overlap(nodes_[id].key, key)) return true;
    }
    return false;
}

ReceiveOrder::NodeId ReceiveOrder::Link(const ChannelKey& key, Handle half, bool resolved) {
    NodeId id = free_;
    if (id == kPlaced) {
        id = static_cast<NodeId>(nodes_.size());
        nodes_.emplace_back();
    } else {
        free_ = nodes_[id].next;
    }
    nodes_[id] = Node{key, half, kPlaced, tail_, resolved, half == ChannelTable::kNone};
    if (tail_ == kPlaced) {
        head_ = id;
    } else {
        nodes_[tail_].next = id;
    }
    tail_ = id;
    return id;
}

void ReceiveOrder::Unlink(NodeId id) {
    Node& node = nodes_[id];
    (node.previous == kPlaced ? head_ : nodes_[node.previous].next) = node.next;
    (node.next == kPlaced ? tail_ : nodes_[node.next].previous) = node.previous;
    node.next = free_;
    free_ = id;
}

void ReceiveOrder::Place(const Node& node) {
    if (node.half == ChannelTable::kNone) {
        table_->PlaceLost(node.key, Side::kReceive, 1);
    } else {
        table_->Place(node.half, node.key, Side::kReceive);
    }
}

ReceiveOrder::NodeId ReceiveOrder::Post(const ChannelKey& key, Handle half) {
    if (IsWildcard(key)) return Link(key, half, false);
    return PostResolved(key, half);
}

ReceiveOrder::NodeId ReceiveOrder::PostResolved(const ChannelKey& key, Handle half) {
    if (MustWait(key)) return Link(key, half, true);
    table_->Place(half, key, Side::kReceive);
    return kPlaced;
}

void ReceiveOrder::PostLost(const ChannelKey& key, uint64_t count) {
    if (!IsWildcard(key) && !MustWait(key)) {
        table_->PlaceLost(key, Side::kReceive, count);
        return;
    }
    for (; count > 0; --count) Link(key, ChannelTable::kNone, !IsWildcard(key));
}

void ReceiveOrder::Resolve(NodeId id, int32_t from, int32_t tag) {
    Node& node = nodes_[id];
    node.key.from = from;
    node.key.tag = tag;
    node.resolved = true;
    if (IsNearFront(id)) Sweep();
}

ReceiveOrder::Handle ReceiveOrder::Withdraw(NodeId id) {
    const bool near_front = IsNearFront(id);
    const Handle half = nodes_[id].half;
    Unlink(id);
    if (near_front) Sweep();
    return half;
}

ReceiveOrder::NodeId ReceiveOrder::FindLost(int32_t from, int32_t tag) const {
    for (NodeId id = head_; id != kPlaced; id = nodes_[id].next) {
        const Node& node = nodes_[id];
        if (!node.lost || node.resolved) continue;
        if ((node.key.from == kAnySource || node.key.from == from) &&
            (node.key.tag == kAnyTag || node.key.tag == tag)) {
            return id;
        }
    }
    return kPlaced;
}

// What is resolved further back stays until what is before it is resolved too: nothing is lost by
// waiting, and a burst of completions in any order costs one sweep each at most.
bool ReceiveOrder::IsNearFront(NodeId id) const {
    int steps = 0;
    for (NodeId at = id; nodes_[at].previous != kPlaced; at = nodes_[at].previous) {
        if (++steps > kScanLimit) return false;
    }
    return true;
}

void ReceiveOrder::Sweep() {
    std::array<NodeId, kScanLimit> blockers{};
    int blocker_count = 0;
    for (NodeId id = head_; id != kPlaced && blocker_count < kScanLimit;) {
        const NodeId next = nodes_[id].next;
        bool waits = !nodes_[id].resolved;
        for (int i = 0; i < blocker_count && !waits; ++i) {
            waits = Overlap(nodes_[blockers[i]].key, nodes_[id].key);
        }
        if (waits) {
            blockers[blocker_count++] = id;
        } else {
            const Node node = nodes_[id];
            Unlink(id);
            Place(node);
        }
        id = next;
    }
}

}  // namespace comshu::read
