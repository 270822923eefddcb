// Names in formats of lines.
#ifndef COMSHU_FORMATS_TEXT_ONE_LINE_H_
#define COMSHU_FORMATS_TEXT_ONE_LINE_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "comshu/format/export.h"

namespace comshu::format {

// A name may hold anything. In a line it has no control characters, no blanks at its ends, and an end: readers
// take lines up to a megabyte.
class LineNames {
public:
    static constexpr size_t kMostBytes = size_t{64} << 10;

    // The name as a line can hold it. Once per name: those that come out otherwise are counted.
    std::string Of(const std::string& name) {
        std::string text = name.substr(0, kMostBytes);
        // Not in the middle of a character.
        while (text.size() < name.size() && !text.empty() &&
               (static_cast<unsigned char>(name[text.size()]) & 0xc0) == 0x80)
            text.pop_back();
        std::replace_if(
            text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; },
            ' ');
        text.erase(0, text.find_first_not_of(' '));
        text.erase(text.find_last_not_of(' ') + 1);
        if (text.empty()) text = "(no name)";
        changed_ += text != name;
        return text;
    }
    void Tell(ExportResult* result) const {
        result->Say(changed_, "name", "names",
                    " changed: a name is one line of at most 64 KiB, without blanks at its ends");
    }

private:
    uint64_t changed_ = 0;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_ONE_LINE_H_
