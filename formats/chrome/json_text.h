// Texts as strings of JSON.
#ifndef COMSHU_FORMATS_CHROME_JSON_TEXT_H_
#define COMSHU_FORMATS_CHROME_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace comshu::format::chrome {

// With its quotes. The text is UTF-8.
std::string JsonText(std::string_view text);

}  // namespace comshu::format::chrome

#endif  // COMSHU_FORMATS_CHROME_JSON_TEXT_H_
