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

// A row per pass: how many ranks the worlds of MPI have that were started, and how many of these are here.
#define COMSHU_WORLD_RANKS_SQL                                                                  \
    "(SELECT size, (SELECT count(DISTINCT p.rank) FROM process p WHERE p.rank < w.size AND "    \
    "p.pass IS NOT DISTINCT FROM w.pass) AS here FROM (SELECT pass, sum(size)::BIGINT AS size " \
    "FROM (SELECT p.pass, r.world, max(r.size) AS size FROM mpi_rank r JOIN process p USING "   \
    "(process_id) GROUP BY ALL) GROUP BY pass) w)"

// A sentence where processes of a pass ran at one time and each said that it is rank 0 of 1: what a launcher makes of
// a program of another MPI.
#define COMSHU_LONE_RANKS_SQL                                                                      \
    "SELECT format('{:d} processes each say that they are rank 0 of 1: no MPI connects them, and " \
    "nothing here is between ranks. If one launcher started them, it is that of another MPI than " \
    "the program''s ({}): start them with the launcher of that one, or build the program with "    \
    "the MPI of the launcher.', count(*), coalesce(regexp_extract(any_value(r.library), "          \
    "'^[^,\\n]*'), 'not known')) AS remark FROM mpi_rank r JOIN process p USING (process_id) "     \
    "WHERE r.size = 1 AND r.parent_world IS NULL AND r.parent_job IS NULL GROUP BY p.pass HAVING " \
    "count(*) > 1 AND max(p.begin_ns) < min(coalesce(p.end_ns, 9223372036854775807))"

// Their names, `rank` and `thread` included.
const std::vector<std::string>& ViewNames();

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_H_
