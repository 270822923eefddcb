#include "slack.h"

#include <algorithm>
#include <limits>

namespace comshu::analysis {
namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

class SlackWalk {
public:
    SlackWalk(const CallGraph& graph, const Window& window)
        : graph_(graph),
          window_(window),
          lanes_(graph.lanes().size()),
          may_enter_(graph.calls().size(), kAny),
          group_may_enter_(graph.groups().size(), kAny) {}

    std::vector<int64_t> Run() {
        struct Event {
            uint32_t call;
            bool is_exit;
        };
        std::vector<Event> events;
        events.reserve(2 * graph_.calls().size());
        ForEachEvent(graph_, window_, [&](uint32_t call, int64_t, bool is_exit) {
            events.push_back({call, is_exit});
        });
        for (auto event = events.rbegin(); event != events.rend(); ++event) {
            if (event->is_exit) {
                Exit(event->call);
            } else {
                Enter(event->call);
            }
        }
        std::vector<int64_t> slack;
        for (const LaneSlack& lane : lanes_) {
            slack.push_back(lane.is_known ? lane.total_ns + lane.now_ns : 0);
        }
        return slack;
    }

private:
    struct LaneSlack {
        bool is_known = false;
        int64_t now_ns = 0;    // By how much the event at hand may come later.
        int64_t total_ns = 0;  // What the work behind it may take longer.
    };

    // Whom the call depends on has to come before it would hold the call up longer than that may be.
    void Exit(uint32_t index) {
        const Call& call = graph_.calls()[index];
        LaneSlack& lane = lanes_[call.lane];
        if (!lane.is_known) {
            lane.is_known = true;
            const int64_t last_ns = std::min(graph_.lanes()[call.lane].end_ns, window_.t1_ns);
            lane.now_ns = window_.t1_ns - std::max(last_ns, call.end_ns);
        }
        const int64_t latest_ns = graph_.ReleaseNs(index) + lane.now_ns;
        const auto need = [&](uint32_t other) {
            may_enter_[other] = std::min(may_enter_[other], latest_ns);
        };
        graph_.ForEachSender(index, need);
        graph_.ForEachReceiver(index, need);
        graph_.ForEachLeft(index, [&](uint32_t member) {
            const uint32_t group_index = graph_.members()[member].group;
            const Group& group = graph_.groups()[group_index];
            if (group.shape == Shape::kFromRoot) {
                if (group.root != kNoCall && member != group.root)
                    need(graph_.members()[group.root].enter);
            } else if (group.shape != Shape::kToRoot || member == group.root) {
                int64_t& all = group_may_enter_[group_index];
                all = std::min(all, latest_ns);
            }
        });
    }

    void Enter(uint32_t index) {
        const Call& call = graph_.calls()[index];
        LaneSlack& lane = lanes_[call.lane];
        const int64_t begin_ns = std::max(call.begin_ns, window_.t0_ns);
        int64_t latest_ns = may_enter_[index];
        graph_.ForEachEntered(index, [&](uint32_t member) {
            latest_ns = std::min(latest_ns, group_may_enter_[graph_.members()[member].group]);
        });
        const int64_t allowed_ns =
            latest_ns == kAny ? kAny : std::max<int64_t>(0, latest_ns - begin_ns);
        if (!lane.is_known) {  // The window ends inside the call.
            lane.is_known = true;
            lane.now_ns = std::min(allowed_ns, std::max<int64_t>(0, window_.t1_ns - begin_ns));
            return;
        }
        const int64_t waited_ns = std::max<int64_t>(0, graph_.ReleaseNs(index) - begin_ns);
        const int64_t before_ns = std::min(allowed_ns, lane.now_ns + waited_ns);
        // What the waiting does not swallow is still there behind it and cannot be taken on twice.
        lane.total_ns += lane.now_ns - std::max<int64_t>(0, before_ns - waited_ns);
        lane.now_ns = before_ns;
    }

    const CallGraph& graph_;
    Window window_;
    std::vector<LaneSlack> lanes_;
    std::vector<int64_t> may_enter_;  // Latest time by call, of those that depend on it.
    std::vector<int64_t> group_may_enter_;
};

}  // namespace

std::vector<int64_t> SlackOf(const CallGraph& graph, const Window& window) {
    return SlackWalk(graph, window).Run();
}

}  // namespace comshu::analysis
