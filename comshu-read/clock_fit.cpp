#include "comshu/read/clock_fit.h"

#include <algorithm>
#include <cmath>

namespace comshu::read {
namespace {

// Pairs closer together than this give a worse rate than the nominal one.
constexpr int64_t kShortestFitNs = 10'000'000;

}  // namespace

bool ClockFit::Solve(uint64_t nominal) {
    const double nominal_rate = nominal == 0 ? 1.0 : 1e9 / static_cast<double>(nominal);
    realtime_ = {.base_ticks = 0, .base_ns = 0, .ns_per_tick = nominal_rate};
    error_ns_ = 0;
    if (pairs_.empty()) return false;
    // Relative to the first pair, so that sums keep their digits.
    const core::Calibration base =
        *std::min_element(pairs_.begin(), pairs_.end(),
                          [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
    const double count = static_cast<double>(pairs_.size());
    double mean_x = 0;
    double mean_y = 0;
    int64_t span = 0;
    for (const core::Calibration& pair : pairs_) {
        mean_x += static_cast<double>(pair.ticks - base.ticks) / count;
        mean_y += static_cast<double>(pair.monotonic_ns - base.monotonic_ns) / count;
        span = std::max(span, pair.monotonic_ns - base.monotonic_ns);
    }
    double rate = nominal_rate;
    if (span >= kShortestFitNs || nominal == 0) {
        double xx = 0;
        double xy = 0;
        for (const core::Calibration& pair : pairs_) {
            const double x = static_cast<double>(pair.ticks - base.ticks) - mean_x;
            const double y = static_cast<double>(pair.monotonic_ns - base.monotonic_ns) - mean_y;
            xx += x * x;
            xy += x * y;
        }
        if (xx > 0 && xy > 0) rate = xy / xx;
    }
    const double offset = mean_y - rate * mean_x;
    // The realtime clock may be set while the program runs: the middle pair speaks for it.
    std::vector<int64_t> ahead;
    for (const core::Calibration& pair : pairs_) {
        ahead.push_back(pair.realtime_ns - pair.monotonic_ns);
        const double line = offset + rate * static_cast<double>(pair.ticks - base.ticks);
        error_ns_ = std::max(
            error_ns_, std::abs(line - static_cast<double>(pair.monotonic_ns - base.monotonic_ns)));
    }
    std::nth_element(ahead.begin(), ahead.begin() + static_cast<ptrdiff_t>(ahead.size() / 2),
                     ahead.end());
    realtime_.base_ticks = base.ticks;
    realtime_.base_ns =
        base.monotonic_ns + static_cast<int64_t>(std::llround(offset)) + ahead[ahead.size() / 2];
    realtime_.ns_per_tick = rate;
    return true;
}

}  // namespace comshu::read
