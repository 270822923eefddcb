// Waiting for other ranks as a table function of SQL.
#ifndef COMSHU_READ_WAITS_WAIT_FUNCTION_H_
#define COMSHU_READ_WAITS_WAIT_FUNCTION_H_

#include "comshu/read/database.h"

namespace comshu::read {

// `found_wait()`: the rows of view `wait_state` that are about other ranks, with `caller` for `source`, as WaitFinder
// finds them, in no order. Works them out anew for each query, in a bounded amount of memory. Needs the macros
// `ordered_message` and `ordered_collective` (UseLinks). False if DuckDB refuses.
bool RegisterWaitFunction(Database* database);

}  // namespace comshu::read

#endif  // COMSHU_READ_WAITS_WAIT_FUNCTION_H_
