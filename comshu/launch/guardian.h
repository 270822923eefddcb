#ifndef COMSHU_LAUNCH_GUARDIAN_H_
#define COMSHU_LAUNCH_GUARDIAN_H_

#include <string>

#include "launch/job.h"

namespace comshu::launch {

// Problem: when a rank fails, launchers kill the others, and with them every `comshu run` behind the
// launcher, MPICH's at once: nobody is left to complete the capture. Idea: the first `comshu run` of a job
// on a host leaves a process in a session of its own. It sleeps until all of them are gone, each of which
// holds a lock while it lives, and completes the capture unless one of them did. It keeps stderr, for its
// line and so that the launcher waits for that, and nothing else. Where locks do not work there is none.
class Guardian {
public:
    // Joins those whom the guardian watches, until this object is gone.
    Guardian(const std::string& folder, const std::string& pass, const Job& job);
    ~Guardian();
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;

    // Some `comshu run` completes the capture in an orderly way.
    void Dismiss();

private:
    std::string path_;
    int fd_ = -1;
};

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_GUARDIAN_H_
