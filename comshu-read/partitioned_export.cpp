#include "comshu/read/partitioned_export.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "comshu/read/export.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "exported_table.h"
#include "register_statements.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

constexpr const char* kColumnsFile = "_columns.parquet";
constexpr const char* kUnordered = "_unordered";
constexpr const char* kColumnsOptions = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false";

std::string StoredColumns(const ExportedTable& table) {
    std::string list;
    for (const ExportedColumn& column : table.columns)
        list += (list.empty() ? "" : ", ") + column.ToStored();
    return list;
}

class Writer {
public:
    Writer(Database* database, fs::path folder, uint32_t group_ranks, std::string* error)
        : database_(database),
          folder_(std::move(folder)),
          group_ranks_(group_ranks),
          error_(error) {}

    bool Write(const ExportedTable& table) {
        if (table.rank() == nullptr) {
            return MakeFolder(folder_ / table.name) &&
                   Copy(fmt::format("SELECT {} FROM {}{}", StoredColumns(table),
                                    SqlName(table.name), OrderSql(table)),
                        folder_ / table.name / "part-0.parquet", table.ParquetOptions());
        }
        const fs::path unordered = folder_ / kUnordered;
        const bool written =
            MakeFolder(unordered) &&
            Copy(fmt::format("SELECT {}, {} // {} AS {} FROM {}", StoredColumns(table),
                             SqlName(table.rank()), group_ranks_, kRankGroup, SqlName(table.name)),
                 unordered, fmt::format("FORMAT parquet, PARTITION_BY ({})", kRankGroup)) &&
            OrderGroups(table, unordered);
        std::error_code code;
        fs::remove_all(unordered, code);
        return written;
    }

    bool WriteColumns(const std::vector<ExportedTable>& tables) {
        std::string rows;
        for (const ExportedTable& table : tables) {
            for (const ExportedColumn& column : table.columns) {
                rows += fmt::format("{}({}, {}, {})", rows.empty() ? "" : ", ", SqlText(table.name),
                                    SqlText(column.name), SqlText(column.type));
            }
        }
        return Copy("SELECT * FROM (VALUES " + rows + ") AS t (table_name, column_name, type)",
                    folder_ / kColumnsFile, kColumnsOptions);
    }

    bool WriteText(const char* name, const std::string& text) {
        std::ofstream file(folder_ / name);
        file << text;
        file.close();
        if (!file) *error_ = fmt::format("{}: cannot be written", name);
        return static_cast<bool>(file);
    }

private:
    static std::string OrderSql(const ExportedTable& table) {
        const std::string order = table.Order();
        return order.empty() ? "" : " ORDER BY " + order;
    }

    bool MakeFolder(const fs::path& path) {
        std::error_code code;
        fs::create_directories(path, code);
        if (code) *error_ = code.message();
        return !code;
    }

    bool Copy(const std::string& select, const fs::path& to, const std::string& options) {
        return database_->Execute(
            fmt::format("COPY ({}) TO {} ({})", select, SqlText(to.string()), options), error_);
    }

    bool OrderGroups(const ExportedTable& table, const fs::path& unordered) {
        std::vector<std::string> groups;
        std::error_code code;
        for (fs::directory_iterator it(unordered, code), end; !code && it != end;
             it.increment(code)) {
            groups.push_back(it->path().filename().string());
        }
        // A table without rows has its columns all the same.
        if (groups.empty()) {
            const fs::path group = folder_ / table.name / fmt::format("{}=0", kRankGroup);
            return MakeFolder(group) && Copy(fmt::format("SELECT {} FROM {} WHERE false",
                                                         StoredColumns(table), SqlName(table.name)),
                                             group / "part-0.parquet", table.ParquetOptions());
        }
        return std::all_of(groups.begin(), groups.end(), [&](const std::string& group) {
            const std::string files = (unordered / group / "*.parquet").string();
            return MakeFolder(folder_ / table.name / group) &&
                   Copy(fmt::format("SELECT * FROM read_parquet({}, hive_partitioning = false){}",
                                    SqlText(files), OrderSql(table)),
                        folder_ / table.name / group / "part-0.parquet", table.ParquetOptions());
        });
    }

    Database* database_;
    fs::path folder_;
    uint32_t group_ranks_;
    std::string* error_;
};

}  // namespace

bool ExportPartitioned(Database* database, const std::string& path, uint32_t group_ranks,
                       std::string* error, const std::string& source) {
    std::vector<ExportedTable> tables;
    if (!ListTables(database, &tables, error)) return false;
    std::error_code code;
    if (fs::exists(path, code) && !(fs::is_directory(path, code) && fs::is_empty(path, code))) {
        *error = fmt::format("{}: exists; give a folder that does not exist or is empty", path);
        return false;
    }
    PendingFile file(path);
    if (file.part().empty()) {
        *error = file.error();
        return false;
    }
    fs::path place = fs::absolute(path, code).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();
    Writer writer(database, file.part(), group_ranks, error);
    fs::create_directories(file.part(), code);
    const bool written =
        std::all_of(tables.begin(), tables.end(),
                    [&](const ExportedTable& table) { return writer.Write(table); }) &&
        writer.WriteText("register-spark.sql", SparkStatements(tables, place.string())) &&
        writer.WriteText("register-trino.sql", TrinoStatements(tables, place.string())) &&
        writer.WriteText("register-clickhouse.sql", ClickHouseStatements(tables, place.string())) &&
        writer.WriteColumns(tables) && CopyRunDescription(source, file.part(), error);
    if (written) return file.Commit(error);
    *error = fmt::format("{}: cannot be written: {}", path, *error);
    return false;
}

bool IsPartitionedExport(const std::string& path) {
    std::error_code code;
    return fs::exists(fs::path(path) / kColumnsFile, code);
}

bool OpenPartitionedExport(Database* database, const std::string& path, std::string* error) {
    const fs::path folder = path;
    std::vector<ExportedTable> tables;
    Query query;
    if (!query.Run(database,
                   fmt::format("SELECT table_name, column_name, type FROM read_parquet({})",
                               SqlText((folder / kColumnsFile).string())),
                   error)) {
        *error = fmt::format("{}: cannot be read: {}", path, *error);
        return false;
    }
    while (query.Next()) {
        if (tables.empty() || tables.back().name != query.Text(0))
            tables.push_back(ExportedTable{query.Text(0), {}});
        tables.back().columns.push_back(ExportedColumn{query.Text(1), query.Text(2)});
    }
    *error = query.error();
    return error->empty() && std::all_of(tables.begin(), tables.end(), [&](const auto& table) {
               std::string columns;
               for (const ExportedColumn& column : table.columns)
                   columns += (columns.empty() ? "" : ", ") + column.FromStored();
               const fs::path files =
                   folder / table.name / (table.rank() ? "*/*.parquet" : "*.parquet");
               return database->Execute(
                   fmt::format(
                       "CREATE VIEW {} AS SELECT {} FROM read_parquet({}, hive_partitioning = "
                       "false)",
                       SqlName(table.name), columns, SqlText(files.string())),
                   error);
           });
}

}  // namespace comshu::read
