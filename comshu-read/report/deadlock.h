// Finds ranks that wait for each other in a circle.
#ifndef COMSHU_READ_REPORT_DEADLOCK_H_
#define COMSHU_READ_REPORT_DEADLOCK_H_

#include <string>
#include <vector>

#include "comshu/read/report.h"

namespace comshu::read {

// A rank is stuck when each of its threads is in a call that cannot end without another rank. Stuck ranks
// that wait for each other, directly or round a circle, never go on: one sentence for each such group,
// following a shortest circle, and naming the ranks that are stuck behind it. A rank that has a
// thread outside such calls may still help, so it is in no circle.
std::vector<std::string> FindDeadlocks(const std::vector<Report::Stand>& stands);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_DEADLOCK_H_
