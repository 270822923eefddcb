// What an output can show: a terminal, a pipe, a file.
#ifndef COMSHU_TERMINAL_H_
#define COMSHU_TERMINAL_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace comshu {

struct Terminal {
    bool is_terminal = false;  // One that is not dumb: lines can be taken back.
    bool color = false;        // The same, and NO_COLOR is not set.
    size_t width = 80;         // Columns; COLUMNS wins over what the terminal says.

    static Terminal Of(std::FILE* out);
};

// The text in lines of at most `width` columns, broken at blanks; `indent` blanks before each but the
// first. A word that is longer stands alone. Widths count code points.
std::string Wrapped(std::string_view text, size_t width, size_t indent);

// Columns of a text in UTF-8 without marks that combine.
size_t Columns(std::string_view text);

}  // namespace comshu

#endif  // COMSHU_TERMINAL_H_
