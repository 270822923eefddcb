#include "views/link_files.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "comshu/read/database.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTimedBins = LinkBins::kBins - 1;

}  // namespace

int64_t TimeOf(const MessageRow& row) {
    if (row.send_begin == kNoTime) return row.recv_begin;
    if (row.recv_begin == kNoTime) return row.send_begin;
    return std::min(row.send_begin, row.recv_begin);
}

int64_t TimeOf(const UnmatchedRow& row) {
    return row.begin;
}

int64_t TimeOf(const CollectiveRow& row) {
    return row.begin;
}

LinkBins::LinkBins(const Capture& capture) {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::min();
    for (const Block& block : capture.blocks()) {
        if (block.definitions()) continue;
        const TickScale& scale = capture.processes()[block.process]->scale;
        first = std::min(first, scale.ToNs(block.header.first_tick));
        last = std::max(last, scale.ToNs(block.header.last_tick));
    }
    if (first > last) return;
    first_ = first;
    width_ = (static_cast<uint64_t>(last) - static_cast<uint64_t>(first)) / kTimedBins + 1;
}

size_t LinkBins::BinOf(int64_t time) const {
    if (time == kNoTime) return kTimedBins;
    if (time <= first_) return 0;
    const uint64_t bin = (static_cast<uint64_t>(time) - static_cast<uint64_t>(first_)) / width_;
    return std::min<uint64_t>(bin, kTimedBins - 1);
}

std::vector<uint32_t> FilesOfBins(const std::vector<uint64_t>& rows_of_bins,
                                  uint64_t rows_per_file) {
    std::vector<uint32_t> files;
    uint32_t file = 0;
    uint64_t rows = 0;
    for (const uint64_t more : rows_of_bins) {
        if (rows != 0 && more != 0 && rows + more > rows_per_file) {
            ++file;
            rows = 0;
        }
        rows += more;
        files.push_back(file);
    }
    return files;
}

std::string LinkFileName(const char* table, uint32_t number, uint32_t count) {
    return count == 1 ? fmt::format("{}.parquet", table)
                      : fmt::format("{}.{:05}-of-{:05}.parquet", table, number, count);
}

bool WriteLinkFile(const Execute& execute, const LinkTable& table, const std::string& path,
                   std::string* error) {
    return execute(fmt::format("COPY (SELECT * FROM {}() ORDER BY {}, {}) TO {} (FORMAT parquet, "
                               "PARQUET_VERSION V2, COMPRESSION zstd, USE_TMP_FILE false)",
                               table.function, table.time, table.order, SqlText(path)),
                   error);
}

std::vector<std::string> LinkFiles(const std::string& folder, const char* table) {
    std::vector<std::string> files;
    std::error_code code;
    uint32_t count = 1;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with(fmt::format("{}.", table))) continue;
        files.push_back(it->path().string());
        const size_t of = name.find("-of-");
        if (of != std::string::npos) count = std::strtoul(name.c_str() + of + 4, nullptr, 10);
    }
    std::sort(files.begin(), files.end());
    if (files.size() != count) files.clear();
    return files;
}

}  // namespace comshu::read
