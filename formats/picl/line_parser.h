// What the parsers of lines of both PICL formats share.
#ifndef COMSHU_FORMATS_PICL_LINE_PARSER_H_
#define COMSHU_FORMATS_PICL_LINE_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "text/tokens.h"

namespace comshu::format::picl {

// More nodes than that are an error of the file.
constexpr int64_t kLargestNode = (int64_t{1} << 24) - 1;

// What is wrong with a line, and where.
struct LineError {
    uint32_t column = 0;
    std::string text;
};

// Takes a line apart word by word; what fails is kept in the error. `keep_text` becomes true where a number
// would be printed otherwise than it stands there.
class LineParser {
protected:
    LineParser(std::string_view line, bool* keep_text, LineError* error)
        : tokens_(line), keep_text_(*keep_text), error_(*error) {}

    bool Fail(uint32_t column, std::string text) {
        error_.column = column;
        error_.text = std::move(text);
        return false;
    }

    bool Number(const char* what, int64_t* value) {
        const Tokens before = tokens_;
        if (!tokens_.NextInteger(value)) {
            return Fail(before.column(), tokens_.done()
                                             ? fmt::format("the line ends before the {}", what)
                                             : fmt::format("{} is not a number: the {} is expected",
                                                           tokens_.Next().substr(0, 40), what));
        }
        CheckDigits(before);
        return true;
    }

    // Of the number that stood there: -0, leading zeros.
    void CheckDigits(const Tokens& before) {
        const char first = before.peek();
        if (first != '0' && first != '-') return;
        Tokens again = before;
        std::string_view word = again.Next();
        if (first == '-') word.remove_prefix(1);
        const bool leading_zero = word.size() > 1 && word[0] == '0';
        const bool negative_zero = first == '-' && word == "0";
        if (leading_zero || negative_zero) keep_text_ = true;
    }

    Tokens tokens_;
    bool& keep_text_;
    LineError& error_;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_LINE_PARSER_H_
