#include "comshu/read/export.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "comshu/read/partitioned_export.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "exported_table.h"
#include "register_statements.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

// Written into every export; what tells its folder from others that hold Parquet files.
constexpr const char* kMarkTable = "capture";

std::string Suffix(ExportFormat format) {
    return format == ExportFormat::kParquet ? ".parquet" : ".csv";
}

bool WriteTable(Database* database, ExportFormat format, const ExportedTable& table,
                const std::string& file, std::string* error) {
    const char* options = format == ExportFormat::kParquet
                              ? table.ParquetOptions()
                              : "FORMAT csv, HEADER, USE_TMP_FILE false";
    return database->Execute(fmt::format("COPY (SELECT * FROM {}) TO {} ({})", SqlName(table.name),
                                         SqlText(file), options),
                             error);
}

bool WriteFolder(Database* database, ExportFormat format, const std::vector<ExportedTable>& tables,
                 const std::string& folder, std::string* error) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        *error = code.message();
        return false;
    }
    return std::all_of(tables.begin(), tables.end(), [&](const ExportedTable& table) {
        const std::string file = (fs::path(folder) / table.name).string() + Suffix(format);
        return WriteTable(database, format, table, file, error);
    });
}

// `path`: where the folder will be.
bool WriteTypes(const std::vector<ExportedTable>& tables, const std::string& folder,
                const std::string& path, std::string* error) {
    fs::path place = fs::absolute(path).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();
    std::ofstream out(fs::path(folder) / "register-duckdb.sql");
    out << DuckDbStatements(tables, place.string());
    out.close();
    if (!out) *error = "register-duckdb.sql cannot be written";
    return static_cast<bool>(out);
}

}  // namespace

std::vector<std::string> TableNames(Database* database, std::string* error) {
    std::vector<std::string> names;
    Query query;
    const char* const sql =
        "SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal UNION "
        "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY name";
    if (!query.Run(database, sql, error)) return names;
    while (query.Next()) names.push_back(query.Text(0));
    *error = query.error();
    return names;
}

bool CopyRunDescription(const std::string& source, const std::string& to, std::string* error) {
    if (source.empty()) return true;
    for (const fs::path& folder : {fs::path(source), fs::path(source).parent_path()}) {
        std::error_code code;
        const fs::path file = folder / "capture.json";
        if (!fs::exists(file, code)) continue;
        fs::copy_file(file, fs::path(to) / "capture.json", code);
        if (code) *error = fmt::format("{}: cannot be copied: {}", file.string(), code.message());
        return !code;
    }
    return true;
}

bool Export(Database* database, ExportFormat format, const std::string& path,
            const std::string& table, std::string* error, const std::string& source) {
    std::vector<ExportedTable> tables;
    if (!ListTables(database, &tables, error)) return false;
    std::error_code code;
    const auto one = std::find_if(tables.begin(), tables.end(),
                                  [&](const ExportedTable& each) { return each.name == table; });
    if (!table.empty()) {
        if (one == tables.end()) {
            *error = fmt::format("no table is named {}; there are: {}", table,
                                 fmt::join(TableNames(database, error), ", "));
            return false;
        }
    } else if (fs::exists(path, code) &&
               !(fs::is_directory(path, code) && fs::is_empty(path, code))) {
        *error = fmt::format("{}: exists; give a folder that does not exist or is empty", path);
        return false;
    }
    PendingFile file(path);
    if (file.part().empty()) {
        *error = file.error();
        return false;
    }
    const bool written =
        table.empty()
            ? WriteFolder(database, format, tables, file.part(), error) &&
                  (format != ExportFormat::kCsv || WriteTypes(tables, file.part(), path, error)) &&
                  CopyRunDescription(source, file.part(), error)
            : WriteTable(database, format, *one, file.part(), error);
    if (written) return file.Commit(error);
    *error = fmt::format("{}: cannot be written: {}", path, *error);
    return false;
}

static bool HoldsExport(const std::string& path, const char* suffix) {
    std::error_code code;
    return fs::exists(fs::path(path) / (std::string(kMarkTable) + suffix), code);
}

bool IsExportFolder(const std::string& path) {
    return HoldsExport(path, ".parquet") || IsPartitionedExport(path);
}

bool IsCsvFolder(const std::string& path) {
    return HoldsExport(path, ".csv");
}

bool OpenExportFolder(Database* database, const std::string& path, std::string* error) {
    if (IsPartitionedExport(path)) return OpenPartitionedExport(database, path, error);
    std::error_code code;
    for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
        if (it->path().extension() != ".parquet") continue;
        const std::string view =
            fmt::format("CREATE VIEW {} AS SELECT * FROM read_parquet({})",
                        SqlName(it->path().stem().string()), SqlText(it->path().string()));
        if (!database->Execute(view, error)) {
            *error = fmt::format("{}: cannot be read: {}", it->path().string(), *error);
            return false;
        }
    }
    if (code) *error = fmt::format("{}: cannot be read: {}", path, code.message());
    return !code;
}

}  // namespace comshu::read
