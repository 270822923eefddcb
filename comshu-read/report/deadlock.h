// Finds ranks that wait for each other in a circle, or for one that is gone.
#ifndef COMSHU_READ_REPORT_DEADLOCK_H_
#define COMSHU_READ_REPORT_DEADLOCK_H_

#include <set>
#include <string>
#include <vector>

#include "comshu/read/report.h"

namespace comshu::read {

// A rank is stuck when each of its threads is in a call that cannot end without another rank. Stuck ranks
// that wait for each other, directly or round a circle, never go on: one sentence for each such group,
// following a shortest circle, and naming the ranks that are stuck behind it. A rank that has a
// thread outside such calls may still help, so it is in no circle. A stuck rank that waits for one of
// `ended`, whose processes are over or in MPI_Finalize, gets a sentence as well.
std::vector<std::string> FindDeadlocks(const std::vector<Report::Stand>& stands,
                                       const std::set<int32_t>& ended = {});

// Receives that wait, and messages that they would get but for the tag or the communicator, where the
// sender is gone or stuck itself, so that nothing else will come.
struct NearMiss {
    int32_t sender = 0;
    std::string text;
};
std::vector<std::string> KeepHopeless(const std::vector<NearMiss>& near_misses,
                                      const std::vector<Report::Stand>& stands,
                                      const std::set<int32_t>& ended);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_DEADLOCK_H_
