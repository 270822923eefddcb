#include "comshu/read/query.h"

#include <cstring>

#include <fmt/format.h>

#include "streaming_plan.h"

namespace comshu::read {
namespace {

ValueClass ClassOf(duckdb_type type) {
    switch (type) {
        case DUCKDB_TYPE_BOOLEAN:
            return ValueClass::kBoolean;
        case DUCKDB_TYPE_TINYINT:
        case DUCKDB_TYPE_SMALLINT:
        case DUCKDB_TYPE_INTEGER:
        case DUCKDB_TYPE_BIGINT:
        case DUCKDB_TYPE_UTINYINT:
        case DUCKDB_TYPE_USMALLINT:
        case DUCKDB_TYPE_UINTEGER:
        case DUCKDB_TYPE_UBIGINT:
        case DUCKDB_TYPE_HUGEINT:
            return ValueClass::kInteger;
        case DUCKDB_TYPE_FLOAT:
        case DUCKDB_TYPE_DOUBLE:
        case DUCKDB_TYPE_DECIMAL:
            return ValueClass::kReal;
        default:
            return ValueClass::kText;
    }
}

// What the accessors read as it lies in a vector; the rest is cast by DuckDB.
bool IsReadable(duckdb_type type) {
    return type == DUCKDB_TYPE_VARCHAR ||
           (ClassOf(type) != ValueClass::kText && type != DUCKDB_TYPE_DECIMAL);
}

duckdb_type CastTo(duckdb_type type) {
    return type == DUCKDB_TYPE_DECIMAL ? DUCKDB_TYPE_DOUBLE : DUCKDB_TYPE_VARCHAR;
}

__int128 ToInt128(const duckdb_hugeint& value) {
    return (static_cast<__int128>(value.upper) << 64) | value.lower;
}

template <typename T>
T At(const void* data, idx_t row) {
    return static_cast<const T*>(data)[row];
}

// Any readable number as `T`.
template <typename T>
T Number(duckdb_type type, const void* data, idx_t row) {
    switch (type) {
        case DUCKDB_TYPE_BOOLEAN:
            return static_cast<T>(At<bool>(data, row));
        case DUCKDB_TYPE_TINYINT:
            return static_cast<T>(At<int8_t>(data, row));
        case DUCKDB_TYPE_SMALLINT:
            return static_cast<T>(At<int16_t>(data, row));
        case DUCKDB_TYPE_INTEGER:
            return static_cast<T>(At<int32_t>(data, row));
        case DUCKDB_TYPE_BIGINT:
            return static_cast<T>(At<int64_t>(data, row));
        case DUCKDB_TYPE_UTINYINT:
            return static_cast<T>(At<uint8_t>(data, row));
        case DUCKDB_TYPE_USMALLINT:
            return static_cast<T>(At<uint16_t>(data, row));
        case DUCKDB_TYPE_UINTEGER:
            return static_cast<T>(At<uint32_t>(data, row));
        case DUCKDB_TYPE_UBIGINT:
            return static_cast<T>(At<uint64_t>(data, row));
        case DUCKDB_TYPE_HUGEINT:
            return static_cast<T>(ToInt128(At<duckdb_hugeint>(data, row)));
        case DUCKDB_TYPE_FLOAT:
            return static_cast<T>(At<float>(data, row));
        case DUCKDB_TYPE_DOUBLE:
            return static_cast<T>(At<double>(data, row));
        default:
            return T{};
    }
}

// The text of a statement that gives the same rows, with the columns that we cannot read cast.
std::string WithCasts(const std::string& sql, const std::vector<duckdb_type>& types) {
    std::string list;
    for (size_t i = 0; i < types.size(); ++i) {
        if (!list.empty()) list += ", ";
        list += fmt::format("#{}", i + 1);
        if (!IsReadable(types[i]))
            list += CastTo(types[i]) == DUCKDB_TYPE_DOUBLE ? "::DOUBLE" : "::VARCHAR";
    }
    std::string inner = sql;
    while (!inner.empty() && std::strchr("; \t\n\r", inner.back()) != nullptr) inner.pop_back();
    return "SELECT " + list + " FROM (" + inner + "\n)";
}

}  // namespace

Query::~Query() {
    Clear();
}

void Query::Clear() {
    if (chunk_ != nullptr) duckdb_destroy_data_chunk(&chunk_);
    if (has_result_) duckdb_destroy_result(&result_);
    has_result_ = false;
    if (statement_ != nullptr) duckdb_destroy_prepare(&statement_);
    columns_.clear();
    row_ = rows_ = before_chunk_ = 0;
    error_.clear();
}

bool Query::Prepare(duckdb_connection connection, const std::string& sql, std::string* error) {
    if (duckdb_prepare(connection, sql.c_str(), &statement_) == DuckDBSuccess) return true;
    const char* reason = duckdb_prepare_error(statement_);
    *error = reason == nullptr ? "the query cannot be prepared" : reason;
    duckdb_destroy_prepare(&statement_);
    return false;
}

bool Query::Run(Database* database, const std::string& sql, std::string* error, RowCount rows) {
    Clear();
    return database->MakeMentioned(sql, error) && RunOn(database->connection(), sql, error, rows);
}

bool Query::RunOn(duckdb_connection connection, const std::string& sql, std::string* error,
                  RowCount rows) {
    Clear();
    duckdb_extracted_statements statements = nullptr;
    const idx_t count = duckdb_extract_statements(connection, sql.c_str(), &statements);
    if (count == 0) {
        const char* reason = duckdb_extract_statements_error(statements);
        *error = reason == nullptr ? "there is no query" : reason;
        duckdb_destroy_extracted(&statements);
        return false;
    }
    bool sound = true;
    for (idx_t i = 0; sound && i < count; ++i) {
        sound = duckdb_prepare_extracted_statement(connection, statements, i, &statement_) ==
                DuckDBSuccess;
        if (!sound) {
            *error = duckdb_prepare_error(statement_);
        } else if (i + 1 < count) {
            duckdb_result ignored;
            sound = duckdb_execute_prepared(statement_, &ignored) == DuckDBSuccess;
            if (!sound) *error = duckdb_result_error(&ignored);
            duckdb_destroy_result(&ignored);
        }
        if (!sound || i + 1 < count) duckdb_destroy_prepare(&statement_);
    }
    duckdb_destroy_extracted(&statements);
    if (!sound) return false;

    std::vector<duckdb_type> types;
    bool readable = true;
    for (idx_t i = 0; i < duckdb_prepared_statement_column_count(statement_); ++i) {
        const char* name = duckdb_prepared_statement_column_name(statement_, i);
        types.push_back(duckdb_prepared_statement_column_type(statement_, i));
        columns_.push_back({name, ClassOf(types.back())});
        duckdb_free(const_cast<char*>(name));
        readable = readable && IsReadable(types.back());
    }
    const bool selects = duckdb_prepared_statement_type(statement_) == DUCKDB_STATEMENT_TYPE_SELECT;
    // Statements before the last cannot stand inside brackets; then what we cannot read stays empty.
    if (!readable && selects && count == 1) {
        duckdb_destroy_prepare(&statement_);
        if (!Prepare(connection, WithCasts(sql, types), error)) return false;
    }
    has_result_ = true;
    const bool streams =
        rows == RowCount::kMany && selects && count == 1 && CanStream(connection, sql);
    const auto execute = streams ? duckdb_execute_prepared_streaming : duckdb_execute_prepared;
    if (execute(statement_, &result_) != DuckDBSuccess) {
        *error = duckdb_result_error(&result_);
        return false;
    }
    return true;
}

bool Query::NextChunk() {
    if (chunk_ != nullptr) {
        before_chunk_ += rows_;
        duckdb_destroy_data_chunk(&chunk_);
    }
    chunk_ = duckdb_fetch_chunk(result_);
    if (chunk_ == nullptr) {
        const char* reason = duckdb_result_error(&result_);
        if (reason != nullptr) error_ = reason;
        return false;
    }
    rows_ = duckdb_data_chunk_get_size(chunk_);
    row_ = 0;
    vectors_.clear();
    for (idx_t i = 0; i < columns_.size(); ++i) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(chunk_, i);
        vectors_.push_back({duckdb_column_type(&result_, i), duckdb_vector_get_data(vector),
                            duckdb_vector_get_validity(vector)});
    }
    return rows_ > 0;
}

bool Query::Next() {
    if (!has_result_) return false;
    if (chunk_ != nullptr && ++row_ < rows_) return true;
    return NextChunk();
}

bool Query::IsNull(size_t column) const {
    uint64_t* validity = vectors_[column].validity;
    return validity != nullptr && !duckdb_validity_row_is_valid(validity, row_);
}

int64_t Query::Integer(size_t column) const {
    return IsNull(column) ? 0 : Number<int64_t>(vectors_[column].type, vectors_[column].data, row_);
}

uint64_t Query::Unsigned(size_t column) const {
    return IsNull(column) ? 0
                          : Number<uint64_t>(vectors_[column].type, vectors_[column].data, row_);
}

double Query::Real(size_t column) const {
    return IsNull(column) ? 0 : Number<double>(vectors_[column].type, vectors_[column].data, row_);
}

std::string Query::Text(size_t column) const {
    if (IsNull(column)) return {};
    const Vector& vector = vectors_[column];
    switch (ClassOf(vector.type)) {
        case ValueClass::kBoolean:
            return At<bool>(vector.data, row_) ? "true" : "false";
        case ValueClass::kInteger:
            return fmt::format("{}", Number<__int128>(vector.type, vector.data, row_));
        case ValueClass::kReal:
            if (vector.type == DUCKDB_TYPE_FLOAT)
                return fmt::format("{}", At<float>(vector.data, row_));
            return fmt::format("{}", Real(column));
        case ValueClass::kText:
            break;
    }
    if (vector.type != DUCKDB_TYPE_VARCHAR) return {};
    duckdb_string_t text = At<duckdb_string_t>(vector.data, row_);
    return std::string(duckdb_string_t_data(&text), duckdb_string_t_length(text));
}

}  // namespace comshu::read
