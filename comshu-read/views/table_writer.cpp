#include "views/table_writer.h"

#include "comshu/read/database.h"
#include "views/match_functions.h"

namespace comshu::read {

TableWriter::TableWriter(const std::string& folder, unsigned threads) {
    std::string error;
    ready_ = duckdb_open(nullptr, &database_) == DuckDBSuccess &&
             duckdb_connect(database_, &connection_) == DuckDBSuccess &&
             (threads == 0 || Run("SET threads = " + std::to_string(threads), &error)) &&
             Run("SET temp_directory = " + SqlText(folder + "/sort"), &error) &&
             RegisterMatchFunctions(connection_, [this]() -> const MatchResult& { return *rows_; });
}

TableWriter::~TableWriter() {
    if (connection_ != nullptr) duckdb_disconnect(&connection_);
    if (database_ != nullptr) duckdb_close(&database_);
}

bool TableWriter::Run(const std::string& sql, std::string* error) {
    duckdb_result result;
    const bool done = duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess;
    if (!done) *error = duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    return done;
}

bool TableWriter::Write(const LinkTable& table, const MatchResult& rows, const std::string& path,
                        std::string* error) {
    if (!ready_) {
        *error = "DuckDB cannot be started";
        return false;
    }
    rows_ = &rows;
    return WriteLinkFile([this](const std::string& sql, std::string* why) { return Run(sql, why); },
                         table, path, error);
}

}  // namespace comshu::read
