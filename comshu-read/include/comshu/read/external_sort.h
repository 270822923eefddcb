// Sorts more rows than fit in memory.
#ifndef COMSHU_READ_EXTERNAL_SORT_H_
#define COMSHU_READ_EXTERNAL_SORT_H_

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace comshu::read {

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

    // Then rows come in order, each once. False: a file failed, `error` says why.
    bool Start(std::string* error) {
        if (files_.empty()) {
            std::sort(rows_.begin(), rows_.end());
        } else {
            PutDown();
            std::vector<Row>().swap(rows_);
            StartMerge();
        }
        *error = error_;
        return error_.empty();
    }
    // Null: there are no more, or a file failed. The row is there until the next call.
    const Row* Next() {
        if (runs_.empty()) return at_ == rows_.size() ? nullptr : &rows_[at_++];
        if (last_ != kNone) {
            Run& run = runs_[last_];
            if (++run.at < run.rows.size() || Fill(&run)) Push(last_);
            last_ = kNone;
        }
        if (next_.empty() || !error_.empty()) return nullptr;
        std::pop_heap(next_.begin(), next_.end(), Later{&runs_});
        last_ = next_.back();
        next_.pop_back();
        return &runs_[last_].rows[runs_[last_].at];
    }
    const std::string& error() const { return error_; }

    // Calls `visit` for each row in order, once.
    template <typename Visitor>
    bool Visit(Visitor visit, std::string* error) {
        if (!Start(error)) return false;
        while (const Row* row = Next()) visit(*row);
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

    struct Later {
        std::vector<Run>* runs;
        bool operator()(size_t a, size_t b) const {
            return (*runs)[b].rows[(*runs)[b].at] < (*runs)[a].rows[(*runs)[a].at];
        }
    };

    void Push(size_t run) {
        next_.push_back(run);
        std::push_heap(next_.begin(), next_.end(), Later{&runs_});
    }

    void StartMerge() {
        if (!error_.empty()) return;
        for (File& file : files_) {
            std::rewind(file.get());
            runs_.push_back({std::move(file), {}, 0});
        }
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (Fill(&runs_[i])) Push(i);
        }
    }

    static constexpr size_t kNone = SIZE_MAX;

    const std::string folder_;
    const size_t capacity_;
    std::vector<Row> rows_;
    size_t at_ = 0;  // In these, if there are no files.
    std::vector<File> files_;
    std::vector<Run> runs_;
    std::vector<size_t> next_;  // A heap of those with rows.
    size_t last_ = kNone;       // The run whose row was given out.
    std::string error_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_EXTERNAL_SORT_H_
