// Whether a process of a capture still runs on this machine.
#ifndef COMSHU_READ_PROCESS_STATE_H_
#define COMSHU_READ_PROCESS_STATE_H_

#include <cstdint>
#include <string>

#include "comshu/read/process.h"

namespace comshu::read {

// A process is the same one when pid and start time are: pids are reused, pairs are not. Where the
// boot id is known to be another machine's, it is not running here.
bool RunsHere(uint32_t pid, uint64_t start_time, const std::string& boot_id);

ProcessState StateOf(const Process& process);

}  // namespace comshu::read

#endif  // COMSHU_READ_PROCESS_STATE_H_
