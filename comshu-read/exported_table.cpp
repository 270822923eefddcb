#include "exported_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "comshu/read/query.h"

namespace comshu::read {
namespace {

// Lists, structures and the like are text in files of all engines.
bool IsPlain(const std::string& type) {
    for (const char* plain :
         {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR"}) {
        if (type == plain) return true;
    }
    return false;
}

}  // namespace

std::string ExportedColumn::StoredType() const {
    if (type == "UBIGINT" || type == "UINTEGER" || type == "HUGEINT") return "BIGINT";
    if (type == "USMALLINT" || type == "UTINYINT") return "INTEGER";
    return IsPlain(type) ? type : "VARCHAR";
}

std::string ExportedColumn::ToStored() const {
    const std::string column = SqlName(name);
    if (type == "UBIGINT") {
        return fmt::format(
            "CASE WHEN {0} < 9223372036854775808 THEN {0}::BIGINT ELSE ({0}::HUGEINT - "
            "18446744073709551616)::BIGINT END AS {0}",
            column);
    }
    return fmt::format("{0}::{1} AS {0}", column, StoredType());
}

std::string ExportedColumn::FromStored() const {
    const std::string column = SqlName(name);
    if (type == "UBIGINT") {
        return fmt::format(
            "CASE WHEN {0} >= 0 THEN {0}::UBIGINT ELSE ({0}::HUGEINT + "
            "18446744073709551616)::UBIGINT END AS {0}",
            column);
    }
    return fmt::format("{0}::{1} AS {0}", column, type);
}

bool ExportedTable::Has(const char* column) const {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const ExportedColumn& one) { return one.name == column; });
}

const char* ExportedTable::rank() const {
    return Has("rank") ? "rank" : Has("send_rank") ? "send_rank" : nullptr;
}

std::string ExportedTable::Order() const {
    std::string order;
    for (const char* time : {"begin_ns", "time_ns", "send_begin_ns", "tick_ns"}) {
        if (order.empty() && Has(time)) order = SqlName(time);
    }
    if (order.empty()) return "";
    for (const char* next :
         {"rank", "send_rank", "recv_rank", "thread", "span_id", "send_span", "recv_span"}) {
        if (Has(next)) order += ", " + SqlName(next);
    }
    return order;
}

const char* ExportedTable::ParquetOptions() const {
    const bool floating = std::any_of(columns.begin(), columns.end(), [](const auto& column) {
        return column.type.find("DOUBLE") != std::string::npos ||
               column.type.find("FLOAT") != std::string::npos;
    });
    return floating ? "FORMAT parquet, PARQUET_VERSION V1, COMPRESSION zstd, USE_TMP_FILE false"
                    : "FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd, USE_TMP_FILE false";
}

bool ListTables(Database* database, std::vector<ExportedTable>* tables, std::string* error) {
    Query query;
    const char* const sql =
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
        "ORDER BY table_name, column_index";
    if (!query.Run(database, sql, error)) return false;
    while (query.Next()) {
        if (tables->empty() || tables->back().name != query.Text(0))
            tables->push_back(ExportedTable{query.Text(0), {}});
        tables->back().columns.push_back(ExportedColumn{query.Text(1), query.Text(2)});
    }
    *error = query.error();
    return error->empty();
}

}  // namespace comshu::read
