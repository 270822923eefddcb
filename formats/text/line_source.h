// Lines of a text file, packed by gzip or not, in constant memory.
#ifndef COMSHU_FORMATS_TEXT_LINE_SOURCE_H_
#define COMSHU_FORMATS_TEXT_LINE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/byte_source.h"

namespace comshu::format {

// Lines end at a line feed (a carriage return before it is left out) or at the end of the file. What
// of a line is beyond kLongestLine is left out, and cut() says so. A byte order mark at the beginning is no
// part of the first one.
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
