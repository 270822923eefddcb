// Functions of SQL that the views are made of.
#ifndef COMSHU_READ_VIEWS_MATCH_FUNCTIONS_H_
#define COMSHU_READ_VIEWS_MATCH_FUNCTIONS_H_

#include <duckdb.h>

#include <functional>
#include <memory>

#include "views/answer_state.h"

namespace comshu::read {

// Table functions without parameters: matched_message(), matched_none(), matched_collective(). `result`
// is called by each query; from whichever thread of DuckDB comes first.
bool RegisterMatchFunctions(duckdb_connection connection,
                            std::function<const MatchResult&()> result);

// matched_rows(): how many rows matching has found so far, 0 before it is asked for;
// nested_ns(span_id), source_text(process_id, address), peer_rank(process_id, comm, peer, world_peer).
bool RegisterLookupFunctions(duckdb_connection connection, std::shared_ptr<AnswerState> state);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_MATCH_FUNCTIONS_H_
