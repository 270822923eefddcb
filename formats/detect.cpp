#include "detect.h"

#include "picl/line_1992.h"
#include "picl/old_line.h"
#include "text/tokens.h"

namespace comshu::format {
namespace {

// A file may begin with text that is no record.
constexpr int kLinesLookedAt = 200;

bool HasDecimalTime(std::string_view line) {
    Tokens tokens(line);
    tokens.Next();
    tokens.Next();
    return tokens.Next().find_first_of(".eE") != std::string_view::npos;
}

bool IsAlogHeader(std::string_view line) {
    Tokens tokens(line);
    int64_t first = 0;
    if (!tokens.NextInteger(&first) || first > -1 || first < -15) return false;
    int64_t value = 0;
    for (int i = 0; i < 5; ++i) {
        if (!tokens.NextInteger(&value)) return false;
    }
    return first == -1;
}

Format DetectLine(std::string_view line) {
    const char first = Tokens(line).peek();
    if (first == '-') {
        if (IsAlogHeader(line)) return Format::kAlog;
        picl::Line1992 record;
        picl::LineError error;
        return picl::ParseLine1992(line, &record, &error) ? Format::kPicl1992 : Format::kUnknown;
    }
    if (first >= '0' && first <= '9' && HasDecimalTime(line)) {
        picl::Line1992 record;
        picl::LineError error;
        if (picl::ParseLine1992(line, &record, &error)) return Format::kPicl1992;
    }
    picl::OldLine record;
    picl::LineError error;
    return picl::ParseOldLine(line, &record, &error) ? Format::kPicl : Format::kUnknown;
}

}  // namespace

const char* FormatName(Format format) {
    switch (format) {
        case Format::kPicl:
            return "PICL";
        case Format::kPicl1992:
            return "PICL of 1992";
        case Format::kChrome:
            return "Chrome trace JSON";
        case Format::kAlog:
            return "ALOG";
        case Format::kParaver:
            return "Paraver";
        case Format::kOtf2:
            return "OTF2";
        case Format::kUnknown:
            break;
    }
    return "unknown";
}

Format DetectFormat(std::string_view head) {
    if (head.starts_with("#Paraver")) return Format::kParaver;
    // The anchor file of an archive.
    if (head.starts_with("\x03"
                         "BOTF2"))
        return Format::kOtf2;
    size_t begin = 0;
    if (head.starts_with("\xef\xbb\xbf")) begin = 3;
    while (begin < head.size() && (IsBlank(head[begin]) || head[begin] == '\n')) ++begin;
    if (begin < head.size() && (head[begin] == '{' || head[begin] == '[')) return Format::kChrome;
    for (int i = 0; i < kLinesLookedAt && begin < head.size(); ++i) {
        const size_t end = std::min(head.find('\n', begin), head.size());
        const Format found = DetectLine(head.substr(begin, end - begin));
        if (found != Format::kUnknown) return found;
        begin = end + 1;
    }
    return Format::kUnknown;
}

}  // namespace comshu::format
