// What a capture says of the order of events on different clocks.
#ifndef COMSHU_READ_CLOCK_ORDER_H_
#define COMSHU_READ_CLOCK_ORDER_H_

#include <deque>

#include "comshu/read/capture.h"
#include "comshu/read/host_clock.h"

namespace comshu::read {

// Works out the curves of the logical clock from the messages and collectives of the capture, which is
// matched for that, and has the processes read them.
void SetLogicalClock(const Capture& capture, std::deque<HostClock>* clocks);

}  // namespace comshu::read

#endif  // COMSHU_READ_CLOCK_ORDER_H_
