// The controlled logical clock: times moved as little as can be so that no message runs backwards.
#ifndef COMSHU_READ_LOGICAL_CLOCK_H_
#define COMSHU_READ_LOGICAL_CLOCK_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "comshu/read/clock_curve.h"

namespace comshu::read {

// Problem: clocks of hosts that were compared are still off by some microseconds, or were never compared,
// and a receive then ends before its send begins. Idea (Rabenseifner 1997; Becker, Rabenseifner, Wolf
// 2009; formulas in docs/clocks.md): every clock is a sequence of events; an event may not come before
// those it depends on on other clocks. Forward, one that would is moved behind them, and its clock then
// runs a little slow until it has its own time again. Backward, what lies before such a jump is moved
// forward a little, increasing towards it, no send further than its receive. All processes of one host
// are one clock here, so their order among each other is never touched.
// Times come in any order; Solve gives a curve per clock. O(n log n), 50 bytes per event.
class LogicalClock {
public:
    using Event = uint32_t;

    explicit LogicalClock(uint32_t clocks) : clocks_(clocks) {}

    // An event on a clock; one on none: it happens when all that it depends on has.
    Event At(uint32_t clock, int64_t ns);
    Event Join();
    // `later` may not come before `earlier`.
    void Order(Event earlier, Event later) { edges_.push_back({earlier, later}); }

    std::vector<ClockCurve> Solve();
    // Dependencies that could not be kept, since they form circles: the trace is wrong.
    uint64_t given_up() const { return given_up_; }

private:
    static constexpr uint32_t kNoClock = UINT32_MAX;
    struct Edge {
        uint32_t from;
        uint32_t to;
    };
    struct Node {
        int64_t ns = 0;
        int64_t set_ns = 0;  // As corrected.
        int64_t need_ns = 0;
        uint32_t clock = kNoClock;
        uint32_t missing = 0;  // Of what has to come before it.
        bool is_done = false;
    };
    struct Jump {
        uint32_t node;
        int64_t ns;
    };

    void MakeNodes();
    bool HasBefore(uint32_t node) const {
        return node > 0 && nodes_[node].clock != kNoClock &&
               nodes_[node - 1].clock == nodes_[node].clock;
    }
    void Forward();
    void Finish(uint32_t node, std::vector<uint32_t>* ready);
    // The earliest event that nothing on its own clock holds up; `lanes`: what is left of each clock.
    uint32_t FirstStuck(std::vector<std::pair<uint32_t, uint32_t>>* lanes) const;
    int64_t Room(uint32_t node) const;
    int64_t Latest(uint32_t node) const;
    void Backward();
    void Spread(const Jump& jump);
    std::vector<ClockCurve> Curves() const;

    uint32_t clocks_;
    std::vector<Node> nodes_;  // First as added, then in order of clock and time.
    std::vector<Edge> edges_;
    std::vector<uint32_t> first_;  // Per node, and one more: its edges in targets_.
    std::vector<uint32_t> targets_;
    std::vector<Jump> jumps_;
    std::vector<int64_t> begin_ns_;  // Per clock: where the correction of its first events begins.
    uint64_t given_up_ = 0;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_LOGICAL_CLOCK_H_
