#include "shell_words.h"

namespace comshu {

std::string ShellWord(const std::string& word) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string quoted(1, '\'');
    for (char c : word) {
        if (c == '\'') quoted += "'\\'";
        quoted += c;
    }
    quoted += '\'';
    return quoted;
}

std::string ShellLine(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += ShellWord(word);
    }
    return line;
}

}  // namespace comshu
