// What a capture does not hold of its run, in sentences.
#ifndef COMSHU_ANALYSIS_UNRECORDED_H_
#define COMSHU_ANALYSIS_UNRECORDED_H_

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

// Remarks on numbers that take time outside of MPI for work. Holds `{rank}` of a filter.
SectionTable UnrecordedTable();

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_UNRECORDED_H_
