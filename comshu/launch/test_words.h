#ifndef COMSHU_LAUNCH_TEST_WORDS_H_
#define COMSHU_LAUNCH_TEST_WORDS_H_

#include <sstream>
#include <string>
#include <vector>

namespace comshu::launch {

// The words of a line, separated by blanks; for tests.
inline std::vector<std::string> Words(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// The reverse.
inline std::string Line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
}

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_TEST_WORDS_H_
