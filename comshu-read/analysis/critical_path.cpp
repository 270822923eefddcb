#include "critical_path.h"

#include <algorithm>

namespace comshu::analysis {

CriticalPath::CriticalPath(const EventLog& log, Visit visit)
    : window_(log.window()), visit_(std::move(visit)), lanes_(log.lanes().size()) {
    for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i].next_kind = log.ends()[i].next_kind;
    FindEnd(log);
}

// The lane that something happened on last.
void CriticalPath::FindEnd(const EventLog& log) {
    bool found = false;
    const auto take = [&](size_t lane, int64_t time_ns) {
        if (found && time_ns <= now_ns_) return;
        found = true;
        lane_ = static_cast<uint32_t>(lane);
        now_ns_ = time_ns;
    };
    now_ns_ = window_.t0_ns;
    for (size_t i = 0; i < lanes_.size(); ++i) {
        const EventLog::LaneEnd& end = log.ends()[i];
        if (end.has_calls) take(i, end.last_event_ns);
        // Work behind its last call.
        const int64_t tail_ns = std::min(log.lanes()[i].end_ns, window_.t1_ns);
        const bool is_inside = end.has_calls && end.last_end_ns > tail_ns;
        if (!is_inside && tail_ns > window_.t0_ns) take(i, tail_ns);
    }
    since_ns_ = now_ns_;
}

void CriticalPath::Add(bool is_call, uint32_t kind, int64_t begin_ns) {
    begin_ns = std::max(begin_ns, window_.t0_ns);
    if (begin_ns >= now_ns_) return;
    visit_({lane_, is_call, kind, begin_ns, now_ns_});
    now_ns_ = begin_ns;
}

bool CriticalPath::Jump() {
    const LaneState& lane = lanes_[lane_];
    if (!lane.is_inside || lane.release.cause_lane == kNone || lane.begin_ns >= since_ns_ ||
        lane.release.ns >= since_ns_ || lane.release.ns <= window_.t0_ns) {
        return false;
    }
    Add(true, lane.kind, lane.release.ns);
    lane_ = lane.release.cause_lane;
    since_ns_ = now_ns_;
    return true;
}

void CriticalPath::Exit(const LoggedEvent& event) {
    LaneState& lane = lanes_[event.lane];
    if (event.lane == lane_) Add(false, lane.next_kind, event.time_ns);
    lane.is_inside = true;
    lane.begin_ns = event.begin_ns;
    lane.kind = event.kind;
    lane.release = event.release;
    if (event.lane != lane_) return;
    // Who was waited for may have stood in a call itself.
    while (Jump()) {
    }
}

void CriticalPath::Enter(const LoggedEvent& event) {
    LaneState& lane = lanes_[event.lane];
    if (event.lane == lane_) Add(true, lane.kind, event.time_ns);
    lane.is_inside = false;
    lane.next_kind = lane.kind;
}

void CriticalPath::Take(const LoggedEvent& event) {
    if (event.type == LoggedEvent::Type::kEnter) Enter(event);
    if (event.type == LoggedEvent::Type::kExit) Exit(event);
}

void CriticalPath::Finish() {
    if (lanes_.empty()) return;
    const LaneState& lane = lanes_[lane_];
    Add(lane.is_inside, lane.is_inside ? lane.kind : lane.next_kind, window_.t0_ns);
}

}  // namespace comshu::analysis
