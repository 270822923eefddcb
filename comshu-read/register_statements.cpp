#include "register_statements.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "comshu/read/query.h"

namespace comshu::read {
namespace {

constexpr const char* kGlob = "*?{}";
constexpr size_t kLongestName = 100;  // Metastores hold 128.

std::string Quoted(const std::string& text, char quote) {
    std::string out(1, quote);
    for (const char c : text) {
        if (c == quote || c == '\\') out += '\\';
        out += c;
    }
    return out + quote;
}

// Names that Hive's metastore, and Spark before 3.3, refuse.
bool HasPlainNames(const ExportedTable& table) {
    return std::none_of(table.columns.begin(), table.columns.end(), [](const auto& column) {
        return column.name.find_first_of(" ,;{}()\n\t=") != std::string::npos;
    });
}

// A comment that names the tables which `one` has no statements for.
std::string LeftOut(const std::vector<ExportedTable>& tables) {
    std::string names;
    for (const ExportedTable& table : tables) {
        if (!HasPlainNames(table)) names += (names.empty() ? "" : ", ") + table.name;
    }
    return names.empty() ? ""
                         : fmt::format("-- Left out, as names of columns have blanks: {}\n", names);
}

std::string ColumnList(const ExportedTable& table, char quote, const char* text, const char* real,
                       const char* group) {
    std::string list;
    for (const ExportedColumn& column : table.columns) {
        const std::string type = column.StoredType();
        list += fmt::format("{}{}{}{} {}", list.empty() ? "" : ", ", quote, column.name, quote,
                            type == "VARCHAR" ? text
                            : type == "FLOAT" ? real
                                              : type);
    }
    if (table.rank() != nullptr)
        list += fmt::format(", {}{}{} {}", quote, kRankGroup, quote, group);
    return list;
}

}  // namespace

std::string DatabaseName(const std::string& path) {
    std::string name = "comshu_";
    for (char c : std::filesystem::path(path).filename().string()) {
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (name.size() < kLongestName) name += plain ? c : '_';
    }
    return name;
}

std::string DuckDbStatements(const std::vector<ExportedTable>& tables, const std::string& path) {
    std::string sql =
        "-- duckdb -init register-duckdb.sql\n"
        "-- The types of the columns: guessed from the text, ids of 64 bits become floating-point "
        "numbers.\n";
    for (const ExportedTable& table : tables) {
        std::string columns;
        for (const ExportedColumn& column : table.columns) {
            columns += fmt::format("{}{}: {}", columns.empty() ? "" : ", ", SqlText(column.name),
                                   SqlText(column.type));
        }
        sql += fmt::format(
            "CREATE OR REPLACE VIEW {} AS SELECT * FROM read_csv({}, header = true, columns = "
            "{{{}}});\n",
            SqlName(table.name), SqlText(path + "/" + table.name + ".csv"), columns);
    }
    return sql;
}

std::string SparkStatements(const std::vector<ExportedTable>& tables, const std::string& path) {
    const std::string database = DatabaseName(path);
    std::string sql =
        "-- spark-sql -f register-spark.sql   (Spark 3.4 or newer)\n"
        "-- Tables that are there under these names are replaced, and no files are touched.\n" +
        LeftOut(tables) + fmt::format("CREATE DATABASE IF NOT EXISTS {0};\nUSE {0};\n", database);
    for (const ExportedTable& table : tables) {
        if (!HasPlainNames(table)) continue;
        const bool grouped = table.rank() != nullptr;
        sql += fmt::format(
            "DROP TABLE IF EXISTS `{0}`;\nCREATE TABLE `{0}` ({1}) USING PARQUET{2} LOCATION "
            "{3};\n",
            table.name, ColumnList(table, '`', "STRING", "FLOAT", "INT"),
            grouped ? fmt::format(" PARTITIONED BY (`{}`)", kRankGroup) : "",
            Quoted("file://" + path + "/" + table.name, '\''));
        if (grouped) sql += fmt::format("MSCK REPAIR TABLE `{}`;\n", table.name);
    }
    return sql;
}

std::string TrinoStatements(const std::vector<ExportedTable>& tables, const std::string& path) {
    const std::string database = DatabaseName(path);
    std::string sql =
        "-- trino -f register-trino.sql   (a catalog of the Hive connector, called hive)\n"
        "-- Locations with file:// need fs.hadoop.enabled=true in the catalog's properties. With\n"
        "-- fs.native-local.enabled=true write local:// instead, and the path as it is below\n"
        "-- local.location.\n"
        "-- Tables that are there under these names are replaced, and no files are touched.\n" +
        LeftOut(tables) + fmt::format("CREATE SCHEMA IF NOT EXISTS hive.{};\n", database);
    for (const ExportedTable& table : tables) {
        if (!HasPlainNames(table)) continue;
        const bool grouped = table.rank() != nullptr;
        sql += fmt::format(
            "DROP TABLE IF EXISTS hive.{0}.\"{1}\";\nCREATE TABLE hive.{0}.\"{1}\" ({2}) WITH "
            "(external_location = {3}, format = 'PARQUET'{4});\n",
            database, table.name, ColumnList(table, '"', "VARCHAR", "REAL", "INTEGER"),
            SqlText("file://" + path + "/" + table.name),
            grouped ? fmt::format(", partitioned_by = ARRAY['{}']", kRankGroup) : "");
        if (grouped) {
            sql += fmt::format("CALL hive.system.sync_partition_metadata('{}', {}, 'FULL');\n",
                               database, SqlText(table.name));
        }
    }
    return sql;
}

std::string ClickHouseStatements(const std::vector<ExportedTable>& tables,
                                 const std::string& path) {
    const std::string database = DatabaseName(path);
    std::string sql = fmt::format(
        "-- clickhouse local --path FOLDER --queries-file register-clickhouse.sql\n"
        "-- keeps the views in FOLDER, for later calls with the same --path; without --path they "
        "are\n"
        "-- gone at the end of the call. For a server: clickhouse client --queries-file ..., with "
        "the\n"
        "-- export below the server's user_files_path.\n"
        "-- Views that are there under these names are replaced, and no files are touched.\n"
        "CREATE DATABASE IF NOT EXISTS {};\n",
        database);
    // The path of file() is a pattern that quotes nothing: any character stands for one that would mean
    // something, and rows are those of this folder.
    std::string pattern = path;
    for (char& c : pattern) {
        if (std::string(kGlob).find(c) != std::string::npos) c = '?';
    }
    for (const ExportedTable& table : tables) {
        const bool grouped = table.rank() != nullptr;
        std::string columns;
        for (const ExportedColumn& column : table.columns)
            columns += (columns.empty() ? "" : ", ") + Quoted(column.name, '`');
        // From the path: versions differ in whether, and as what, they make a column of it.
        if (grouped) {
            columns += fmt::format(", CAST(extract(_path, '/{0}=([0-9]+)/[^/]*$') AS Int32) AS {0}",
                                   kRankGroup);
        }
        const std::string folder = "/" + table.name + "/";
        sql += fmt::format(
            "CREATE OR REPLACE VIEW {}.`{}` AS SELECT {} FROM file({}, 'Parquet'){};\n", database,
            table.name, columns,
            Quoted(pattern + folder + (grouped ? "*/*.parquet" : "*.parquet"), '\''),
            pattern == path
                ? ""
                : fmt::format(" WHERE startsWith(_path, {})", Quoted(path + folder, '\'')));
    }
    return sql;
}

}  // namespace comshu::read
