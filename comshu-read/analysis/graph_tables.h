// What the passes over the call graph find, as tables of SQL.
#ifndef COMSHU_ANALYSIS_GRAPH_TABLES_H_
#define COMSHU_ANALYSIS_GRAPH_TABLES_H_

#include <string>

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

// Temporary tables, made anew: `efficiency` (a row for the whole, part 0, and one for each of ten equal
// parts) and `useful_time` (by rank and part).
bool MakeEfficiencyTables(read::Database* database, const Filter& filter, std::string* error);

// `critical_path`, a row per rank and kind of piece (a call and its source line, or what is before one), and
// `slack`, a row per thread.
bool MakePathTables(read::Database* database, const Filter& filter, std::string* error);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_GRAPH_TABLES_H_
