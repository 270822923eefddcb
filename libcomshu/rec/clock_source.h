// The clocks of a process: whether its counter can be trusted, and pairs that tie it to time.
#ifndef COMSHU_REC_CLOCK_SOURCE_H_
#define COMSHU_REC_CLOCK_SOURCE_H_

#include <cstdint>

#include "comshu/core/clock.h"
#include "comshu/rec/options.h"

namespace comshu::rec {

// True where the processor's counter runs at one rate, always, on every core.
bool CounterIsConstant();

// The tightest of a few tries; about 0.3 us.
core::Calibration Calibrate();

// From now on the clocks that calibrations read are those of the host that is played, if one is.
void PlayClock(const OtherHost& other);

// Ticks per second from two pairs; from the first alone if they lie too close to tell.
uint64_t TicksPerSecond(const core::Calibration& first, const core::Calibration& last);

// A rough rate at once: spins for a fifth of a millisecond.
uint64_t MeasureTicksPerSecond(const core::Calibration& first);

}  // namespace comshu::rec

#endif  // COMSHU_REC_CLOCK_SOURCE_H_
