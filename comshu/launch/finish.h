#ifndef COMSHU_LAUNCH_FINISH_H_
#define COMSHU_LAUNCH_FINISH_H_

#include <string>

#include "launch/child.h"
#include "launch/job.h"

namespace comshu::launch {

// What remains to be done when a run has ended: brings rings home from /dev/shm, resolves addresses
// to source lines, packs the streams, prints the notes of all processes and the line that ends the
// run on stderr. Throws nothing: the program's own end counts.
void FinishCapture(const std::string& folder, const std::string& pass, const Job& job,
                   const ChildEnd& end);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_FINISH_H_
