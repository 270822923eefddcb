#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "comshu/read/links.h"
#include "comshu/read/pending_file.h"
#include "clock_order.h"
#include "matching/flat_map.h"
#include "views/link_files.h"
#include "views/link_writer.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

// Another number whenever matching finds something else in the same capture, or the columns change.
constexpr uint64_t kLinkVersion = 4;
constexpr const char* kPrefix = "link-";

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
    return LinkFolder(capture, capture.clock_choice());
}

std::string LinkFolder(const Capture& capture, ClockChoice clock) {
    std::error_code code;
    if (capture.paths().empty() || !fs::is_directory(capture.paths().front(), code)) return "";
    for (const auto& process : capture.processes()) {
        if (process->live != nullptr || process->state == ProcessState::kRunning) return "";
    }
    uint64_t key = MixBits(kLinkVersion << 8 | static_cast<uint64_t>(clock));
    for (const Block& block : capture.blocks()) {
        key = MixBits(key ^ (block.header.header_hash + block.process)) * 0x9e3779b97f4a7c15u;
    }
    return (fs::path(capture.paths().front()) / "cache" / fmt::format("{}{:016x}", kPrefix, key))
        .string();
}

bool HasLinks(Database* database) {
    return database->capture() != nullptr && HasLinks(database, LinkFolder(*database->capture()));
}

bool HasLinks(Database* database, const std::string& folder) {
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

bool UseLinks(Database* database, std::string* error) {
    const std::string folder = HasLinks(database) ? LinkFolder(*database->capture()) : "";
    return std::all_of(std::begin(kLinkTables), std::end(kLinkTables), [&](const auto& table) {
        std::string from = fmt::format("{}()", table.function);
        if (!folder.empty()) {
            std::string list;
            for (const std::string& file : LinkFiles(folder, table.name))
                list += (list.empty() ? "" : ", ") + SqlText(file);
            from = fmt::format("read_parquet([{}])", list);
        }
        // Files are in order of time, and DuckDB keeps the order of files.
        const std::string order = folder.empty() ? fmt::format(" ORDER BY {}", table.time) : "";
        return database->Execute(
            fmt::format("CREATE OR REPLACE MACRO linked_{0}() AS TABLE SELECT * FROM {1};\n"
                        "CREATE OR REPLACE MACRO ordered_{0}() AS TABLE SELECT * FROM {1}{2}",
                        table.name, from, order),
            error);
    });
}

bool KeepLinks(Database* database, std::string* error, uint64_t rows_per_file) {
    if (database->capture() == nullptr) return true;
    const std::string folder = LinkFolder(*database->capture());
    if (folder.empty() || HasLinks(database)) return true;
    return MakeLinkFolder(
               folder,
               [&](const std::string& part, std::string* why) {
                   return WriteLinks(*database->capture(), part, rows_per_file, why) &&
                          WriteClocks(*database->capture(), part, why);
               },
               error) &&
           UseLinks(database, error);
}

bool WriteClocks(const Capture& capture, const std::string& folder, std::string* error) {
    if (capture.clock_choice() != ClockChoice::kLogical || capture.clocks().size() < 2) return true;
    const std::string path = folder + "/" + kCurvesFile;
    std::ofstream file(path);
    file << CurvesText(capture.logical_curves());
    file.close();
    if (!file) *error = path + ": cannot be written";
    return static_cast<bool>(file);
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

void KeepLinksIfWorth(Database* database, uint64_t worth_records) {
    const Capture* capture = database->capture();
    if (capture == nullptr) return;
    uint64_t records = 0;
    for (const Block& block : capture->blocks()) {
        if (!block.definitions() && !capture->processes()[block.process]->worlds.empty())
            records += block.header.record_count;
    }
    std::string ignored;
    if (records >= worth_records) KeepLinks(database, &ignored);
}

}  // namespace comshu::read
