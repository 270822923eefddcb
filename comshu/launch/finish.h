#ifndef COMSHU_LAUNCH_FINISH_H_
#define COMSHU_LAUNCH_FINISH_H_

#include <functional>
#include <string>

#include "launch/child.h"
#include "launch/job.h"

namespace comshu::launch {

// What remains to be done when a run has ended: writes its end to capture.json, then completes the
// capture. `end` null: nobody saw how it ended. `dismiss` is called right before the line that ends
// the run: whoever would do the same if this one is killed has nothing to do any more. Throws nothing:
// the program's own end counts.
void FinishCapture(const std::string& folder, const std::string& pass, const Job& job,
                   const ChildEnd* end, const std::function<void()>& dismiss);

// Brings rings home from /dev/shm, resolves addresses of this host to source lines, packs the streams
// of processes that have ended, says on stderr what all processes noted and, in one line, what there
// is now; `before_line` is called before that. False if something had to be left as it is. Doing it
// again is harmless. Throws CommandError if the folder holds no capture.
bool CompleteCapture(const std::string& verb, const std::string& folder, const std::string& host,
                     const std::function<void()>& before_line = {});

// Notes that a capture is complete whose `comshu run` could not say so. (Not when: calls in which
// processes were killed would seem to last until then.)
void SetCompleted(const std::string& folder);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_FINISH_H_
