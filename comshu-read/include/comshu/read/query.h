// The result of a query, row by row.
#ifndef COMSHU_READ_QUERY_H_
#define COMSHU_READ_QUERY_H_

#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::read {

enum class ValueClass : uint8_t { kText, kInteger, kReal, kBoolean };

struct ResultColumn {
    std::string name;
    ValueClass value_class = ValueClass::kText;
};

// How many rows a query is expected to give: few are made before the first of them is handed out.
enum class RowCount : uint8_t { kMany, kFew };

// Runs the last of the statements in `sql` for its rows, those before it for their effect. Rows come
// as DuckDB makes them, so a result need not fit in memory, but for the plans with which that stops for
// good (see streaming_plan.h). Values of types beyond numbers, text and
// booleans (lists, timestamps ...) come as DuckDB writes them as text.
//
//     Query query;
//     if (!query.Run(&database, "SELECT rank, lost FROM rank", &error)) ...
//     while (query.Next()) use(query.Integer(0), query.Integer(1));
//     if (!query.error().empty()) ...
class Query {
public:
    Query() = default;
    ~Query();
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    // Many rows cost planning the query a second time.
    bool Run(Database* database, const std::string& sql, std::string* error,
             RowCount rows = RowCount::kMany);
    // The same of a connection that Database::Connect gave: nothing is made for what `sql` mentions.
    bool RunOn(duckdb_connection connection, const std::string& sql, std::string* error,
               RowCount rows = RowCount::kMany);

    const std::vector<ResultColumn>& columns() const { return columns_; }

    // To the first or the next row; false at the end, or when the query fails: then error() says why.
    bool Next();
    const std::string& error() const { return error_; }
    // Rows that Next went to since Run.
    uint64_t taken() const { return before_chunk_ + (chunk_ == nullptr ? 0 : row_ + 1); }

    // Of the current row. Numbers convert to each other; null is 0 and empty text.
    bool IsNull(size_t column) const;
    int64_t Integer(size_t column) const;
    uint64_t Unsigned(size_t column) const;
    double Real(size_t column) const;
    std::string Text(size_t column) const;

private:
    bool Prepare(duckdb_connection connection, const std::string& sql, std::string* error);
    bool NextChunk();
    void Clear();

    std::vector<ResultColumn> columns_;
    duckdb_prepared_statement statement_ = nullptr;
    duckdb_result result_{};
    bool has_result_ = false;
    duckdb_data_chunk chunk_ = nullptr;
    struct Vector {
        duckdb_type type;
        const void* data;
        uint64_t* validity;
    };
    std::vector<Vector> vectors_;
    idx_t row_ = 0;
    idx_t rows_ = 0;
    uint64_t before_chunk_ = 0;  // Rows of the chunks before this one.
    std::string error_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_QUERY_H_
