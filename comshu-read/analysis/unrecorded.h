// What a capture does not hold of its run, in sentences.
#ifndef COMSHU_ANALYSIS_UNRECORDED_H_
#define COMSHU_ANALYSIS_UNRECORDED_H_

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

// Remarks on numbers that take time outside of MPI for work.
SectionTable UnrecordedTable(const Filter& filter);
// On those that ranks which were not recorded are no part of.
SectionTable UnrecordedRanksTable();

// Whether a query failed because it reads a table or column that is not there: an export of single tables may lack what a
// remark asks.
bool IsNotThere(const std::string& error);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_UNRECORDED_H_
