#include "efficiency.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace comshu::analysis {
namespace {

constexpr int64_t kNotCome = std::numeric_limits<int64_t>::min();

class Replay {
public:
    Replay(const CallGraph& graph, const Window& window)
        : graph_(graph),
          window_(window),
          lanes_(graph.lanes().size()),
          entered_(graph.calls().size(), kNotCome),
          met_(graph.groups().size(), kNotCome) {
        for (size_t i = 0; i < lanes_.size(); ++i) {
            lanes_[i].last_ns = std::max(window.t0_ns, graph.lanes()[i].begin_ns);
        }
    }

    void Run() {
        ForEachEvent(graph_, window_, [&](uint32_t call, int64_t time_ns, bool is_exit) {
            LaneClock& lane = lanes_[graph_.calls()[call].lane];
            if (is_exit) {
                lane.clock_ns = std::max(lane.clock_ns, Needed(call));
                lane.last_ns = time_ns;
                lane.is_inside = false;
            } else {
                Compute(&lane, time_ns);
                lane.is_inside = true;
                Enter(call, lane.clock_ns);
            }
        });
        for (size_t i = 0; i < lanes_.size(); ++i) {
            if (lanes_[i].is_inside) continue;
            Compute(&lanes_[i], std::min(window_.t1_ns, graph_.lanes()[i].end_ns));
        }
    }

    int64_t UsefulNs(size_t lane) const { return lanes_[lane].useful_ns; }
    int64_t IdealNs() const {
        int64_t most = 0;
        for (const LaneClock& lane : lanes_) most = std::max(most, lane.clock_ns);
        return most;
    }

private:
    struct LaneClock {
        int64_t clock_ns = 0;
        int64_t last_ns = 0;  // Real time up to which it is worked out.
        int64_t useful_ns = 0;
        bool is_inside = false;
    };

    static void Compute(LaneClock* lane, int64_t until_ns) {
        const int64_t ns = std::max<int64_t>(0, until_ns - lane->last_ns);
        lane->clock_ns += ns;
        lane->useful_ns += ns;
    }

    void Enter(uint32_t call, int64_t clock_ns) {
        entered_[call] = clock_ns;
        graph_.ForEachEntered(call, [&](uint32_t member) {
            int64_t& met = met_[graph_.members()[member].group];
            met = std::max(met, clock_ns);
        });
    }

    // The clock that others have to reach before the call can end.
    int64_t Needed(uint32_t call) const {
        int64_t needed = kNotCome;
        graph_.ForEachSender(call,
                             [&](uint32_t other) { needed = std::max(needed, entered_[other]); });
        graph_.ForEachLeft(
            call, [&](uint32_t member) { needed = std::max(needed, NeededOfGroup(member)); });
        return needed;
    }

    int64_t NeededOfGroup(uint32_t member) const {
        const uint32_t index = graph_.members()[member].group;
        const Group& group = graph_.groups()[index];
        switch (group.shape) {
            case Shape::kAll:
                return met_[index];
            case Shape::kToRoot:
                return member == group.root ? met_[index] : kNotCome;
            case Shape::kFromRoot:
                return group.root == kNoCall ? kNotCome
                                             : entered_[graph_.members()[group.root].enter];
            case Shape::kScan:
                break;
        }
        int64_t needed = kNotCome;
        for (uint32_t i = group.first_member; i < member; ++i)
            needed = std::max(needed, entered_[graph_.members()[i].enter]);
        return needed;
    }

    const CallGraph& graph_;
    Window window_;
    std::vector<LaneClock> lanes_;
    std::vector<int64_t> entered_;  // Clock of its lane, by call.
    std::vector<int64_t> met_;      // The highest of them, by group.
};

}  // namespace

Efficiency EfficiencyOf(const CallGraph& graph, const Window& window) {
    Replay replay(graph, window);
    replay.Run();
    Efficiency result;
    result.window = window;
    result.ideal_ns = replay.IdealNs();
    std::map<int32_t, double> threads;
    for (size_t i = 0; i < graph.lanes().size(); ++i) {
        const int32_t rank = graph.lanes()[i].rank;
        threads[rank] += 1;
        result.useful_ns[rank] += static_cast<double>(replay.UsefulNs(i));
    }
    for (auto& [rank, ns] : result.useful_ns) {
        ns /= threads[rank];
        result.useful_mean_ns += ns / static_cast<double>(threads.size());
        result.useful_max_ns = std::max(result.useful_max_ns, ns);
    }
    const auto share = [](double part, double of) { return of > 0 ? part / of : std::nan(""); };
    const auto run_ns = static_cast<double>(window.t1_ns - window.t0_ns);
    const auto ideal_ns = static_cast<double>(result.ideal_ns);
    result.parallel = share(result.useful_mean_ns, run_ns);
    result.load_balance = share(result.useful_mean_ns, result.useful_max_ns);
    result.communication = share(result.useful_max_ns, run_ns);
    result.serialisation = share(result.useful_max_ns, ideal_ns);
    result.transfer = share(ideal_ns, run_ns);
    return result;
}

}  // namespace comshu::analysis
