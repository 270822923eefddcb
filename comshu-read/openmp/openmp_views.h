// Views of what OpenMP programs did, made where a capture may hold records of layer openmp:
// dbg_region, dbg_loop, dbg_thread, dbg_chunk, dbg_interval, dbg_interval_csv (docs/provider-openmp.md).
#ifndef COMSHU_READ_OPENMP_OPENMP_VIEWS_H_
#define COMSHU_READ_OPENMP_OPENMP_VIEWS_H_

#include <string>

#include "comshu/read/database.h"

namespace comshu::read {

// Cost: none until a query uses them; the first one reads all spans of the capture and keeps sums.
bool AddOpenmpViews(Database* database, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_OPENMP_VIEWS_H_
