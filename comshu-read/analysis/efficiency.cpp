#include "efficiency.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace comshu::analysis {
namespace {

constexpr int64_t kNotCome = std::numeric_limits<int64_t>::min();

// One window. What began before it holds nobody up: that has come.
class Replay {
public:
    Replay(const std::vector<Lane>& lanes, const Window& window)
        : all_lanes_(lanes), window_(window), lanes_(lanes.size()) {
        for (size_t i = 0; i < lanes_.size(); ++i)
            lanes_[i].last_ns = std::max(window.t0_ns, lanes[i].begin_ns);
    }

    const Window& window() const { return window_; }

    void Enter(const CallRow& call, const Ties& ties) {
        LaneClock& lane = lanes_[call.lane];
        Compute(&lane, std::max(call.begin_ns, window_.t0_ns));
        lane.is_inside = true;
        Join(call, ties);
    }

    void Join(const CallRow& call, const Ties& ties) {
        const int64_t clock_ns = lanes_[call.lane].clock_ns;
        for (const Tie& tie : ties) {
            if (tie.kind == TieKind::kSends) AtSlot(&sent_, tie.slot).ns = clock_ns;
            if (tie.kind != TieKind::kEnters) continue;
            Met& met = AtSlot(&met_, tie.slot);
            if (tie.is_first) met = Met{};
            met.all_ns = std::max(met.all_ns, clock_ns);
            if (tie.is_root) met.root_ns = clock_ns;
            if (tie.is_scan) met.members.emplace_back(tie.index, clock_ns);
        }
    }

    void Exit(const CallRow& call, const Ties& ties) {
        LaneClock& lane = lanes_[call.lane];
        for (const Tie& tie : ties) lane.clock_ns = std::max(lane.clock_ns, Needed(tie));
        lane.last_ns = call.end_ns;
        lane.is_inside = false;
    }

    Efficiency Finish() {
        for (size_t i = 0; i < lanes_.size(); ++i) {
            if (!lanes_[i].is_inside)
                Compute(&lanes_[i], std::min(window_.t1_ns, all_lanes_[i].end_ns));
        }
        Efficiency result;
        result.window = window_;
        std::map<int32_t, double> threads;
        for (size_t i = 0; i < lanes_.size(); ++i) {
            const int32_t rank = all_lanes_[i].rank;
            threads[rank] += 1;
            result.useful_ns[rank] += static_cast<double>(lanes_[i].useful_ns);
            result.ideal_ns = std::max(result.ideal_ns, lanes_[i].clock_ns);
        }
        for (auto& [rank, ns] : result.useful_ns) {
            ns /= threads[rank];
            result.useful_mean_ns += ns / static_cast<double>(threads.size());
            result.useful_max_ns = std::max(result.useful_max_ns, ns);
        }
        const auto share = [](double part, double of) { return of > 0 ? part / of : std::nan(""); };
        const auto run_ns = static_cast<double>(window_.t1_ns - window_.t0_ns);
        const auto ideal_ns = static_cast<double>(result.ideal_ns);
        result.parallel = share(result.useful_mean_ns, run_ns);
        result.load_balance = share(result.useful_mean_ns, result.useful_max_ns);
        result.communication = share(result.useful_max_ns, run_ns);
        result.serialisation = share(result.useful_max_ns, ideal_ns);
        result.transfer = share(ideal_ns, run_ns);
        return result;
    }

private:
    struct LaneClock {
        int64_t clock_ns = 0;
        int64_t last_ns = 0;  // Real time up to which it is worked out.
        int64_t useful_ns = 0;
        bool is_inside = false;
    };
    struct Sent {
        int64_t ns = kNotCome;
    };
    // Clocks at which members of an operation came.
    struct Met {
        int64_t all_ns = kNotCome;
        int64_t root_ns = kNotCome;
        std::vector<std::pair<uint32_t, int64_t>> members;  // Of a scan.
    };

    static void Compute(LaneClock* lane, int64_t until_ns) {
        const int64_t ns = std::max<int64_t>(0, until_ns - lane->last_ns);
        lane->clock_ns += ns;
        lane->useful_ns += ns;
    }

    // The clock that others have to reach before a call can end.
    int64_t Needed(const Tie& tie) {
        switch (tie.kind) {
            case TieKind::kNeedsSender:
                return AtSlot(&sent_, tie.slot).ns;
            case TieKind::kNeedsAll:
                return AtSlot(&met_, tie.slot).all_ns;
            case TieKind::kNeedsRoot:
                return AtSlot(&met_, tie.slot).root_ns;
            case TieKind::kNeedsLower:
                break;
            default:
                return kNotCome;
        }
        int64_t needed = kNotCome;
        for (const auto& [index, ns] : AtSlot(&met_, tie.slot).members) {
            if (index < tie.index) needed = std::max(needed, ns);
        }
        return needed;
    }

    const std::vector<Lane>& all_lanes_;
    Window window_;
    std::vector<LaneClock> lanes_;
    std::vector<Sent> sent_;
    std::vector<Met> met_;
};

class Replays : public EventVisitor {
public:
    Replays(const std::vector<Lane>& lanes, const std::vector<Window>& windows) {
        for (const Window& window : windows) replays_.emplace_back(lanes, window);
    }
    std::vector<Replay>& all() { return replays_; }

    void Enter(const CallRow& call, const Ties& ties) override {
        for (Replay& replay : replays_) {
            if (replay.window().Has(call)) replay.Enter(call, ties);
        }
    }
    void Join(const CallRow& call, const Ties& ties) override {
        for (Replay& replay : replays_) {
            if (replay.window().Has(call)) replay.Join(call, ties);
        }
    }
    void Exit(const CallRow& call, const Ties& ties, const Release&) override {
        for (Replay& replay : replays_) {
            if (replay.window().HasEnd(call)) replay.Exit(call, ties);
        }
    }

private:
    std::vector<Replay> replays_;
};

}  // namespace

bool EfficienciesOf(OrderedRows* rows, const std::vector<Window>& windows,
                    std::vector<Efficiency>* found, std::string* error) {
    Replays replays(rows->lanes(), windows);
    if (!EventOrder(rows, &replays).Run(error)) return false;
    for (Replay& replay : replays.all()) found->push_back(replay.Finish());
    return true;
}

}  // namespace comshu::analysis
