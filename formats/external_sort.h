// Sorts more rows than fit in memory.
#ifndef COMSHU_FORMATS_EXTERNAL_SORT_H_
#define COMSHU_FORMATS_EXTERNAL_SORT_H_

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace comshu::format {

// Problem: an export is in order of time, and what it reads is not. DuckDB 1.4.4 cannot be asked for it: when
// the first side of a UNION ALL ends before the sort has begun to spill, it never spills ("Out of Memory" at
// its limit), and told to spill from the start it took 16 GB under a limit of 4. Idea: rows gather up to
// `bytes`, are sorted and put down as a file; at the end all files are merged. Costs a write and a read of
// each row beyond the first `bytes`. `Row`: trivially copyable, ordered by `<`; equal rows keep no order.
// Files are removed as they are read, or with the folder. Not thread-safe.
template <typename Row>
class ExternalSort {
    static_assert(std::is_trivially_copyable_v<Row>);

public:
    static constexpr size_t kBytes = size_t{512} << 20;

    // `folder` is made when it is needed.
    explicit ExternalSort(std::string folder, size_t bytes = kBytes)
        : folder_(std::move(folder)), capacity_(std::max<size_t>(1, bytes / sizeof(Row))) {}

    // What is added after a failure is dropped.
    void Add(const Row& row) {
        if (rows_.size() == capacity_) PutDown();
        rows_.push_back(row);
    }

    // Calls `visit` for each row in order, once. False: a file failed, `error` says why.
    template <typename Visitor>
    bool Visit(Visitor visit, std::string* error) {
        if (files_.empty()) {
            std::sort(rows_.begin(), rows_.end());
            for (const Row& row : rows_) visit(row);
        } else {
            PutDown();
            std::vector<Row>().swap(rows_);
            Merge(visit);
        }
        *error = error_;
        return error_.empty();
    }

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, CloseFile>;

    static constexpr size_t kReadRows = std::max<size_t>(1, (size_t{1} << 20) / sizeof(Row));

    // One file, from its first row to its last.
    struct Run {
        File file;
        std::vector<Row> rows;
        size_t at = 0;
    };

    void PutDown() {
        std::sort(rows_.begin(), rows_.end());
        if (error_.empty()) {
            std::error_code ignored;
            std::filesystem::create_directories(folder_, ignored);
            const std::string path = fmt::format("{}/rows.{}", folder_, files_.size());
            File file(std::fopen(path.c_str(), "w+b"));
            if (file == nullptr ||
                std::fwrite(rows_.data(), sizeof(Row), rows_.size(), file.get()) != rows_.size() ||
                std::fflush(file.get()) != 0) {
                error_ = fmt::format("{}: cannot be written: {}", path, std::strerror(errno));
            }
            // It goes with the last handle, whatever happens.
            std::filesystem::remove(path, ignored);
            files_.push_back(std::move(file));
        }
        rows_.clear();
    }

    bool Fill(Run* run) {
        run->rows.resize(kReadRows);
        run->at = 0;
        run->rows.resize(std::fread(run->rows.data(), sizeof(Row), kReadRows, run->file.get()));
        if (std::ferror(run->file.get()) != 0)
            error_ = fmt::format("{}: cannot be read: {}", folder_, std::strerror(errno));
        return !run->rows.empty();
    }

    template <typename Visitor>
    void Merge(Visitor visit) {
        if (!error_.empty()) return;
        std::vector<Run> runs;
        for (File& file : files_) {
            std::rewind(file.get());
            runs.push_back({std::move(file), {}, 0});
        }
        const auto is_later = [&](size_t a, size_t b) {
            return runs[b].rows[runs[b].at] < runs[a].rows[runs[a].at];
        };
        std::priority_queue<size_t, std::vector<size_t>, decltype(is_later)> next(is_later);
        for (size_t i = 0; i < runs.size(); ++i) {
            if (Fill(&runs[i])) next.push(i);
        }
        while (!next.empty() && error_.empty()) {
            const size_t i = next.top();
            next.pop();
            Run& run = runs[i];
            visit(run.rows[run.at]);
            if (++run.at < run.rows.size() || Fill(&run)) next.push(i);
        }
    }

    const std::string folder_;
    const size_t capacity_;
    std::vector<Row> rows_;
    std::vector<File> files_;
    std::string error_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_EXTERNAL_SORT_H_
