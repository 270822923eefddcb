// A filter as conditions of SQL.
#ifndef COMSHU_ANALYSIS_FILTER_H_
#define COMSHU_ANALYSIS_FILTER_H_

#include <string>
#include <string_view>

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

// Fills in `{window}` (two arguments of a view's macro), `{t0}`, `{t1}` (times, or bounds that are
// none), `{rank}` (a condition on column rank), `{send_or_recv}` (one on either side of a message) and
// `{where}`.
std::string FillFilter(std::string_view sql, const Filter& filter);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_FILTER_H_
