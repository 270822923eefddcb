#include "text/line_source.h"

#include <cstring>

namespace comshu::format {

bool LineSource::Fill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const size_t got = bytes_.Read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    if (got == 0) at_end_ = true;
    return got > 0;
}

bool LineSource::Next(std::string_view* line) {
    size_t searched = 0;
    for (;;) {
        const char* from = buffer_.data() + begin_;
        const auto* end =
            static_cast<const char*>(std::memchr(from + searched, '\n', end_ - begin_ - searched));
        const size_t available = end_ - begin_;
        if (end == nullptr && available >= kLongestLine) {
            if (skip_rest_) {
                begin_ = end_;
                searched = 0;
                if (!at_end_) Fill();
                continue;
            }
            ++number_;
            cut_ = true;
            skip_rest_ = true;
            *line = {from, kLongestLine};
            begin_ += kLongestLine;
            return true;
        }
        if (end == nullptr && !at_end_) {
            searched = available;
            Fill();
            continue;
        }
        if (end == nullptr && available == 0) return false;
        size_t length = end == nullptr ? available : static_cast<size_t>(end - from);
        begin_ += length + (end == nullptr ? 0 : 1);
        searched = 0;
        if (skip_rest_) {
            skip_rest_ = false;
            if (end == nullptr) return false;
            continue;
        }
        if (length > 0 && from[length - 1] == '\r') --length;
        ++number_;
        cut_ = length > kLongestLine;
        *line = {from, cut_ ? kLongestLine : length};
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (number_ == 1 && line->starts_with(kByteOrderMark))
            line->remove_prefix(kByteOrderMark.size());
        return true;
    }
}

}  // namespace comshu::format
