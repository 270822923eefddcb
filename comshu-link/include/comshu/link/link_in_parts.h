// Links a capture with many processes.
#ifndef COMSHU_LINK_LINK_IN_PARTS_H_
#define COMSHU_LINK_LINK_IN_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/link/exchange.h"
#include "comshu/read/host_clock.h"

namespace comshu::link {

// Problem: a capture of thousands of ranks is more than one process can match in its memory and time. Idea:
// each process reads the streams of some ranks and brings what each rank sent and received into the
// order of its channels, which needs nothing of other ranks; what belongs to one channel is sent to the
// process that has the channel (by hash), which pairs it; the rows are sent to the process that has
// their stretch of time, which sorts and writes them. Both times what comes is put down in files by
// part, and parts are worked on one at a time: memory is a few times `part_rows` records, and the
// definitions of the capture. The result is that of read::KeepLinks, whatever the number of processes.
//
// By the logical clock the rows are found twice: once by the measured one, for process 0 to work out the curves, which
// takes what crosses clocks and all collectives in one place (100 bytes each); then by the curves.
//
// All processes see the same folders. Empty: linked, or nothing to link (the capture is not at rest, or is
// linked already); else what failed, the same text in all processes.
std::string LinkInParts(Exchange* exchange, const std::vector<std::string>& folders,
                        uint64_t part_rows, read::ClockChoice clock = read::ClockChoice::kMeasured);

}  // namespace comshu::link

#endif  // COMSHU_LINK_LINK_IN_PARTS_H_
