// How much longer the work of a thread could take.
#ifndef COMSHU_ANALYSIS_SLACK_H_
#define COMSHU_ANALYSIS_SLACK_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "event_log.h"

namespace comshu::analysis {

// By lane: how much longer its work could take in all, spread as suits best, before the window gets longer, all
// others being as they are. 0 for one that is on the critical path throughout. Latest times are worked
// out backwards: of a call its thread's, moved by what the call waited, and no later than those allow
// that depend on it. Ranks of a scan are taken to need all lower ones.
class Slack {
public:
    // `log` has been written to its end.
    explicit Slack(const EventLog& log);
    // All events, the last first.
    void Take(const LoggedEvent& event);
    std::vector<int64_t> Result() const;

private:
    static constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

    struct LaneSlack {
        bool is_known = false;
        int64_t now_ns = 0;        // By how much the event at hand may come later.
        int64_t total_ns = 0;      // What the work behind it may take longer.
        int64_t release_ns = 0;    // Of the call that it is in,
        int64_t latest_ns = kAny;  // and when that may be entered.
    };
    // When those may come at the latest that are waited for, by slot.
    struct MessageLimits {
        int64_t send_ns = kAny;
        int64_t post_ns = kAny;
    };
    struct GroupLimits {
        int64_t all_ns = kAny;
        int64_t root_ns = kAny;
    };

    void Start(const LoggedEvent& event, LaneSlack* lane);
    void Exit(const LoggedEvent& event);
    void Enter(const LoggedEvent& event);

    const std::vector<Lane>& all_lanes_;
    Window window_;
    std::vector<LaneSlack> lanes_;
    std::vector<MessageLimits> messages_;
    std::vector<GroupLimits> groups_;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_SLACK_H_
