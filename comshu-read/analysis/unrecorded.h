// What a capture does not hold of its run, in sentences.
#ifndef COMSHU_ANALYSIS_UNRECORDED_H_
#define COMSHU_ANALYSIS_UNRECORDED_H_

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

// Remarks on numbers that take time outside of MPI for work.
SectionTable UnrecordedTable(const Filter& filter);
// On those that ranks which were not recorded are no part of.
SectionTable UnrecordedRanksTable();

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_UNRECORDED_H_
