#include "comshu/read/database.h"

#include <algorithm>

#include "comshu/read/export.h"
#include "comshu/read/views.h"
#include "information_tables.h"
#include "record_scan.h"

namespace comshu::read {

std::string SqlText(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return out + "'";
}

std::string SqlName(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::unique_ptr<Database> Database::Open(std::shared_ptr<const Capture> capture,
                                         std::string* error) {
    std::unique_ptr<Database> database(new Database(std::move(capture)));
    if (!database->Start(error) || !database->AddTables(error)) return nullptr;
    return database;
}

std::unique_ptr<Database> Database::OpenPaths(const std::vector<std::string>& paths,
                                              std::string* error, ClockChoice clock) {
    const auto exported = std::find_if(paths.begin(), paths.end(), IsExportFolder);
    if (exported == paths.end()) {
        std::shared_ptr<const Capture> capture = Capture::Open(paths, error, clock);
        const auto csv = std::find_if(paths.begin(), paths.end(), IsCsvFolder);
        if (capture == nullptr && csv != paths.end()) {
            *error = *csv +
                     ": is an export as CSV, for other programs: types are not in it. Give the "
                     "capture itself, or export it with --parquet, which comshu reads";
        }
        return capture == nullptr ? nullptr : Open(std::move(capture), error);
    }
    if (paths.size() > 1) {
        *error = *exported +
                 ": is an export; it is read alone. Export the captures together instead: comshu "
                 "export DIR DIR... --parquet OUT";
        return nullptr;
    }
    if (clock != ClockChoice::kMeasured) {
        *error = *exported + ": is an export; its times are as they were exported";
        return nullptr;
    }
    std::unique_ptr<Database> database(new Database(nullptr));
    if (!database->Start(error) || !OpenExportFolder(database.get(), *exported, error) ||
        !AddViews(database.get(), error)) {
        return nullptr;
    }
    return database;
}

bool Database::Start(std::string* error) {
    if (duckdb_open(nullptr, &database_) == DuckDBSuccess &&
        duckdb_connect(database_, &connection_) == DuckDBSuccess) {
        return true;
    }
    *error = "DuckDB cannot be started";
    return false;
}

bool Database::AddTables(std::string* error) {
    for (const RecordTable& table : capture_->tables()) {
        if (!RegisterRecordScan(connection_, *capture_, table)) {
            *error = "DuckDB refuses the table function " + table.name;
            return false;
        }
        const std::string name = SqlName(table.name);
        if (!Execute("CREATE VIEW " + name + " AS SELECT * FROM " + name + "()", error))
            return false;
    }
    return MakeInformationTables(connection_, *capture_, error) && AddViews(this, error);
}

bool Database::CheckAll(std::string* error) {
    if (capture_ == nullptr) return true;
    capture_->CheckBlocks();
    return RefillProblems(connection_, *capture_, error);
}

Database::~Database() {
    if (connection_ != nullptr) duckdb_disconnect(&connection_);
    if (database_ != nullptr) duckdb_close(&database_);
}

bool Database::Execute(const std::string& sql, std::string* error) {
    duckdb_result result;
    const bool done = duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess;
    if (!done) *error = duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    return done;
}

}  // namespace comshu::read
