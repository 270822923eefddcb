#include "matching/channel_table.h"

#include <algorithm>

namespace comshu::read {

const char* WhyText(Why why) {
    switch (why) {
        case Why::kNoReceive:
            return "no receive";
        case Why::kNoSend:
            return "no send";
        case Why::kOpen:
            return "open";
        case Why::kPartnerLost:
            return "partner lost";
        case Why::kPeerMissing:
            return "peer not in the capture";
        case Why::kCancelled:
            return "cancelled";
        case Why::kSourceUnknown:
            return "source unknown";
        case Why::kFailed:
            return "failed";
        case Why::kReasons:
            break;
    }
    return "";
}

ChannelTable::Handle ChannelTable::AddNode() {
    nodes_.emplace_back();
    return static_cast<Handle>(nodes_.size() - 1);
}

// Inline, as some that follow: called for nearly every record, which compilers do not know.
inline void ChannelTable::Release(Handle handle) {
    nodes_[handle].next = free_;
    free_ = handle;
    ++free_count_;
}

inline uint32_t ChannelTable::FindChannel(const ChannelKey& key) {
    // Ranks come in turns, and in its turn a rank has few channels.
    uint32_t& recent =
        recent_[(static_cast<uint32_t>(key.from) * 3u + static_cast<uint32_t>(key.to) * 5u +
                 static_cast<uint32_t>(key.tag)) %
                recent_.size()];
    if (recent < channels_.size() && channels_[recent].key == key) return recent;
    const auto fresh = static_cast<uint32_t>(channels_.size());
    const uint32_t channel = *by_key_.Insert(key, fresh);
    if (channel == fresh) channels_.push_back(Channel{key, {}});
    recent = channel;
    return channel;
}

inline void ChannelTable::Append(Handle handle, uint32_t channel, Side side) {
    Node& node = nodes_[handle];
    node.channel = channel;
    node.side = side;
    Queue& queue = channels_[channel].queues[static_cast<int>(side)];
    if (queue.tail == kNone) {
        queue.head = handle;
    } else {
        nodes_[queue.tail].next = handle;
    }
    queue.tail = handle;
}

void ChannelTable::Place(Handle handle, const ChannelKey& key, Side side) {
    const uint32_t channel = FindChannel(key);
    Append(handle, channel, side);
    if (nodes_[handle].complete) Pair(channel, false);
}

void ChannelTable::AddHalf(const ChannelKey& key, Side side, const Half& half, uint64_t lost,
                           bool complete) {
    const uint32_t channel = FindChannel(key);
    const Handle handle = Make(half);
    nodes_[handle].lost = lost;
    nodes_[handle].complete = complete;
    Append(handle, channel, side);
    Pair(channel, false);
}

void ChannelTable::PlaceLost(const ChannelKey& key, Side side, uint64_t count) {
    if (count == 0) return;
    const uint32_t channel = FindChannel(key);
    const Handle handle = Make(Half{});
    nodes_[handle].lost = count;
    nodes_[handle].complete = true;
    Append(handle, channel, side);
    Pair(channel, false);
}

void ChannelTable::Complete(Handle handle, int64_t done, uint64_t done_span, int64_t done_begin) {
    Node& node = nodes_[handle];
    node.half.done = done;
    node.half.done_span = done_span;
    node.half.done_begin = done_begin;
    node.complete = true;
    if (node.channel != kNone) Pair(node.channel, false);
}

void ChannelTable::Withdraw(Handle handle, Why why) {
    Node& node = nodes_[handle];
    node.withdrawn = true;
    node.complete = true;
    node.why = why;
    if (node.channel != kNone) Pair(node.channel, false);
}

Half ChannelTable::Discard(Handle handle) {
    const Half half = nodes_[handle].half;
    Release(handle);
    return half;
}

inline void ChannelTable::Pop(Queue* queue) {
    const Handle handle = queue->head;
    queue->head = nodes_[handle].next;
    if (queue->head == kNone) queue->tail = kNone;
    Release(handle);
}

void ChannelTable::EmitUnmatched(const Channel& channel, const Node& node, Why why) {
    const bool sends = node.side == Side::kSend;
    sink_->Unmatched(UnmatchedRow{node.side, why, channel.key.comm,
                                  sends ? channel.key.from : channel.key.to,
                                  sends ? channel.key.to : channel.key.from, channel.key.tag,
                                  node.half.bytes, node.half.call.span, node.half.call.begin});
}

void ChannelTable::DropWithdrawn(Channel* channel, Queue* queue) {
    while (queue->head != kNone && nodes_[queue->head].withdrawn) {
        EmitUnmatched(*channel, nodes_[queue->head], nodes_[queue->head].why);
        Pop(queue);
    }
}

void ChannelTable::HandOut(Channel* channel, Queue* queue, bool all) {
    for (;;) {
        DropWithdrawn(channel, queue);
        if (queue->head == kNone) return;
        const Node& node = nodes_[queue->head];
        if (!all && !node.complete) return;
        halves_->TakeHalf(channel->key, node.side, node.half, node.lost, node.complete);
        Pop(queue);
    }
}

inline void ChannelTable::Pair(uint32_t index, bool all) {
    Channel& channel = channels_[index];
    Queue& sends = channel.queues[static_cast<int>(Side::kSend)];
    Queue& receives = channel.queues[static_cast<int>(Side::kReceive)];
    if (halves_ != nullptr) {
        HandOut(&channel, &sends, all);
        HandOut(&channel, &receives, all);
        return;
    }
    for (;;) {
        if (sends.head != kNone && nodes_[sends.head].withdrawn) DropWithdrawn(&channel, &sends);
        if (receives.head != kNone && nodes_[receives.head].withdrawn)
            DropWithdrawn(&channel, &receives);
        if (sends.head == kNone || receives.head == kNone) return;
        Node& send = nodes_[sends.head];
        Node& receive = nodes_[receives.head];
        if (!all && !(send.complete && receive.complete)) return;
        if (send.lost != 0 && receive.lost != 0) {
            const uint64_t both = std::min(send.lost, receive.lost);
            send.lost -= both;
            receive.lost -= both;
            if (send.lost == 0) Pop(&sends);
            if (receive.lost == 0) Pop(&receives);
            continue;
        }
        if (send.lost != 0 || receive.lost != 0) {
            const bool send_lost = send.lost != 0;
            Queue& seen = send_lost ? receives : sends;
            EmitUnmatched(channel, nodes_[seen.head], Why::kPartnerLost);
            Pop(&seen);
            uint64_t& left = send_lost ? send.lost : receive.lost;
            if (--left == 0) Pop(send_lost ? &sends : &receives);
            continue;
        }
        MessageRow& row = *sink_->RoomForMessage();
        row.comm = channel.key.comm;
        row.send_rank = channel.key.from;
        row.recv_rank = channel.key.to;
        row.tag = channel.key.tag;
        row.bytes = send.half.bytes;
        row.recv_bytes = receive.half.bytes;
        row.send_span = send.half.call.span;
        row.recv_span = receive.half.call.span;
        row.send_done_span = send.half.done_span;
        row.recv_done_span = receive.half.done_span;
        row.send_begin = send.half.call.begin;
        row.send_end = send.half.call.end;
        row.send_done = send.half.done;
        row.recv_begin = receive.half.call.begin;
        row.recv_end = receive.half.done;
        row.send_done_begin = send.half.done_begin;
        row.recv_done_begin = receive.half.done_begin;
        Pop(&sends);
        Pop(&receives);
        sink_->Message(row);
    }
}

Why ChannelTable::WhyLeft(const Channel& channel, const Node& node,
                          const std::function<Recorded(int32_t)>& recorded) const {
    const bool sends = node.side == Side::kSend;
    const Recorded peer = recorded(sends ? channel.key.to : channel.key.from);
    if (peer == Recorded::kNot) return Why::kPeerMissing;
    if (!node.complete) return Why::kOpen;
    if (peer == Recorded::kPartly) return Why::kPartnerLost;
    return sends ? Why::kNoReceive : Why::kNoSend;
}

void ChannelTable::Finish(const std::function<Recorded(int32_t)>& recorded) {
    for (uint32_t i = 0; i < channels_.size(); ++i) {
        Pair(i, true);
        Channel& channel = channels_[i];
        for (Queue& queue : channel.queues) {
            while (queue.head != kNone) {
                const Node& node = nodes_[queue.head];
                if (node.withdrawn) {
                    EmitUnmatched(channel, node, node.why);
                } else if (node.lost == 0) {
                    EmitUnmatched(channel, node, WhyLeft(channel, node, recorded));
                }
                Pop(&queue);
            }
        }
    }
}

}  // namespace comshu::read
