#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "comshu/read/links.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "matching/flat_map.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

// Another number whenever matching finds something else in the same capture, or the columns change.
constexpr uint64_t kLinkVersion = 2;
constexpr const char* kPrefix = "link-";
// Matched in a few hundredths of a second.
constexpr uint64_t kWorthRows = 500'000;

// What is kept, and its order.
struct Kept {
    const char* name;
    const char* function;
    const char* order;
};
constexpr Kept kKept[] = {
    {"message", "matched_message", "least(send_begin_ns, recv_begin_ns), send_span, recv_span"},
    {"unmatched", "matched_none", "begin_ns, span_id"},
    {"collective", "matched_collective", "begin_ns, instance, rank"},
};

std::string FileOf(const std::string& folder, const char* name) {
    return (fs::path(folder) / name).string() + ".parquet";
}

bool WriteAll(Database* database, const std::string& folder, std::string* error) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        *error = code.message();
        return false;
    }
    return std::all_of(std::begin(kKept), std::end(kKept), [&](const Kept& kept) {
        return database->Execute(
            fmt::format("COPY (SELECT * FROM {}() ORDER BY {}) TO {} (FORMAT parquet, "
                        "PARQUET_VERSION V2, COMPRESSION zstd, USE_TMP_FILE false)",
                        kept.function, kept.order, SqlText(FileOf(folder, kept.name))),
            error);
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
    uint64_t key = MixBits(kLinkVersion);
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
    return std::all_of(std::begin(kKept), std::end(kKept), [&](const Kept& kept) {
        std::string ignored;
        return database->Execute(fmt::format("SELECT * FROM read_parquet({}) LIMIT 0",
                                             SqlText(FileOf(folder, kept.name))),
                                 &ignored);
    });
}

bool KeepLinks(Database* database, std::string* error) {
    if (database->capture() == nullptr) return true;
    const std::string folder = LinkFolder(*database->capture());
    if (folder.empty() || HasLinks(database)) return true;
    std::error_code code;
    fs::remove_all(folder, code);  // Damaged.
    fs::create_directories(fs::path(folder).parent_path(), code);
    PendingFile file(folder);
    bool written = !file.part().empty();
    if (!written) *error = file.error();
    written = written && WriteAll(database, file.part(), error) && file.Commit(error);
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
