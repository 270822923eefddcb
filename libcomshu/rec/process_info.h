// What a process says of itself.
#ifndef COMSHU_REC_PROCESS_INFO_H_
#define COMSHU_REC_PROCESS_INFO_H_

#include <cstddef>
#include <cstdint>

#include "comshu/schema/core_generated.h"
#include "comshu/rec/options.h"
#include "definitions.h"

namespace comshu::rec {

// Start time in clock ticks since boot, as in /proc/PID/stat; 0: there is no such process.
uint64_t ProcessStartTime(uint32_t pid);

// The host's name without characters that a file name cannot have.
void HostName(char* out, size_t bytes);

// What the kernel says of this boot of the host, without an end of line; of a host that is played, what stands
// for it. Returns the bytes; 0: not known.
constexpr size_t kBootIdBytes = 128;
size_t BootId(const OtherHost& other, char (&out)[kBootIdBytes]);

schema::Process DescribeProcess(const Options& options, const char* host, uint32_t exec_number,
                                uint64_t ticks_per_second, Definitions* definitions);

}  // namespace comshu::rec

#endif  // COMSHU_REC_PROCESS_INFO_H_
