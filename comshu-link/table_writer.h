// Sorts rows and writes them as a file of links.
#ifndef COMSHU_LINK_TABLE_WRITER_H_
#define COMSHU_LINK_TABLE_WRITER_H_

#include <duckdb.h>

#include <string>

#include "matching/match_result.h"
#include "views/link_files.h"

namespace comshu::link {

// A database of its own, of one thread: other processes of the job have the other cores.
class TableWriter {
public:
    // `folder`: for what does not fit in memory.
    explicit TableWriter(const std::string& folder);
    ~TableWriter();
    TableWriter(const TableWriter&) = delete;
    TableWriter& operator=(const TableWriter&) = delete;

    // Those of `rows` that are of the table.
    bool Write(const read::LinkTable& table, const read::MatchResult& rows, const std::string& path,
               std::string* error);

private:
    bool Run(const std::string& sql, std::string* error);

    duckdb_database database_ = nullptr;
    duckdb_connection connection_ = nullptr;
    const read::MatchResult* rows_ = nullptr;
    bool ready_ = false;
};

}  // namespace comshu::link

#endif  // COMSHU_LINK_TABLE_WRITER_H_
