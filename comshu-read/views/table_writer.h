// Sorts rows and writes them as a file of links.
#ifndef COMSHU_READ_VIEWS_TABLE_WRITER_H_
#define COMSHU_READ_VIEWS_TABLE_WRITER_H_

#include <duckdb.h>

#include <string>

#include "matching/match_result.h"
#include "views/link_files.h"

namespace comshu::read {

// A database of its own.
class TableWriter {
public:
    // `folder`: for what does not fit in memory. `threads`: of DuckDB; 0: one for each core.
    TableWriter(const std::string& folder, unsigned threads);
    ~TableWriter();
    TableWriter(const TableWriter&) = delete;
    TableWriter& operator=(const TableWriter&) = delete;

    // Those of `rows` that are of the table.
    bool Write(const LinkTable& table, const MatchResult& rows, const std::string& path,
               std::string* error);

private:
    bool Run(const std::string& sql, std::string* error);

    duckdb_database database_ = nullptr;
    duckdb_connection connection_ = nullptr;
    const MatchResult* rows_ = nullptr;
    bool ready_ = false;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_TABLE_WRITER_H_
