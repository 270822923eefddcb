// Puts the processes of a capture on one clock.
#ifndef COMSHU_READ_CLOCK_SETTING_H_
#define COMSHU_READ_CLOCK_SETTING_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/host_clock.h"
#include "comshu/read/process.h"

namespace comshu::read {

struct ClockSetting {
    std::deque<HostClock> clocks;
    int64_t start_realtime_ns = 0;  // When the first process began.
    double error_ns = 0;            // The largest distance of a calibration from its line.
    std::vector<std::string> problems;
};

// Problem: each host reads a counter of its own, at a rate and from a start of its own. Idea: the
// calibrations of a host give a line to its realtime clock (ClockFit). Where it was compared with another
// one, two comparisons are two points of the line from its ticks to the other's time, which is all
// that is needed of it: nothing but straight lines, so order within a host stays as it is. A comparison
// is wrong by half its round trip at most.
// Sets `scale`, `host_scale`, `clock_id` of the processes; needs their worlds.
ClockSetting SetClocks(const std::vector<std::unique_ptr<Process>>& processes, ClockChoice choice);

}  // namespace comshu::read

#endif  // COMSHU_READ_CLOCK_SETTING_H_
