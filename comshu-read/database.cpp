#include "comshu/read/database.h"

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
    if (duckdb_open(nullptr, &database->database_) == DuckDBError ||
        duckdb_connect(database->database_, &database->connection_) == DuckDBError) {
        *error = "DuckDB cannot be started";
        return nullptr;
    }
    const Capture& tables = *database->capture_;
    for (const RecordTable& table : tables.tables()) {
        if (!RegisterRecordScan(database->connection_, tables, table)) {
            *error = "DuckDB refuses the table function " + table.name;
            return nullptr;
        }
        const std::string name = SqlName(table.name);
        if (!database->Execute("CREATE VIEW " + name + " AS SELECT * FROM " + name + "()", error))
            return nullptr;
    }
    if (!MakeInformationTables(database->connection_, tables, error)) return nullptr;
    if (!AddViews(database.get(), error)) return nullptr;
    return database;
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
