// Numbers as people read them.
#ifndef COMSHU_READ_NUMBER_TEXT_H_
#define COMSHU_READ_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "comshu/core/count_text.h"

namespace comshu::read {

using core::CountText;
using core::LostText;
using core::Plural;
using core::SpansText;

// 0 B, 999 B, 1.5 KiB, 12 KiB, 3.4 GiB: at most 8 characters.
std::string BytesText(uint64_t bytes);
// 512 B, 4 KiB, 1 MiB, for powers of two.
std::string PowerText(int exponent);
// 850 ns, 1.23 us, 45.6 ms, 3.42 s, 12 min 3 s: at most 10 characters.
std::string DurationText(int64_t ns);
// 12.3 %; 0.0 % of nothing.
std::string ShareText(double part, double whole);
// 2026-11-29 21:30:12 UTC
std::string MomentText(int64_t realtime_ns);

// Characters that a terminal shows, counting each UTF-8 sequence as one.
size_t ShownWidth(std::string_view text);
// Control characters and what is not UTF-8 replaced, so that text of a traced program cannot steer the
// terminal.
std::string Printable(std::string_view text);
// At most `width` characters; what is cut is marked by "..", at the front if `keep_end`.
std::string Shorten(std::string_view text, size_t width, bool keep_end = false);
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

}  // namespace comshu::read

#endif  // COMSHU_READ_NUMBER_TEXT_H_
