// `comshu link` as one of many processes.
#ifndef COMSHU_LINK_JOB_H_
#define COMSHU_LINK_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/read/host_clock.h"

namespace comshu {

enum class LinkRole { kAlone, kFirst, kOther };

constexpr const char* kLinkInterrupted = "comshu link: interrupted; nothing is left half-written";

// Started as a rank of a job of MPI (mpirun, srun) the processes of the job link the captures together;
// returns when that is done. kFirst: the one that goes on to show what was found; where there is no
// worker for the MPI it links alone. Throws CommandError.
LinkRole LinkAsRank(const std::vector<std::string>& folders, uint64_t part_rows,
                    read::ClockChoice clock);

}  // namespace comshu

#endif  // COMSHU_LINK_JOB_H_
