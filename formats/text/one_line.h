// Names in formats of lines.
#ifndef COMSHU_FORMATS_TEXT_ONE_LINE_H_
#define COMSHU_FORMATS_TEXT_ONE_LINE_H_

#include <algorithm>
#include <string>

namespace comshu::format {

// A name may hold anything; what would end its line is a blank.
inline std::string OneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_ONE_LINE_H_
