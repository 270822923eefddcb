// Text for people and for programs: tables, CSV, JSON.
#ifndef COMSHU_READ_TEXT_OUTPUT_H_
#define COMSHU_READ_TEXT_OUTPUT_H_

#include <cstdio>
#include <string>
#include <string_view>

#include "comshu/read/query.h"

namespace comshu::read {

// Where output goes and what it can show.
struct OutputStyle {
    bool color = false;  // A terminal, and NO_COLOR is not set.
    int width = 0;       // Columns of the terminal; 0: no limit.

    static OutputStyle Of(std::FILE* out);
};

// With quotes, escaped; the text must be UTF-8.
std::string JsonText(std::string_view text);
// With quotes only where a comma, a quote or a line break is in it.
std::string CsvText(std::string_view text);
// Columns that the text takes on a terminal: its code points.
size_t TextWidth(std::string_view text);

// kRounded: a table to be read by people, whose reals have three decimals at most, as many in every
// row of a column.
enum class ResultFormat { kTable, kRounded, kCsv, kJson };

// Writes all rows; false and the reason in `error` when the query or writing fails.
bool PrintResult(Query* query, ResultFormat format, std::FILE* out, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_TEXT_OUTPUT_H_
