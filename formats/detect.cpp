#include "detect.h"

#include <algorithm>

#include <fmt/core.h>

#include "picl/line_1992.h"
#include "picl/old_line.h"
#include "text/tokens.h"

namespace comshu::format {
namespace {

// A file may begin with text that is no record.
constexpr uint64_t kLinesLookedAt = 200;

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

// `error`: why it is no line of the format of PICL that it looks like.
Format DetectLine(std::string_view line, picl::LineError* error) {
    const char first = Tokens(line).peek();
    if (first == '-' && IsAlogHeader(line)) return Format::kAlog;
    if (first == '-' || (first >= '0' && first <= '9' && HasDecimalTime(line))) {
        picl::Line1992 record;
        if (picl::ParseLine1992(line, &record, error)) return Format::kPicl1992;
        if (first == '-') return Format::kUnknown;
    }
    picl::OldLine record;
    picl::LineError of_old;
    if (picl::ParseOldLine(line, &record, &of_old)) return Format::kPicl;
    if (error->text.empty()) *error = of_old;
    return Format::kUnknown;
}

// Calls `visit` with lines of the beginning of a file and their numbers until it returns false.
template <typename Visitor>
void EachFirstLine(std::string_view head, Visitor visit) {
    size_t begin = head.starts_with("\xef\xbb\xbf") ? 3 : 0;
    uint64_t looked_at = 0;
    for (uint64_t number = 1; looked_at < kLinesLookedAt && begin < head.size(); ++number) {
        const size_t end = std::min(head.find('\n', begin), head.size());
        const std::string_view line = head.substr(begin, end - begin);
        begin = end + 1;
        if (Tokens(line).done()) continue;
        if (!visit(line, number)) return;
        ++looked_at;
    }
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
    size_t begin = head.starts_with("\xef\xbb\xbf") ? 3 : 0;
    while (begin < head.size() && (IsBlank(head[begin]) || head[begin] == '\n')) ++begin;
    if (begin < head.size() && (head[begin] == '{' || head[begin] == '[')) return Format::kChrome;
    Format found = Format::kUnknown;
    EachFirstLine(head, [&](std::string_view line, uint64_t) {
        picl::LineError ignored;
        found = DetectLine(line, &ignored);
        return found == Format::kUnknown;
    });
    return found;
}

std::string WhyNoPicl(std::string_view head) {
    std::string why;
    EachFirstLine(head, [&](std::string_view line, uint64_t number) {
        const Tokens words(line);
        picl::LineError error;
        DetectLine(line, &error);
        if (error.column <= words.column()) return true;
        why = fmt::format("line {}, column {}: {}", number, error.column, error.text);
        return false;
    });
    return why;
}

}  // namespace comshu::format
