// Ticks of a process as ns from the start of the run.
#ifndef COMSHU_READ_CLOCK_FIT_H_
#define COMSHU_READ_CLOCK_FIT_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "comshu/core/clock.h"
#include "comshu/read/clock_curve.h"

namespace comshu::read {

// A straight line from ticks to ns, and what the logical clock makes of that; rounding is monotone, so
// order is kept.
struct TickScale {
    uint64_t base_ticks = 0;
    int64_t base_ns = 0;
    double ns_per_tick = 1;
    const ClockCurve* curve = nullptr;  // Null: none.

    int64_t ToNs(uint64_t ticks) const {
        const int64_t ns =
            base_ns +
            static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(ticks - base_ticks)) *
                                 ns_per_tick);
        return curve == nullptr ? ns : curve->At(ns);
    }
    // The ticks that come closest to a time.
    uint64_t ToTicks(int64_t ns) const {
        const int64_t line_ns = curve == nullptr ? ns : curve->Inverse(ns);
        return base_ticks + static_cast<uint64_t>(
                                std::llround(static_cast<double>(line_ns - base_ns) / ns_per_tick));
    }
    int64_t DurationNs(uint64_t ticks) const {
        return static_cast<int64_t>(static_cast<double>(ticks) * ns_per_tick);
    }
};

// Problem: every process of a host reads the same counter, at a rate that is known only by pairs
// (ticks, clock). Idea: all pairs of all processes of one boot give one line by least squares, so
// that ranks of a host share a clock exactly. Boots are set beside each other by the realtime clock.
class ClockFit {
public:
    void Add(const core::Calibration& pair) { pairs_.push_back(pair); }

    // `nominal` ticks per second stands in where the pairs lie too close together (0: not known).
    // False without any pair: then the scale starts at tick 0 with the nominal rate.
    bool Solve(uint64_t nominal);

    // To ns of CLOCK_REALTIME.
    const TickScale& realtime() const { return realtime_; }
    size_t pairs() const { return pairs_.size(); }
    // The largest distance of a pair from the line.
    double error_ns() const { return error_ns_; }

private:
    std::vector<core::Calibration> pairs_;
    TickScale realtime_;
    double error_ns_ = 0;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_CLOCK_FIT_H_
