// A correction of times: a line of straight pieces that never falls.
#ifndef COMSHU_READ_CLOCK_CURVE_H_
#define COMSHU_READ_CLOCK_CURVE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace comshu::read {

// Before the first knot and behind the last one times move as far as these do. O(log knots).
class ClockCurve {
public:
    struct Knot {
        int64_t from_ns = 0;
        int64_t to_ns = 0;
    };

    // In order, each later than the one before.
    void Add(const Knot& knot) { knots_.push_back(knot); }
    const std::vector<Knot>& knots() const { return knots_; }

    int64_t At(int64_t ns) const { return Read<&Knot::from_ns, &Knot::to_ns>(ns); }
    // One of the times that come out there.
    int64_t Inverse(int64_t ns) const { return Read<&Knot::to_ns, &Knot::from_ns>(ns); }

private:
    template <int64_t Knot::*x, int64_t Knot::*y>
    int64_t Read(int64_t at) const {
        if (knots_.empty()) return at;
        const auto above = std::partition_point(knots_.begin(), knots_.end(),
                                                [&](const Knot& knot) { return knot.*x <= at; });
        if (above == knots_.begin()) return at + (knots_.front().*y - knots_.front().*x);
        const Knot& low = *(above - 1);
        if (above == knots_.end()) return at + (low.*y - low.*x);
        const Knot& high = *above;
        const __int128 rise = high.*y - low.*y;
        return low.*y + static_cast<int64_t>(rise * (at - low.*x) / (high.*x - low.*x));
    }

    std::vector<Knot> knots_;
};

// What the logical clock makes of a capture.
struct LogicalCurves {
    std::vector<ClockCurve>
        curves;             // One per clock; none: there is one clock alone, which is right.
    uint64_t given_up = 0;  // Messages and collectives that contradict others.
};

}  // namespace comshu::read

#endif  // COMSHU_READ_CLOCK_CURVE_H_
