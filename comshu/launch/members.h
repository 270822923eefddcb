#ifndef COMSHU_LAUNCH_MEMBERS_H_
#define COMSHU_LAUNCH_MEMBERS_H_

#include <chrono>
#include <string>

#include "launch/job.h"

namespace comshu::launch {

// Which `comshu run` of a job on this host is the last to end: in the form `mpirun comshu run` it
// packs the capture and prints the line. Each member holds a shared lock on one file while it lives
// (the kernel frees it however the member dies) and, when it ends, is the last if it gets the lock
// for itself.
class Members {
public:
    // Joins. Without a folder that can be locked every member is the last.
    Members(const std::string& folder, const std::string& pass, const Job& job);
    ~Members();
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

    // Leaves. True for the last one, which keeps the lock until this object is gone: who comes later
    // waits, and is then the last again.
    bool LeaveAsLast();

    // Whether as many have ever come as ranks of the job run on this host, or it is too late to.
    static bool AllHaveCome(int fd, const Job& job, std::chrono::steady_clock::time_point since);
    static std::string PathOf(const std::string& folder, const std::string& pass, const Job& job);

private:
    Job job_;
    std::string path_;
    int fd_ = -1;
    bool last_ = false;
    std::chrono::steady_clock::time_point joined_ = std::chrono::steady_clock::now();
};

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_MEMBERS_H_
