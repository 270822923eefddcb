#ifndef COMSHU_SHELL_WORDS_H_
#define COMSHU_SHELL_WORDS_H_

#include <string>
#include <vector>

namespace comshu {

// A word as it must be typed to a shell: quoted if need be.
std::string ShellWord(const std::string& word);
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace comshu

#endif  // COMSHU_SHELL_WORDS_H_
