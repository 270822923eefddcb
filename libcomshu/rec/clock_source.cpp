#include "clock_source.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "comshu/rec/thread_state.h"

namespace comshu::rec {
namespace {

constexpr int kTries = 4;
constexpr int64_t kLeastSpinNs = 200'000;

OtherHost played;

void Play(core::Calibration* read) {
    if (!played.is_played) return;
    const int64_t drift_ns =
        static_cast<int64_t>(static_cast<double>(read->monotonic_ns) * 1e-9 * played.drift_ppb);
    read->monotonic_ns += drift_ns;
    read->realtime_ns += played.shift_ns + drift_ns;
}

}  // namespace

bool CounterIsConstant() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

core::Calibration Calibrate() {
    core::Calibration best;
    uint64_t narrowest = ~uint64_t{0};
    for (int i = 0; i < kTries; ++i) {
        core::Calibration now;
        const uint64_t before = ReadTicks();
        now.monotonic_ns = core::ReadClockNs(CLOCK_MONOTONIC);
        const uint64_t middle = ReadTicks();
        now.realtime_ns = core::ReadClockNs(CLOCK_REALTIME);
        if (middle - before < narrowest) {
            narrowest = middle - before;
            now.ticks = before + (middle - before) / 2;
            best = now;
        }
    }
    Play(&best);
    return best;
}

void PlayClock(const OtherHost& other) {
    played = other;
}

uint64_t TicksPerSecond(const core::Calibration& first, const core::Calibration& last) {
    const int64_t ns = last.monotonic_ns - first.monotonic_ns;
    if (ns <= 0) return 0;
    const double ticks = static_cast<double>(last.ticks - first.ticks);
    return static_cast<uint64_t>(ticks * 1e9 / static_cast<double>(ns) + 0.5);
}

uint64_t MeasureTicksPerSecond(const core::Calibration& first) {
    core::Calibration now = Calibrate();
    while (now.monotonic_ns - first.monotonic_ns < kLeastSpinNs) now = Calibrate();
    return TicksPerSecond(first, now);
}

}  // namespace comshu::rec
