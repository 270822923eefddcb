// Words of a line: what is between blanks.
#ifndef COMSHU_FORMATS_TEXT_TOKENS_H_
#define COMSHU_FORMATS_TEXT_TOKENS_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace comshu::format {

inline bool IsBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

class Tokens {
public:
    explicit Tokens(std::string_view line)
        : begin_(line.data()), at_(begin_), end_(at_ + line.size()) {
        SkipBlanks();
    }

    bool done() const { return at_ == end_; }
    // Of what comes next, from 1.
    uint32_t column() const { return static_cast<uint32_t>(at_ - begin_) + 1; }
    char peek() const { return at_ == end_ ? '\0' : *at_; }
    // Everything from here, without blanks at its end.
    std::string_view rest() const {
        const char* end = end_;
        while (end > at_ && IsBlank(end[-1])) --end;
        return {at_, static_cast<size_t>(end - at_)};
    }

    // Behind so many bytes of the next word.
    void Skip(size_t bytes) { at_ += bytes; }

    std::string_view Next() {
        const char* from = at_;
        while (at_ != end_ && !IsBlank(*at_)) ++at_;
        const std::string_view word(from, static_cast<size_t>(at_ - from));
        SkipBlanks();
        return word;
    }

    // Takes the next word if it is a whole number; else false, and it is still there.
    bool NextInteger(int64_t* value) {
        const char* at = at_;
        const bool negative = at != end_ && *at == '-';
        if (negative) ++at;
        const char* digits = at;
        uint64_t number = 0;
        while (at != end_ && static_cast<unsigned char>(*at - '0') < 10) {
            number = number * 10 + static_cast<unsigned char>(*at - '0');
            ++at;
        }
        const auto count = at - digits;
        if (count == 0 || count > 18 || (at != end_ && !IsBlank(*at))) return false;
        *value = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
        at_ = at;
        SkipBlanks();
        return true;
    }

private:
    void SkipBlanks() {
        while (at_ != end_ && IsBlank(*at_)) ++at_;
    }

    const char* begin_;
    const char* at_;
    const char* end_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_TOKENS_H_
