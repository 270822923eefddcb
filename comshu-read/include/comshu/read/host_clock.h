// The clocks that a capture was recorded with, and what is done about their differences.
#ifndef COMSHU_READ_HOST_CLOCK_H_
#define COMSHU_READ_HOST_CLOCK_H_

#include <cstdint>
#include <string>

#include "comshu/read/clock_curve.h"

namespace comshu::read {

// What times of a capture are counted on (option --clock).
enum class ClockChoice : uint8_t {
    kHost,      // Each host's own clock, as it was set there.
    kMeasured,  // That of the host of rank 0, by what was measured in MPI_Init and MPI_Finalize.
    kLogical,   // The same, moved where messages would arrive before they are sent.
};

const char* ChoiceText(ClockChoice choice);

// The processes of one boot of a host read one counter.
struct HostClock {
    enum class Method : uint8_t {
        kReference,  // Others were compared with it, or it is the only one.
        kLinear,     // Compared twice: a straight line through both.
        kOffset,     // Compared once: as far ahead all the time.
        kNone,       // Not compared: as it was set.
    };

    std::string host;
    std::string boot_id;
    Method method = Method::kNone;
    double offset_ns = 0;  // How far it was ahead of the reference at the first comparison,
    double drift_ppb = 0;  // and how much further from then on, in ns per second.
    double bound_ns = 0;   // The offset is wrong by no more than that, between the comparisons.
    uint32_t processes = 0;
    ClockCurve curve;  // Of the logical clock; empty: it moves nothing.
};
const char* MethodText(HostClock::Method method);

}  // namespace comshu::read

#endif  // COMSHU_READ_HOST_CLOCK_H_
