#ifndef COMSHU_LAUNCH_CHILD_H_
#define COMSHU_LAUNCH_CHILD_H_

#include <sys/types.h>

#include <csignal>

#include "launch/rewrite.h"

namespace comshu::launch {

// How a child ended: an exit code, or the signal that killed it.
struct ChildEnd {
    int exit_code = 0;
    int signal = 0;
    bool started = true;  // false: exec failed, exit_code is 126 or 127 and `error` its errno
    int error = 0;
    pid_t pid = 0;
};

// Runs a command as a child in our process group, with our terminal and file descriptors, and
// waits for its end.
//
// Signals: what a terminal or kill(-group) sends reaches the child directly; what is sent to this
// process alone is passed on to it. A witness, an idle process in the same group, tells the two
// apart: the kernel hands a signal to a group to all its members. So the child gets every signal
// once, as it would without comshu (an mpirun that gets two of them gives up its ranks). A child
// that has left the group (timeout does) gets everything passed on.
class Child {
public:
    Child();
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    ChildEnd Run(const LaunchPlan& plan);

private:
    void PassOn(const siginfo_t& info, pid_t child);
    bool WitnessSaw(int signal);

    pid_t witness_ = -1;
    int witness_pipe_ = -1;
};

// Ends this process as the child did: with its exit code, or by the same signal (without a core
// of our own).
[[noreturn]] void EndLike(const ChildEnd& end);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_CHILD_H_
