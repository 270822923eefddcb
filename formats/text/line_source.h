// Lines of a text file, packed by gzip or not, in constant memory.
#ifndef COMSHU_FORMATS_TEXT_LINE_SOURCE_H_
#define COMSHU_FORMATS_TEXT_LINE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace comshu::format {

// Bytes of a file as they are before gzip.
class ByteSource {
public:
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    // Null and a reason when the file cannot be read.
    static std::unique_ptr<ByteSource> Open(const std::string& path, std::string* error);

    // Fills up to `bytes`; 0 at the end or at a failure: error() tells.
    size_t Read(char* out, size_t bytes);
    const std::string& error() const { return error_; }
    // Bytes of the file behind us, for showing progress.
    uint64_t position() const;
    uint64_t file_bytes() const { return file_bytes_; }

private:
    ByteSource() = default;
    void* file_ = nullptr;  // A gzFile.
    uint64_t file_bytes_ = 0;
    std::string path_;
    std::string error_;
};

// Lines end at a line feed (a carriage return before it is left out) or at the end of the file. What
// of a line is beyond kLongestLine is left out, and cut() says so.
class LineSource {
public:
    static constexpr size_t kLongestLine = size_t{1} << 20;

    explicit LineSource(ByteSource* bytes) : bytes_(*bytes), buffer_(2 * kLongestLine) {}

    // False at the end. The line is good until the next call.
    bool Next(std::string_view* line);
    uint64_t number() const { return number_; }  // Of that line, from 1.
    bool cut() const { return cut_; }

private:
    bool Fill();

    ByteSource& bytes_;
    std::vector<char> buffer_;
    size_t begin_ = 0;
    size_t end_ = 0;
    bool at_end_ = false;
    bool cut_ = false;
    bool skip_rest_ = false;
    uint64_t number_ = 0;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_LINE_SOURCE_H_
