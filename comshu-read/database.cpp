#include "comshu/read/database.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>

#include "comshu/read/export.h"
#include "comshu/read/views.h"
#include "information_tables.h"
#include "record_scan.h"

namespace comshu::read {

namespace {

bool IsNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool HoldsWord(const std::string& text, const std::string& word) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !IsNameCharacter(text[at - 1])) &&
            (end == text.size() || !IsNameCharacter(text[end])))
            return true;
    }
    return false;
}

// Whether a statement, in small letters, reads the catalogue.
bool AsksForViews(const std::string& text) {
    return text.find("duckdb_") != text.npos || text.find("sqlite_") != text.npos ||
           HoldsWord(text, "information_schema") || HoldsWord(text, "pragma") ||
           HoldsWord(text, "show") || HoldsWord(text, "describe");
}

}  // namespace

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
        !database->MakeViews(error)) {
        return nullptr;
    }
    return database;
}

bool Database::Start(std::string* error) {
    if (duckdb_open(nullptr, &database_) == DuckDBSuccess &&
        duckdb_connect(database_, &connection_) == DuckDBSuccess) {
        ChooseSpillFolder();
        // Tables tell no length, so every side of a join looks small: DuckDB would compare all rows with
        // all rows where they are joined by the nearest time.
        return Execute("SET asof_loop_join_threshold = 0", error);
    }
    *error = "DuckDB cannot be started";
    return false;
}

// Without one DuckDB would take `.tmp` in the current folder.
void Database::ChooseSpillFolder() {
    static std::atomic<uint32_t> number{0};
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
    if (code) return;
    spill_ = std::make_unique<PendingFile>(folder / ("comshu-spill-" + std::to_string(number++)));
    std::string ignored;
    if (mkdir(spill_->part().c_str(), 0700) == 0)
        Execute("SET temp_directory = " + SqlText(spill_->part()), &ignored);
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
    return MakeInformationTables(connection_, *capture_, error) && MakeViews(error);
}

bool Database::MakeViews(std::string* error) {
    ++making_;
    const bool made = AddViews(this, error);
    --making_;
    return made;
}

bool Database::CheckAll(std::string* error) {
    if (capture_ == nullptr) return true;
    if (!is_checked_) capture_->CheckBlocks();
    is_checked_ = true;
    // Other readers may have found more since.
    return RefillProblems(connection_, *capture_, error);
}

Database::~Database() {
    if (connection_ != nullptr) duckdb_disconnect(&connection_);
    if (database_ != nullptr) duckdb_close(&database_);
}

duckdb_connection Database::Connect() const {
    duckdb_connection connection = nullptr;
    return duckdb_connect(database_, &connection) == DuckDBSuccess ? connection : nullptr;
}

void Database::MakeOnMention(std::vector<std::string> words, Maker make, Need need) {
    pending_.push_back({std::move(words), std::move(make), need});
}

bool Database::MakeMentioned(const std::string& sql, std::string* error) {
    if (pending_.empty()) return true;
    std::string text(sql.size(), ' ');
    std::transform(sql.begin(), sql.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool asks = AsksForViews(text);
    const auto is_needed = [&](const Pending& pending) {
        if (pending.need == Need::kRows && making_ > 0) return false;
        return (asks && pending.need == Need::kView) ||
               std::any_of(pending.words.begin(), pending.words.end(),
                           [&](const std::string& word) { return text.find(word) != text.npos; });
    };
    for (size_t i = 0; i < pending_.size();) {
        if (!is_needed(pending_[i])) {
            ++i;
            continue;
        }
        // Taken out first: making it executes statements that mention it.
        const Maker make = std::move(pending_[i].make);
        pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
        // A result that nobody read to its end holds a transaction, with which new functions would go.
        duckdb_query(connection_, "SELECT 1", nullptr);
        ++making_;
        const bool made = make(error);
        --making_;
        if (!made) return false;
        i = 0;  // It may have made others.
    }
    return true;
}

bool Database::Execute(const std::string& sql, std::string* error) {
    if (!MakeMentioned(sql, error)) return false;
    duckdb_result result;
    const bool done = duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess;
    if (!done) *error = duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    return done;
}

}  // namespace comshu::read
