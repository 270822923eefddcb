#include "views/span_threads.h"

#include <memory>
#include <string>

#include "comshu/read/query.h"
#include "span_table.h"
#include "views/scalar_function.h"

namespace comshu::read {
namespace {

using ThreadTable = SpanTable<uint32_t>;

void SpanThread(ThreadTable* threads, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    auto* out = static_cast<uint32_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row)
        out[row] = threads->Get(spans.Get(row));
}

bool FindThreads(Database* database, ThreadTable* threads, std::string* error) {
    Query query;
    if (!query.Run(database,
                   "SELECT span_id, thread FROM span WHERE thread <> 0 AND layer <> 'openmp'",
                   error)) {
        return false;
    }
    while (query.Next()) threads->At(query.Unsigned(0)) = static_cast<uint32_t>(query.Unsigned(1));
    *error = query.error();
    return error->empty();
}

}  // namespace

void AddSpanThreads(Database* database) {
    const auto threads = std::make_shared<ThreadTable>();
    database->MakeOnMention({"span_thread"}, [=](std::string* error) {
        if (RegisterScalar(database->connection(), threads, "span_thread", {DUCKDB_TYPE_UBIGINT},
                           DUCKDB_TYPE_UINTEGER, CallScalar<SpanThread>)) {
            return true;
        }
        *error = "DuckDB refuses the function span_thread";
        return false;
    });
    database->MakeOnMention(
        {"span_thread"},
        [=](std::string* error) { return FindThreads(database, threads.get(), error); },
        Database::Need::kRows);
}

}  // namespace comshu::read
