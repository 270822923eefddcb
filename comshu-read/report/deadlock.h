// Finds ranks that wait for each other in a circle, or for one that is gone.
#ifndef COMSHU_READ_REPORT_DEADLOCK_H_
#define COMSHU_READ_REPORT_DEADLOCK_H_

#include <map>
#include <string>
#include <vector>

#include "comshu/read/report.h"

namespace comshu::read {

// Ranks from which nothing more comes or came, and how so: "has ended", "died of SIGSEGV".
using GoneRanks = std::map<int32_t, std::string>;

// A rank is stuck when each of its threads is in a call that cannot end without another rank. Stuck ranks
// that wait for each other, directly or round a circle, never go on: one sentence for each such group,
// following a shortest circle, and naming the ranks that are stuck behind it. A rank that has a
// thread outside such calls may still help, so it is in no circle. A stuck rank that waits for one that
// is gone gets a sentence as well, and makes no circle with it: the one that died waited no longer.
struct StuckWaits {
    std::vector<std::string> circles;
    std::vector<std::string> for_gone;
};
StuckWaits FindStuckWaits(const std::vector<Report::Stand>& stands, const GoneRanks& gone = {});

// Receives that wait, and messages that they would get but for the tag or the communicator, where the
// sender is gone or stuck itself, so that nothing else will come.
struct NearMiss {
    int32_t sender = 0;
    std::string text;
};
std::vector<std::string> KeepHopeless(const std::vector<NearMiss>& near_misses,
                                      const std::vector<Report::Stand>& stands,
                                      const GoneRanks& gone);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_DEADLOCK_H_
