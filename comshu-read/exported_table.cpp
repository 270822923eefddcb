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

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
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

std::string SparkStatements(const std::vector<ExportedTable>& tables, const std::string& path) {
    std::string sql =
        "-- spark-sql -f register-spark.sql\nCREATE DATABASE IF NOT EXISTS comshu;\nUSE comshu;\n";
    for (const ExportedTable& table : tables) {
        std::string columns;
        for (const ExportedColumn& column : table.columns) {
            const std::string type = column.StoredType();
            columns += fmt::format("{}`{}` {}", columns.empty() ? "" : ", ", column.name,
                                   type == "VARCHAR" ? "STRING" : type);
        }
        const bool grouped = table.rank() != nullptr;
        if (grouped) columns += fmt::format(", `{}` INT", kRankGroup);
        sql += fmt::format("CREATE TABLE IF NOT EXISTS `{}` ({}) USING PARQUET{} LOCATION '{}';\n",
                           table.name, columns,
                           grouped ? fmt::format(" PARTITIONED BY (`{}`)", kRankGroup) : "",
                           Replaced(path + "/" + table.name, "'", "\\'"));
        if (grouped) sql += fmt::format("MSCK REPAIR TABLE `{}`;\n", table.name);
    }
    return sql;
}

std::string TrinoStatements(const std::vector<ExportedTable>& tables, const std::string& path) {
    std::string sql =
        "-- trino -f register-trino.sql; the catalog is called hive\n"
        "CREATE SCHEMA IF NOT EXISTS hive.comshu;\n";
    for (const ExportedTable& table : tables) {
        std::string columns;
        for (const ExportedColumn& column : table.columns) {
            const std::string type = column.StoredType();
            columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", column.name,
                                   type == "FLOAT" ? "REAL" : type);
        }
        const bool grouped = table.rank() != nullptr;
        if (grouped) columns += fmt::format(", \"{}\" INTEGER", kRankGroup);
        sql += fmt::format(
            "CREATE TABLE IF NOT EXISTS hive.comshu.\"{}\" ({}) WITH (external_location = {}, "
            "format "
            "= 'PARQUET'{});\n",
            table.name, columns, SqlText("file://" + path + "/" + table.name),
            grouped ? fmt::format(", partitioned_by = ARRAY['{}']", kRankGroup) : "");
        if (grouped) {
            sql += fmt::format("CALL hive.system.sync_partition_metadata('comshu', {}, 'FULL');\n",
                               SqlText(table.name));
        }
    }
    return sql;
}

std::string ClickHouseStatements(const std::vector<ExportedTable>& tables,
                                 const std::string& path) {
    std::string sql =
        "-- clickhouse local --queries-file register-clickhouse.sql; for a server the folder lies "
        "below "
        "its user_files_path\nCREATE DATABASE IF NOT EXISTS comshu;\n";
    for (const ExportedTable& table : tables) {
        const bool grouped = table.rank() != nullptr;
        const std::string files =
            path + "/" + table.name + (grouped ? "/*/*.parquet" : "/*.parquet");
        sql += fmt::format(
            "CREATE VIEW IF NOT EXISTS comshu.`{}` AS SELECT * FROM file('{}', 'Parquet'){};\n",
            table.name, Replaced(Replaced(files, "\\", "\\\\"), "'", "\\'"),
            grouped ? " SETTINGS use_hive_partitioning = 1" : "");
    }
    return sql;
}

}  // namespace comshu::read
