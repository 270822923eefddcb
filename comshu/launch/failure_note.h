#ifndef COMSHU_LAUNCH_FAILURE_NOTE_H_
#define COMSHU_LAUNCH_FAILURE_NOTE_H_

#include <string>

#include "launch/child.h"
#include "launch/job.h"

namespace comshu::launch {

// Leaves in the folder of the pass how a child of `comshu run` failed, and when: nobody else sees by which signal
// a process died, and which rank was the first. A line in <pass>/<host>.failures, in one write: "pid
// signal exit-code ns", the time CLOCK_REALTIME. Nothing of a child that ended with 0.
void NoteFailure(const std::string& folder, const std::string& pass, const Job& job,
                 const ChildEnd& end);

// Of a run that recorded nothing, nobody asks how it failed.
void RemoveFailures(const std::string& folder, const std::string& pass, const Job& job);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_FAILURE_NOTE_H_
