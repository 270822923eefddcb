#ifndef COMSHU_LAUNCH_JOB_H_
#define COMSHU_LAUNCH_JOB_H_

#include <sys/types.h>

#include <string>

#include "launch/environment.h"

namespace comshu::launch {

// What the processes that write into one capture folder have in common.
struct Job {
    std::string token;  // equal for all processes of one job
    std::string host;
    bool is_rank = false;       // a launcher started this comshu: others of the job come as well
    bool across_hosts = false;  // the token is the same on every host
    int local_ranks = 0;        // ranks on this host; 0: not known
};

// PMIX_NAMESPACE, else SLURM_JOB_ID.SLURM_STEP_ID, else host, parent pid and its start time. A
// comshu that no launcher started is a job of its own.
Job FindJob(const Environment& environment);

// Start time of a process in clock ticks since boot; 0 if it is gone.
unsigned long long ProcessStartTime(pid_t pid);

std::string HostName();

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_JOB_H_
