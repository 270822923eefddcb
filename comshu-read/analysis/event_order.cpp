#include "event_order.h"

namespace comshu::analysis {

EventOrder::EventOrder(OrderedRows* rows, EventVisitor* visitor)
    : rows_(rows), visitor_(visitor), lanes_(rows->lanes().size()) {
    next_message_ = rows_->messages()->Next();
    next_member_ = rows_->members()->Next();
}

void EventOrder::Expect(uint64_t span, Link link) {
    const uint32_t listed = links_.Take();
    uint32_t* first = by_span_.Insert(span, kNone);
    links_[listed] = {link, *first};
    *first = listed;
}

// The order of messages and operations of one call is of no account.
void EventOrder::TakeLinks(uint64_t span) {
    taken_.clear();
    const uint32_t* first = by_span_.Find(span);
    if (first == nullptr) return;
    for (uint32_t at = *first; at != kNone;) {
        taken_.push_back(links_[at].link);
        links_.Give(at);
        at = links_[at].next;
    }
    by_span_.Erase(span);
}

void EventOrder::AddMessage(const MessageTimes& times) {
    // Without one of its ends nobody waits for it.
    const bool sends = times.send_span != 0 && times.recv_done_span != 0;
    const bool posts = times.recv_span != 0 && times.send_done_span != 0;
    if (!sends && !posts) return;
    const uint32_t index = messages_.Take();
    Message& message = messages_[index];
    message = Message{};
    message.send_ns = times.send_ns;
    if (sends) {
        message.send_lane = rows_->LaneOf(times.send_span);
        message.missing |= kSend | kReceiveDone;
    }
    if (posts) message.missing |= kPost | kSendDone;
    const auto expect = [&](uint64_t start, uint64_t done, uint8_t start_role, uint8_t done_role) {
        const uint8_t of_start = message.missing & start_role;
        const uint8_t of_done = message.missing & done_role;
        if (of_start != 0 && of_done != 0 && start == done) {
            Expect(start, {index, static_cast<uint8_t>(of_start | of_done)});
            return;
        }
        if (of_start != 0) Expect(start, {index, of_start});
        if (of_done != 0) Expect(done, {index, of_done});
    };
    expect(times.send_span, times.send_done_span, kSend, kSendDone);
    expect(times.recv_span, times.recv_done_span, kPost, kReceiveDone);
}

void EventOrder::AddMember(const MemberRow& row) {
    uint32_t* group = group_of_.Insert(row.instance, kNone);
    if (*group == kNone) {
        *group = groups_.Take();
        groups_[*group] = {row.members, row.leaving, false, row.instance};
    }
    const uint32_t index = members_.Take();
    members_[index] = {row, *group,
                       static_cast<uint8_t>(row.done_span != 0 ? kEnter | kLeave : kEnter)};
    if (row.span == row.done_span) {
        Expect(row.span, {index, kEnter | kLeave});
        return;
    }
    Expect(row.span, {index, kEnter});
    if (row.done_span != 0) Expect(row.done_span, {index, kLeave});
}

void EventOrder::Met(const Link& link, uint8_t roles) {
    if ((link.roles & (kEnter | kLeave)) == 0) {
        Message& message = messages_[link.index];
        message.missing &= static_cast<uint8_t>(~roles);
        if (message.missing == 0) messages_.Give(link.index);
        return;
    }
    Member& member = members_[link.index];
    Group& group = groups_[member.group];
    member.missing &= static_cast<uint8_t>(~roles);
    if ((roles & kEnter) != 0) --group.to_enter;
    if ((roles & kLeave) != 0) --group.to_leave;
    if (group.to_enter == 0 && group.to_leave == 0) {
        group_of_.Erase(group.instance);
        groups_.Give(member.group);
    }
    if (member.missing == 0) members_.Give(link.index);
}

void EventOrder::Feed(const CallRow& row) {
    for (; next_message_ != nullptr && next_message_->first_ns <= row.begin_ns;
         next_message_ = rows_->messages()->Next()) {
        AddMessage(*next_message_);
    }
    for (; next_member_ != nullptr && next_member_->begin_ns <= row.begin_ns;
         next_member_ = rows_->members()->Next()) {
        AddMember(*next_member_);
    }
    TakeLinks(row.span);
    LaneState& lane = lanes_[row.lane];
    if (lane.has_last && row.begin_ns < lane.last_end_ns && row.end_ns <= lane.last_end_ns) {
        if (taken_.empty() || lane.calls.empty()) return;
        Active& outer = calls_[lane.calls.back()];
        outer.links.insert(outer.links.end(), taken_.begin(), taken_.end());
        if (!outer.entered) return;
        ties_.clear();
        for (const Link& link : taken_) EnterLink(outer, link);
        if (!ties_.empty()) visitor_->Join(outer.row, ties_);
        return;
    }
    const uint32_t index = calls_.Take();
    Active& call = calls_[index];
    call.row = row;
    call.entered = false;
    call.links.assign(taken_.begin(), taken_.end());
    lane.has_last = true;
    lane.last_end_ns = row.end_ns;
    lane.calls.push_back(index);
    if (lane.calls.size() == 1) turns_.emplace(row.begin_ns, false, row.lane);
}

void EventOrder::EnterLink(const Active& call, const Link& link) {
    if ((link.roles & kEnter) != 0) {
        const Member& member = members_[link.index];
        Group& group = groups_[member.group];
        ties_.push_back({TieKind::kEnters, !group.entered, member.row.is_root, member.row.is_scan,
                         member.group, member.row.index});
        group.entered = true;
        Met(link, kEnter);
    } else if ((link.roles & (kSend | kPost)) != 0) {
        Message& message = messages_[link.index];
        const bool sends = (link.roles & kSend) != 0;
        (sends ? message.send_ns : message.post_ns) = call.row.begin_ns;
        (sends ? message.send_lane : message.post_lane) = call.row.lane;
        if (sends) message.sent = true;
        ties_.push_back(
            {sends ? TieKind::kSends : TieKind::kPosts, false, false, false, link.index, 0});
        Met(link, sends ? kSend : kPost);
    }
}

Release EventOrder::ReleaseOf(const Active& call) {
    const CallRow& row = call.row;
    Release release{row.begin_ns, kNone};
    const auto consider = [&](int64_t begin_ns, uint32_t lane) {
        if (lane == kNone || lane == row.lane || begin_ns <= row.begin_ns) return;
        if (release.cause_lane != kNone &&
            (begin_ns < release.ns || (begin_ns == release.ns && lane > release.cause_lane)))
            return;
        release = {begin_ns, lane};
    };
    bool receives = false;
    for (const Link& link : call.links) {
        if ((link.roles & kReceiveDone) == 0) continue;
        const Message& message = messages_[link.index];
        if (message.send_lane == kNone ||
            (message.send_lane == row.lane && message.send_ns == row.begin_ns)) {
            continue;
        }
        receives = true;
        consider(message.send_ns, message.send_lane);
        if (message.sent)
            ties_.push_back({TieKind::kNeedsSender, false, false, false, link.index, 0});
    }
    for (const Link& link : call.links) {
        if ((link.roles & kSendDone) != 0 && !receives) {
            // A call that completes receives may have stood for these.
            const Message& message = messages_[link.index];
            if (message.post_lane == kNone || message.post_ns <= row.begin_ns ||
                message.post_ns >= row.end_ns) {
                continue;
            }
            consider(message.post_ns, message.post_lane);
            ties_.push_back({TieKind::kNeedsReceiver, false, false, false, link.index, 0});
        } else if ((link.roles & kLeave) != 0) {
            const Member& member = members_[link.index];
            if (member.row.needs == Needs::kNobody) continue;
            consider(member.row.cause_ns, member.row.cause_lane);
            ties_.push_back({member.row.needs == Needs::kAll    ? TieKind::kNeedsAll
                             : member.row.needs == Needs::kRoot ? TieKind::kNeedsRoot
                                                                : TieKind::kNeedsLower,
                             false, false, false, member.group, member.row.index});
        }
    }
    release.ns = std::min(release.ns, row.end_ns);
    return release;
}

void EventOrder::Leave(const Active& call) {
    ties_.clear();
    const Release release = ReleaseOf(call);
    visitor_->Exit(call.row, ties_, release);
    for (const Link& link : call.links) {
        const auto roles = static_cast<uint8_t>(link.roles & (kSendDone | kReceiveDone | kLeave));
        if (roles != 0) Met(link, roles);
    }
}

void EventOrder::TakeTurn() {
    const auto [time_ns, is_exit, lane_index] = turns_.top();
    turns_.pop();
    LaneState& lane = lanes_[lane_index];
    Active& call = calls_[lane.calls.front()];
    if (!is_exit) {
        ties_.clear();
        for (const Link& link : call.links) EnterLink(call, link);
        call.entered = true;
        visitor_->Enter(call.row, ties_);
        turns_.emplace(call.row.end_ns, true, lane_index);
        return;
    }
    Leave(call);
    calls_.Give(lane.calls.front());
    lane.calls.pop_front();
    if (!lane.calls.empty())
        turns_.emplace(calls_[lane.calls.front()].row.begin_ns, false, lane_index);
}

bool EventOrder::Run(std::string* error) {
    const CallRow* next = rows_->calls()->Next();
    while (next != nullptr || !turns_.empty()) {
        while (next != nullptr && (turns_.empty() || next->begin_ns <= std::get<0>(turns_.top()))) {
            Feed(*next);
            next = rows_->calls()->Next();
        }
        if (!turns_.empty()) TakeTurn();
    }
    *error = rows_->error();
    return error->empty();
}

}  // namespace comshu::analysis
