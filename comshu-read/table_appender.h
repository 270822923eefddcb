// Fills a table of DuckDB row by row.
#ifndef COMSHU_READ_TABLE_APPENDER_H_
#define COMSHU_READ_TABLE_APPENDER_H_

#include <duckdb.h>

#include <optional>
#include <string>
#include <string_view>

#include "comshu/read/artifacts.h"

namespace comshu::read {

// Appends values left to right; EndRow ends a row. What fails is told by Close.
class TableAppender {
public:
    TableAppender(duckdb_connection connection, const char* table) {
        failed_ = duckdb_appender_create(connection, nullptr, table, &appender_) == DuckDBError;
    }
    ~TableAppender() { duckdb_appender_destroy(&appender_); }
    TableAppender(const TableAppender&) = delete;
    TableAppender& operator=(const TableAppender&) = delete;

    TableAppender& Signed(int64_t value) { return Check(duckdb_append_int64(appender_, value)); }
    TableAppender& Unsigned(uint64_t value) {
        return Check(duckdb_append_uint64(appender_, value));
    }
    TableAppender& Double(double value) { return Check(duckdb_append_double(appender_, value)); }
    TableAppender& Text(std::string_view text) {
        const std::string valid = ToUtf8(text);
        return Check(duckdb_append_varchar_length(appender_, valid.data(), valid.size()));
    }
    TableAppender& TextOrNull(std::string_view text) { return text.empty() ? Null() : Text(text); }
    TableAppender& SignedOrNull(std::optional<int64_t> value) {
        return value ? Signed(*value) : Null();
    }
    TableAppender& UnsignedOrNull(std::optional<uint64_t> value) {
        return value ? Unsigned(*value) : Null();
    }
    TableAppender& Null() { return Check(duckdb_append_null(appender_)); }
    void EndRow() { Check(duckdb_appender_end_row(appender_)); }

    bool Close(std::string* error) {
        Check(duckdb_appender_close(appender_));
        if (failed_) {
            const char* reason = duckdb_appender_error(appender_);
            *error = reason == nullptr ? "a table cannot be filled" : reason;
        }
        return !failed_;
    }

private:
    TableAppender& Check(duckdb_state state) {
        failed_ |= state == DuckDBError;
        return *this;
    }

    duckdb_appender appender_ = nullptr;
    bool failed_ = false;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_TABLE_APPENDER_H_
