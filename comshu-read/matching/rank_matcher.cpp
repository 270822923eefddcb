#include "matching/rank_matcher.h"

#include <algorithm>

namespace comshu::read {

// Inline, as some that follow: called for nearly every record, which compilers do not know.
inline ChannelKey RankMatcher::SendKey(const Envelope& to, uint32_t lane) const {
    return ChannelKey{to.comm, rank_, to.peer, to.tag, lane};
}

inline ChannelKey RankMatcher::ReceiveKey(const Envelope& from, uint32_t lane) const {
    return ChannelKey{from.comm, from.peer, rank_, from.tag, lane};
}

ReceiveOrder* RankMatcher::Order(uint64_t comm) {
    if (last_order_ != nullptr && last_comm_ == comm) return last_order_;
    const auto fresh = static_cast<uint32_t>(orders_.size());
    const uint32_t index = *order_of_comm_.Insert(comm, fresh);
    if (index == fresh) orders_.push_back(std::make_unique<ReceiveOrder>(&state_->channels));
    last_comm_ = comm;
    last_order_ = orders_[index].get();
    return last_order_;
}

uint32_t RankMatcher::NextLane(uint64_t comm, int32_t peer, int32_t tag, Side side,
                               bool collective) {
    for (LaneCounter& lane : lanes_) {
        if (lane.comm == comm && lane.peer == peer && lane.tag == tag && lane.side == side &&
            lane.collective == collective) {
            return ++lane.count;
        }
    }
    lanes_.push_back(LaneCounter{comm, peer, tag, side, collective, 1});
    return 1;
}

inline RankMatcher::Handle RankMatcher::PlaceSend(const CallTimes& call, const Envelope& to,
                                                  uint32_t lane, bool complete) {
    Half half{call, kNoTime, 0, to.bytes};
    const Handle handle = state_->channels.Make(half);
    if (complete) state_->channels.Complete(handle, call.end, call.span, call.begin);
    state_->channels.Place(handle, SendKey(to, lane), Side::kSend);
    return handle;
}

void RankMatcher::Send(const CallTimes& call, const Envelope& to, uint64_t request, bool failed) {
    if (!IsRank(to.peer)) return;
    if (failed) {
        state_->sink->Unmatched(UnmatchedRow{Side::kSend, Why::kFailed, to.comm, rank_, to.peer,
                                             to.tag, to.bytes, call.span, call.begin});
        return;
    }
    const bool complete = request == 0 && call.end != kNoTime;
    const Handle half = PlaceSend(call, to, 0, complete);
    if (request != 0) requests_.Insert(request, Request{})->send = half;
}

inline RankMatcher::PendingReceive RankMatcher::PostReceive(const CallTimes& call,
                                                            const Envelope& posted, uint32_t lane) {
    const Handle half = state_->channels.Make(Half{call, kNoTime, 0, kNoBytes});
    const bool wildcard = posted.peer == kAnySource || posted.tag == kAnyTag;
    const NodeId node = Order(posted.comm)->Post(ReceiveKey(posted, lane), half);
    return PendingReceive{half, node, posted.comm, wildcard};
}

bool RankMatcher::TakeMessage(const CallTimes& call, uint64_t message, PendingReceive* receive) {
    const TakenMessage* taken = message == 0 ? nullptr : messages_.Find(message);
    if (taken == nullptr) return false;
    receive->half = taken->half;
    receive->comm = taken->envelope.comm;
    messages_.Erase(message);
    state_->channels.SetCall(receive->half, call);
    return true;
}

bool RankMatcher::TakeFirstMessage(const Envelope& actual, uint64_t* message) {
    bool found = false;
    messages_.ForEach([&](uint64_t id, const TakenMessage& taken) {
        const Envelope& at = taken.envelope;
        if (at.comm != actual.comm || at.peer != actual.peer || at.tag != actual.tag) return;
        if (!found || id < *message) *message = id;
        found = true;
    });
    return found;
}

void RankMatcher::StartReceive(const CallTimes& call, const Envelope& posted, uint64_t request) {
    if (!IsRank(posted.peer) && posted.peer != kAnySource) return;
    const PendingReceive receive = PostReceive(call, posted, 0);
    if (request != 0) requests_.Insert(request, Request{})->receive = receive;
}

void RankMatcher::StartMatchedReceive(const CallTimes& call, const Envelope& actual,
                                      uint64_t request) {
    uint64_t first = 0;
    PendingReceive receive;
    if (TakeMessage(call, request, &receive) ||
        (!lost_receives_ && TakeFirstMessage(actual, &first) &&
         TakeMessage(call, first, &receive))) {
        if (request != 0) requests_.Insert(request, Request{})->receive = receive;
    } else if (!lost_receives_) {
        StartReceive(call, actual, request);
    } else {
        ReportLostProbe(call, actual);
    }
}

// The place of its message is that of the MPI_Mprobe, whose record is lost.
void RankMatcher::ReportLostProbe(const CallTimes& call, const Envelope& actual) {
    state_->sink->Unmatched(UnmatchedRow{Side::kReceive, Why::kPartnerLost, actual.comm, rank_,
                                         actual.peer, actual.tag, actual.bytes, call.span,
                                         call.begin});
}

void RankMatcher::ReceiveNow(const CallTimes& call, const Envelope& posted,
                             const Envelope& actual) {
    if (call.end == kNoTime) {
        if (IsRank(posted.peer) || posted.peer == kAnySource) PostReceive(call, posted, 0);
        return;
    }
    if (!IsRank(actual.peer)) return;
    const Handle half = state_->channels.Make(Half{call, kNoTime, 0, actual.bytes});
    state_->channels.Complete(half, call.end, call.span, call.begin);
    Order(posted.comm)->PostResolved(ReceiveKey(actual, 0), half);
}

void RankMatcher::Receive(const CallTimes& call, const Envelope& posted, const Envelope& actual,
                          uint64_t message) {
    PendingReceive receive;
    if (!TakeMessage(call, message, &receive)) {
        if (message == 0 || !lost_receives_) {
            ReceiveNow(call, posted, actual);
        } else {
            ReportLostProbe(call, actual);
        }
        return;
    }
    if (call.end == kNoTime) return;
    state_->channels.SetBytes(receive.half, actual.bytes);
    state_->channels.Complete(receive.half, call.end, call.span, call.begin);
}

void RankMatcher::FailReceive(const CallTimes& call, const Envelope& posted) {
    if (!IsRank(posted.peer) && posted.peer != kAnySource) return;
    EmitUnplaced(Half{call, kNoTime, 0, kNoBytes}, ReceiveKey(posted, 0), Why::kFailed);
}

void RankMatcher::SendReceive(const CallTimes& call, const Envelope& to, const Envelope& posted,
                              const Envelope& actual, uint64_t request) {
    if (request == 0) {
        Send(call, to, 0);
        ReceiveNow(call, posted, actual);
        return;
    }
    Request entry;
    if (IsRank(to.peer)) entry.send = PlaceSend(call, to, 0, false);
    if (IsRank(posted.peer) || posted.peer == kAnySource) {
        entry.receive = PostReceive(call, posted, 0);
    }
    *requests_.Insert(request, Request{}) = entry;
}

void RankMatcher::Mprobe(const CallTimes& call, const Envelope& actual, uint64_t message) {
    if (message == 0 || !IsRank(actual.peer)) return;
    const Handle half = state_->channels.Make(Half{call, kNoTime, 0, actual.bytes});
    Order(actual.comm)->PostResolved(ReceiveKey(actual, 0), half);
    *messages_.Insert(message, TakenMessage{}) = TakenMessage{half, actual};
}

void RankMatcher::InitPersistent(Side side, const Envelope& envelope, uint64_t request,
                                 bool partitioned) {
    if (request == 0) return;
    Template made;
    made.side = side;
    made.envelope = envelope;
    if (partitioned) made.lane = NextLane(envelope.comm, envelope.peer, envelope.tag, side, false);
    requests_.Insert(request, Request{})->persistent = static_cast<int32_t>(templates_.size());
    templates_.push_back(made);
}

void RankMatcher::InitCollective(const CollectiveRow& row, uint64_t request) {
    if (request == 0) return;
    Template made;
    made.is_collective = true;
    made.row = row;
    made.lane = NextLane(row.comm, 0, 0, Side::kSend, true);
    requests_.Insert(request, Request{})->persistent = static_cast<int32_t>(templates_.size());
    templates_.push_back(made);
}

void RankMatcher::Start(const CallTimes& call, uint64_t request) {
    Request* entry = requests_.Find(request);
    if (entry == nullptr || entry->persistent < 0) return;
    const Template& made = templates_[entry->persistent];
    if (made.is_collective) {
        entry->collective = StartCollective(call, made.row, made.lane);
    } else if (made.side == Side::kSend) {
        if (IsRank(made.envelope.peer)) {
            entry->send = PlaceSend(call, made.envelope, made.lane, false);
        }
    } else if (IsRank(made.envelope.peer) || made.envelope.peer == kAnySource) {
        entry->receive = PostReceive(call, made.envelope, made.lane);
    }
}

void RankMatcher::EmitUnplaced(const Half& half, const ChannelKey& key, Why why) {
    const auto known = [](int32_t number) { return number >= 0 ? number : kNoNumber; };
    state_->sink->Unmatched(UnmatchedRow{Side::kReceive, why, key.comm, rank_, known(key.from),
                                         known(key.tag), half.bytes, half.call.span,
                                         half.call.begin});
}

inline void RankMatcher::CompleteSend(Handle half, const Completion& completion) {
    if (completion.cancelled) {
        state_->channels.Withdraw(half, Why::kCancelled);
    } else {
        state_->channels.Complete(half, completion.done, completion.done_span,
                                  completion.done_begin);
    }
}

inline void RankMatcher::CompleteReceive(const PendingReceive& receive,
                                         const Completion& completion) {
    ChannelTable& channels = state_->channels;
    ReceiveOrder* order = Order(receive.comm);
    if (completion.cancelled) {
        if (channels.IsPlaced(receive.half)) {
            channels.Withdraw(receive.half, Why::kCancelled);
        } else {
            const ChannelKey key = order->KeyOf(receive.node);
            const Handle half = order->Withdraw(receive.node);
            EmitUnplaced(channels.Discard(half), key, Why::kCancelled);
        }
        return;
    }
    const Envelope& actual = completion.actual;
    if (receive.wildcard && !(IsRank(actual.peer) && actual.tag != kNoNumber)) {
        const ChannelKey key = order->KeyOf(receive.node);
        const Handle half = order->Withdraw(receive.node);
        EmitUnplaced(channels.Discard(half), key, Why::kSourceUnknown);
        return;
    }
    if (actual.bytes != kNoBytes) channels.SetBytes(receive.half, actual.bytes);
    channels.Complete(receive.half, completion.done, completion.done_span, completion.done_begin);
    if (receive.wildcard) order->Resolve(receive.node, actual.peer, actual.tag);
}

// A wildcard receive whose record is lost got this message: the first one that could have. `comm` 0:
// of any communicator.
bool RankMatcher::CompleteLost(uint64_t comm, const Envelope& actual) {
    if (!IsRank(actual.peer)) return false;
    const auto resolve = [&](ReceiveOrder* order) {
        const NodeId node = order->FindLost(actual.peer, actual.tag);
        if (node == ReceiveOrder::kPlaced) return false;
        order->Resolve(node, actual.peer, actual.tag);
        return true;
    };
    if (comm != 0) return resolve(Order(comm));
    return std::any_of(orders_.begin(), orders_.end(),
                       [&](const auto& order) { return resolve(order.get()); });
}

void RankMatcher::Complete(const Completion& completion) {
    Request* entry = requests_.Find(completion.request);
    if (entry == nullptr) {
        if (completion.wildcard && !completion.cancelled) CompleteLost(0, completion.actual);
        return;
    }
    const Request request = *entry;
    entry->send = ChannelTable::kNone;
    entry->receive = PendingReceive{};
    entry->collective = -1;
    if (request.persistent < 0 || completion.freed) requests_.Erase(completion.request);
    if (request.send != ChannelTable::kNone) CompleteSend(request.send, completion);
    if (request.receive.half != ChannelTable::kNone) CompleteReceive(request.receive, completion);
    if (request.collective >= 0) {
        CompleteCollective(request.collective,
                           {completion.done_span, completion.done_begin, completion.done});
    }
}

uint64_t RankMatcher::CommOf(uint64_t request) {
    const Request* entry = requests_.Find(request);
    return entry == nullptr ? 0 : entry->receive.comm;
}

inline int32_t RankMatcher::StartCollective(const CallTimes& call, const CollectiveRow& row,
                                            uint32_t lane) {
    int32_t index = static_cast<int32_t>(pending_collectives_.size());
    if (free_collectives_.empty()) {
        pending_collectives_.emplace_back();
    } else {
        index = free_collectives_.back();
        free_collectives_.pop_back();
    }
    CollectiveRow& pending = pending_collectives_[index];
    pending = row;
    pending.rank = rank_;
    pending.span = call.span;
    pending.begin = call.begin;
    pending.end = kNoTime;
    pending.instance = state_->collectives->Next(row.comm, lane, rank_, call.begin);
    return index;
}

inline void RankMatcher::CompleteCollective(int32_t index, const CallTimes& by) {
    CollectiveRow& pending = pending_collectives_[index];
    pending.end = by.end;
    pending.done_span = by.span;
    pending.done_begin = by.begin;
    state_->sink->Collective(pending);
    free_collectives_.push_back(index);
}

void RankMatcher::Collective(const CallTimes& call, const CollectiveRow& row, uint64_t request) {
    if (request != 0) {
        requests_.Insert(request, Request{})->collective = StartCollective(call, row, 0);
        return;
    }
    CollectiveRow* made = RoomForCollective();
    if (made != &row) *made = row;
    made->rank = rank_;
    made->span = call.span;
    made->begin = call.begin;
    made->end = call.end;
    made->done_span = call.span;
    made->done_begin = call.begin;
    made->instance = state_->collectives->Next(row.comm, 0, rank_, call.begin);
    state_->sink->Collective(*made);
}

void RankMatcher::LoseMessages(Side side, const Envelope& envelope, uint64_t count) {
    if (side == Side::kSend) {
        if (IsRank(envelope.peer)) {
            state_->channels.PlaceLost(SendKey(envelope, 0), Side::kSend, count);
        }
        return;
    }
    lost_receives_ = true;
    if (IsRank(envelope.peer) || envelope.peer == kAnySource) {
        Order(envelope.comm)->PostLost(ReceiveKey(envelope, 0), count);
    }
}

void RankMatcher::LoseCollectives(uint64_t comm, uint64_t count) {
    state_->collectives->Skip(comm, 0, rank_, count);
}

void RankMatcher::LoseCompletions(uint64_t request, const Envelope& actual, uint64_t count) {
    const Request* entry = request == 0 ? nullptr : requests_.Find(request);
    if (entry == nullptr) {
        while (count-- > 0 && CompleteLost(actual.comm, actual)) continue;
        return;
    }
    Completion completion;
    completion.request = request;
    completion.actual = actual;
    completion.is_receive = true;
    completion.wildcard = entry->receive.wildcard;
    completion.cancelled = !completion.wildcard && !IsRank(actual.peer);
    Complete(completion);
}

void RankMatcher::Finish() {
    for (const std::unique_ptr<ReceiveOrder>& order : orders_) {
        order->Finish([this](const ChannelKey& key, Handle half) {
            EmitUnplaced(state_->channels.Discard(half), key, Why::kOpen);
        });
    }
    requests_.ForEach([this](uint64_t, Request& request) {
        if (request.collective >= 0) CompleteCollective(request.collective, {0, kNoTime, kNoTime});
        request.collective = -1;
    });
}

}  // namespace comshu::read
