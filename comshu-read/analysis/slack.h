// How much longer the work of a thread could take.
#ifndef COMSHU_ANALYSIS_SLACK_H_
#define COMSHU_ANALYSIS_SLACK_H_

#include <cstdint>
#include <vector>

#include "event_order.h"

namespace comshu::analysis {

// By lane: how much longer its work could take in all, spread as suits best, before the window gets longer, all
// others being as they are. 0 for one that is on the critical path throughout. Latest times are worked
// out backwards: of a call its thread's, moved by what the call waited, and no later than those allow
// that depend on it. Ranks of a scan are taken to need all lower ones. O(n log n).
std::vector<int64_t> SlackOf(const CallGraph& graph, const Window& window);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_SLACK_H_
