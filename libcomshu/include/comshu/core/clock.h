// The clock of the hot path: raw ticks, converted to time by the reader.
#ifndef COMSHU_CORE_CLOCK_H_
#define COMSHU_CORE_CLOCK_H_

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace comshu::core {

inline int64_t ReadClockNs(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Ticks of the processor's counter. Where that is not constant, recording uses ns of CLOCK_MONOTONIC
// instead (rec::ReadTicks), and the record of the process says so.
inline uint64_t ReadCounter() {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return static_cast<uint64_t>(ReadClockNs(CLOCK_MONOTONIC));
#endif
}

// Three clocks read as closely together as could be had: the reader fits ticks to time through
// such pairs.
struct Calibration {
    uint64_t ticks = 0;
    int64_t monotonic_ns = 0;
    int64_t realtime_ns = 0;
};

}  // namespace comshu::core

#endif  // COMSHU_CORE_CLOCK_H_
