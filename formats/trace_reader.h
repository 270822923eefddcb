// What the readers of all formats share.
#ifndef COMSHU_FORMATS_TRACE_READER_H_
#define COMSHU_FORMATS_TRACE_READER_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "capture_writer.h"
#include "comshu/format/import.h"
#include "comshu/core/count_text.h"

namespace comshu::format {

// Where something stands. Null: in no file.
struct Place {
    ImportedFile* file = nullptr;
    uint64_t line = 0;
    uint32_t column = 0;

    bool operator<(const Place& other) const {
        return std::tie(file, line, column) < std::tie(other.file, other.line, other.column);
    }
};

// Where a reader puts what it finds.
class TraceSink {
public:
    // Texts of all files together that are kept by an id: each takes memory, here and in who reads.
    static constexpr uint64_t kTextBudget = uint64_t{64} << 20;

    explicit TraceSink(CaptureWriter* writer, uint64_t text_budget = kTextBudget)
        : writer_(*writer), text_budget_(text_budget) {}

    CaptureWriter& writer() { return writer_; }
    ImportedFile& file() { return *file_; }
    void BeginFile(ImportedFile* file) { file_ = file; }

    // Only the first ones are kept.
    void Report(uint64_t line, uint32_t column, std::string text) {
        Report({file_, line, column}, std::move(text));
    }
    void Report(const Place& place, std::string text) {
        ImportedFile* file = place.file == nullptr ? file_ : place.file;
        if (++file->problem_count <= kProblemsKept)
            file->problems.push_back({place.line, place.column, std::move(text)});
    }
    void Illegal(uint64_t line, uint32_t column, std::string text) {
        ++file_->illegal;
        Report(line, column, std::move(text));
    }
    // A text of which there may be one per line; false when there are too many for memory.
    bool TryKeepText(std::string_view text, uint64_t* id) {
        if (text_bytes_ + text.size() > text_budget_) return false;
        text_bytes_ += text.size();
        *id = writer_.Text(text);
        return true;
    }
    // The same for names that nothing else tells: 0 when there are too many, and they are counted.
    uint64_t KeepText(std::string_view text) {
        uint64_t id = 0;
        texts_left_out_ += !TryKeepText(text, &id);
        return id;
    }
    // After the last file.
    void ReportTextsLeftOut() {
        if (texts_left_out_ == 0) return;
        Report(
            0, 0,
            core::Plural(texts_left_out_, "name left out: there is", "names left out: there are") +
                " more text than the budget for names");
    }
    // A number for a request, that no other has.
    uint64_t NextRequest() { return ++requests_; }
    void SeeTime(int64_t ns) {
        if (ns < first_ns_) {
            first_ns_ = ns;
            writer_.SeeFirst(ns);
        }
        last_ns_ = std::max(last_ns_, ns);
    }
    int64_t first_ns() const { return first_ns_ > last_ns_ ? 0 : first_ns_; }
    int64_t last_ns() const { return first_ns_ > last_ns_ ? 0 : last_ns_; }

private:
    static constexpr uint64_t kProblemsKept = 100;

    CaptureWriter& writer_;
    const uint64_t text_budget_;
    ImportedFile* file_ = nullptr;
    int64_t first_ns_ = std::numeric_limits<int64_t>::max();
    int64_t last_ns_ = std::numeric_limits<int64_t>::min();
    uint64_t text_bytes_ = 0;
    uint64_t requests_ = 0;
    uint64_t texts_left_out_ = 0;
};

// Reads a format of lines: each line of each file in turn, then the end.
class LineReader {
public:
    virtual ~LineReader() = default;
    // `number`: from 1 in its file. The text is good for the call alone.
    virtual void Line(std::string_view text, uint64_t number) = 0;
    virtual void Finish() = 0;
};

constexpr int32_t kNoNumber = std::numeric_limits<int32_t>::min();
constexpr uint64_t kNoBytes = std::numeric_limits<uint64_t>::max();
constexpr int32_t kAnySource = -1;
constexpr int32_t kAnyTag = -1;
constexpr int32_t kProcNull = -2;

// What a reader says at the end of a file.
inline std::string NeverEnded(uint64_t count, const std::string& noun) {
    return core::Plural(count, noun + " begins and never ends: kept open",
                        noun + "s begin and never end: kept open");
}

// What is open at the end of the files: counted, and told where the first one begins.
class OpenEnds {
public:
    void Add(const Place& place, uint64_t count = 1) {
        if (count_ == 0 || place < first_) first_ = place;
        count_ += count;
    }
    void Tell(TraceSink* sink, const std::string& noun) const {
        if (count_ > 0) sink->Report(first_, NeverEnded(count_, noun));
    }

private:
    uint64_t count_ = 0;
    Place first_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TRACE_READER_H_
