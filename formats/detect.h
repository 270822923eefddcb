// Finds the format of a trace file by its content.
#ifndef COMSHU_FORMATS_DETECT_H_
#define COMSHU_FORMATS_DETECT_H_

#include <string>
#include <string_view>

namespace comshu::format {

enum class Format { kUnknown, kPicl, kPicl1992, kChrome, kAlog, kParaver, kOtf2 };

const char* FormatName(Format format);

// From the first bytes of a file, after gzip.
Format DetectFormat(std::string_view head);

// Of one that is in none: where and why the first line that begins as a record of PICL is none. Empty: no line does.
std::string WhyNoPicl(std::string_view head);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_DETECT_H_
