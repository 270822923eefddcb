// Lines of the PICL format of 1992.
#ifndef COMSHU_FORMATS_PICL_LINE_1992_H_
#define COMSHU_FORMATS_PICL_LINE_1992_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "picl/line_parser.h"

namespace comshu::format::picl {

struct Line1992 {
    static constexpr size_t kValues = 5;

    int64_t record = 0;
    int64_t event = 0;
    uint32_t event_column = 0;
    int64_t ns = 0;
    uint8_t decimals = 0;  // Digits behind the point.
    int64_t processor = 0;
    int64_t process = 0;
    int64_t fields = 0;
    int32_t descriptor = INT32_MIN;  // INT32_MIN: none, or a format in quotes.
    std::string_view format;         // In quotes, without them.
    std::string_view data;           // All of it, as text.
    uint8_t count = 0;               // Values that are there: whole numbers, up to kValues.
    std::array<int64_t, kValues> values{};
    // Numbers do not say it all: text, more values, digits that come out otherwise.
    bool keep_text = false;
};

// False if it is not a record.
bool ParseLine1992(std::string_view line, Line1992* out, LineError* error);

// The first number among the data, also one in quotes or behind words; false: there is none.
bool FirstNumber(const Line1992& line, double* value);

// What a label record says, without its quotes.
std::string_view LabelOf(const Line1992& line);

// A decimal number of seconds as ns, rounded; false: it is none. `decimals`: digits behind the point;
// `odd`: it cannot be printed again from these.
bool ParseSeconds(std::string_view word, int64_t* ns, uint8_t* decimals, bool* odd);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_LINE_1992_H_
