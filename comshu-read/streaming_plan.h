// Whether the rows of a query can be taken while DuckDB makes them.
#ifndef COMSHU_READ_STREAMING_PLAN_H_
#define COMSHU_READ_STREAMING_PLAN_H_

#include <duckdb.h>

#include <string>

namespace comshu::read {

// Problem: DuckDB 1.4.4 (its issue 22215) gives a result that is taken as it is made only when the
// steps before the last one are done. Where the last step is a UNION ALL, a side of it that is ready
// fills the buffer and stops, and a step that another side needs (a join's table, a sum) waits for that
// side to end: nothing moves any more. Idea: look at the plan, as EXPLAIN tells it. False where a
// UNION that hands its rows on has such a step above or below it, and where the plan is not known.
bool CanStream(duckdb_connection connection, const std::string& sql);

// The same of a plan, as EXPLAIN (FORMAT JSON) writes it.
bool CanStreamPlan(const std::string& plan);

}  // namespace comshu::read

#endif  // COMSHU_READ_STREAMING_PLAN_H_
