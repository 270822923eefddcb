// Which ranks were no longer there for the others.
#ifndef COMSHU_READ_REPORT_GONE_H_
#define COMSHU_READ_REPORT_GONE_H_

#include "comshu/read/report.h"
#include "report/deadlock.h"

namespace comshu::read {

// Problem: when one rank dies its launcher kills the others, and when a user ends a run that hangs all of
// them are killed: of a killed rank it must be told whether it died by itself, or stood to the end.
// Idea: it died by itself if it ended by exit, by a signal that nobody sends to a whole run, by SIGKILL
// before others were asked to end, or while others of its host still run. Where no `comshu run` stood
// around each rank, a launcher may have told by which signal one died (`rank_signal`; 0: none): then it
// was the one of all killed ranks that waited for nobody, if that is one alone.
GoneRanks FindGone(const Report& report, int rank_signal);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_GONE_H_
