#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "comshu/read/links.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "matching/flat_map.h"
#include "views/link_files.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

// Another number whenever matching finds something else in the same capture, or the columns change.
constexpr uint64_t kLinkVersion = 4;
constexpr const char* kPrefix = "link-";
// Matched in a few hundredths of a second.
constexpr uint64_t kWorthRows = 500'000;

// Which file each row of a table goes to, and how many there are: by how many rows each bin has.
bool CountFiles(Database* database, const LinkTable& table, const std::string& bin,
                uint64_t rows_per_file, std::vector<uint32_t>* files, std::string* error) {
    std::vector<uint64_t> rows(LinkBins::kBins);
    Query query;
    if (!query.Run(database,
                   fmt::format("SELECT {}, count(*) FROM {}() GROUP BY 1", bin, table.function),
                   error))
        return false;
    while (query.Next()) rows[query.Unsigned(0)] = query.Unsigned(1);
    *error = query.error();
    *files = FilesOfBins(rows, rows_per_file);
    return error->empty();
}

bool WriteTable(Database* database, const LinkTable& table, const std::string& folder,
                uint64_t rows_per_file, std::string* error) {
    const std::string bin = LinkBins(*database->capture()).BinSql(table.time);
    std::vector<uint32_t> files;
    if (!CountFiles(database, table, bin, rows_per_file, &files, error)) return false;
    const uint32_t count = files.back() + 1;
    const Execute execute = [&](const std::string& sql, std::string* why) {
        return database->Execute(sql, why);
    };
    for (uint32_t file = 0; file < count; ++file) {
        const auto [first, end] = std::equal_range(files.begin(), files.end(), file);
        const std::string condition =
            count == 1 ? ""
                       : fmt::format("{} BETWEEN {} AND {}", bin, first - files.begin(),
                                     end - files.begin() - 1);
        const fs::path path = fs::path(folder) / LinkFileName(table.name, file, count);
        if (!WriteLinkFile(execute, table, condition, path.string(), error)) return false;
    }
    return true;
}

bool WriteAll(Database* database, const std::string& folder, uint64_t rows_per_file,
              std::string* error) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        *error = code.message();
        return false;
    }
    return std::all_of(std::begin(kLinkTables), std::end(kLinkTables), [&](const auto& table) {
        return WriteTable(database, table, folder, rows_per_file, error);
    });
}

void RemoveOthers(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator it(folder.parent_path(), code), end; !code && it != end;
         it.increment(code)) {
        if (it->path().filename().string().starts_with(kPrefix) && it->path() != folder) {
            std::error_code ignored;
            fs::remove_all(it->path(), ignored);
        }
    }
}

}  // namespace

std::string LinkFolder(const Capture& capture) {
    std::error_code code;
    if (capture.paths().empty() || !fs::is_directory(capture.paths().front(), code)) return "";
    for (const auto& process : capture.processes()) {
        if (process->live != nullptr || process->state == ProcessState::kRunning) return "";
    }
    uint64_t key = MixBits(kLinkVersion << 8 | static_cast<uint64_t>(capture.clock_choice()));
    for (const Block& block : capture.blocks()) {
        key = MixBits(key ^ (block.header.header_hash + block.process)) * 0x9e3779b97f4a7c15u;
    }
    return (fs::path(capture.paths().front()) / "cache" / fmt::format("{}{:016x}", kPrefix, key))
        .string();
}

bool HasLinks(Database* database) {
    if (database->capture() == nullptr) return false;
    const std::string folder = LinkFolder(*database->capture());
    std::error_code code;
    if (folder.empty() || !fs::is_directory(folder, code)) return false;
    return std::all_of(std::begin(kLinkTables), std::end(kLinkTables), [&](const auto& table) {
        const std::vector<std::string> files = LinkFiles(folder, table.name);
        return !files.empty() && std::all_of(files.begin(), files.end(), [&](const auto& file) {
            std::string ignored;
            return database->Execute(
                fmt::format("SELECT * FROM read_parquet({}) LIMIT 0", SqlText(file)), &ignored);
        });
    });
}

bool KeepLinks(Database* database, std::string* error, uint64_t rows_per_file) {
    if (database->capture() == nullptr) return true;
    const std::string folder = LinkFolder(*database->capture());
    if (folder.empty() || HasLinks(database)) return true;
    return MakeLinkFolder(
        folder,
        [&](const std::string& part, std::string* why) {
            return WriteAll(database, part, rows_per_file, why);
        },
        error);
}

bool MakeLinkFolder(const std::string& folder,
                    const std::function<bool(const std::string&, std::string*)>& fill,
                    std::string* error) {
    std::error_code code;
    fs::remove_all(folder, code);  // Damaged.
    fs::create_directories(fs::path(folder).parent_path(), code);
    PendingFile file(folder);
    bool written = !file.part().empty();
    if (!written) *error = file.error();
    written = written && fill(file.part(), error) && file.Commit(error);
    if (!written) {
        *error = fmt::format("{}: cannot be written: {}", folder, *error);
        return false;
    }
    RemoveOthers(folder);
    return true;
}

void KeepLinksIfWorth(Database* database) {
    if (database->capture() == nullptr) return;
    Query query;
    std::string ignored;
    if (query.Run(database, "SELECT matched_rows()", &ignored) && query.Next() &&
        query.Unsigned(0) >= kWorthRows) {
        KeepLinks(database, &ignored);
    }
}

}  // namespace comshu::read
