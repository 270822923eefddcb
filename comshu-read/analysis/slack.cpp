#include "slack.h"

#include <algorithm>

namespace comshu::analysis {
namespace {

void Limit(int64_t* latest_ns, int64_t ns) {
    *latest_ns = std::min(*latest_ns, ns);
}

}  // namespace

Slack::Slack(const EventLog& log)
    : all_lanes_(log.lanes()), window_(log.window()), lanes_(log.lanes().size()) {}

// What the call starts has to be there before it would hold others up longer than that may be. Limits are used up:
// the slot belongs to another one before.
void Slack::Start(const LoggedEvent& event, LaneSlack* lane) {
    for (const Tie& tie : event.ties) {
        if (tie.kind == TieKind::kEnters) {
            GroupLimits& group = AtSlot(&groups_, tie.slot);
            Limit(&lane->latest_ns, group.all_ns);
            if (tie.is_root) Limit(&lane->latest_ns, group.root_ns);
            if (tie.is_first) group = GroupLimits{};
            continue;
        }
        MessageLimits& message = AtSlot(&messages_, tie.slot);
        int64_t& limit = tie.kind == TieKind::kSends ? message.send_ns : message.post_ns;
        Limit(&lane->latest_ns, limit);
        limit = kAny;
    }
}

void Slack::Exit(const LoggedEvent& event) {
    LaneSlack& lane = lanes_[event.lane];
    lane.release_ns = event.release.ns;
    lane.latest_ns = kAny;
    if (!event.is_inside) return;
    if (!lane.is_known) {
        lane.is_known = true;
        const int64_t last_ns = std::min(all_lanes_[event.lane].end_ns, window_.t1_ns);
        lane.now_ns = window_.t1_ns - std::max(last_ns, event.time_ns);
    }
    const int64_t latest_ns = event.release.ns + lane.now_ns;
    for (const Tie& tie : event.ties) {
        if (tie.kind == TieKind::kNeedsSender)
            Limit(&AtSlot(&messages_, tie.slot).send_ns, latest_ns);
        if (tie.kind == TieKind::kNeedsReceiver)
            Limit(&AtSlot(&messages_, tie.slot).post_ns, latest_ns);
        if (tie.kind == TieKind::kNeedsAll) Limit(&AtSlot(&groups_, tie.slot).all_ns, latest_ns);
        if (tie.kind == TieKind::kNeedsRoot) Limit(&AtSlot(&groups_, tie.slot).root_ns, latest_ns);
    }
}

void Slack::Enter(const LoggedEvent& event) {
    LaneSlack& lane = lanes_[event.lane];
    Start(event, &lane);
    const int64_t begin_ns = std::max(event.time_ns, window_.t0_ns);
    const int64_t allowed_ns =
        lane.latest_ns == kAny ? kAny : std::max<int64_t>(0, lane.latest_ns - begin_ns);
    if (!lane.is_known) {  // The window ends inside the call.
        lane.is_known = true;
        lane.now_ns = std::min(allowed_ns, std::max<int64_t>(0, window_.t1_ns - begin_ns));
        return;
    }
    const int64_t waited_ns = std::max<int64_t>(0, lane.release_ns - begin_ns);
    const int64_t before_ns = std::min(allowed_ns, lane.now_ns + waited_ns);
    // What the waiting does not swallow is still there behind it and cannot be taken on twice.
    lane.total_ns += lane.now_ns - std::max<int64_t>(0, before_ns - waited_ns);
    lane.now_ns = before_ns;
}

void Slack::Take(const LoggedEvent& event) {
    switch (event.type) {
        case LoggedEvent::Type::kEnter:
            Enter(event);
            break;
        case LoggedEvent::Type::kJoin:
            Start(event, &lanes_[event.lane]);
            break;
        case LoggedEvent::Type::kExit:
            Exit(event);
            break;
    }
}

std::vector<int64_t> Slack::Result() const {
    std::vector<int64_t> slack;
    for (const LaneSlack& lane : lanes_)
        slack.push_back(lane.is_known ? lane.total_ns + lane.now_ns : 0);
    return slack;
}

}  // namespace comshu::analysis
