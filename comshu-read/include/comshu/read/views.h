// The neutral views: what every report, exporter and user interface reads.
#ifndef COMSHU_READ_VIEWS_H_
#define COMSHU_READ_VIEWS_H_

#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::read {

// Adds the views `span message unmatched collective rma_epoch ...` to the tables of a capture, each
// with a table macro of the same name for a window of time, `span(t0, t1)` in ns (docs/views.md).
// `rank` and `thread` are tables already. Cost: none until a query uses them; the first use of
// `message`, `unmatched` or `collective` matches the whole capture and keeps the result.
bool AddViews(Database* database, std::string* error);

// The statement that makes the macro collective_shape(name), which queries over exports need: how data moves
// in a collective operation, `barrier`, `NxN`, `to root`, `from root`, `scan`, or null.
const std::string& CollectiveShapeSql();

// What a list of calls calls a row of `span`: the wait for a critical or ordered region has its name, and is not its
// body. A literal, to stand within others.
#define COMSHU_CALL_NAME_SQL                                                                     \
    "CASE WHEN category = 'wait' AND name IN ('critical', 'ordered') THEN name || ' wait' ELSE " \
    "name END"

// Whether a row of `problem` says that records are missing, how many and of which calls unknown.
#define COMSHU_MISSING_PART_SQL                                                                    \
    "regexp_matches(text, 'damaged and left out|missing: the records|not in the capture|no sound " \
    "frame')"

// Their names, `rank` and `thread` included.
const std::vector<std::string>& ViewNames();

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_H_
