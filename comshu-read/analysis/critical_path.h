// The chain of work and waiting that made the run as long as it was.
#ifndef COMSHU_ANALYSIS_CRITICAL_PATH_H_
#define COMSHU_ANALYSIS_CRITICAL_PATH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "event_order.h"

namespace comshu::analysis {

// A part of the path on one thread: inside a call, or between two.
struct PathPiece {
    uint32_t lane = 0;
    uint32_t call = kNoCall;       // kNoCall: outside MPI.
    uint32_t next_call = kNoCall;  // The call before which that was; kNoCall: none.
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
};

// Goes backwards from the last event of the window: to the last call that waited, from where it was released to
// the call that released it, and so on. Pieces are in order of time, without gaps: their lengths add up
// to that of the window, as long as the clocks agree. Ties go to the lowest rank.
std::vector<PathPiece> CriticalPath(const CallGraph& graph, const Window& window);

// The same, one piece after the other, the last first.
void ForEachPathPiece(const CallGraph& graph, const Window& window,
                      const std::function<void(const PathPiece& piece)>& visit);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_CRITICAL_PATH_H_
