#include "shell_words.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace comshu {
namespace {

TEST(ShellWords, AreReadBackByAShell) {
    const std::vector<std::string> words = {"plain", "a b",  "",      "it's",        "$HOME",
                                            "*",     "a\nb", "\"q\"", "back\\slash", "a;b"};
    std::string command = "printf '%s|' ";
    command += ShellLine(words);
    FILE* shell = popen(command.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string output;
    for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) output += static_cast<char>(c);
    pclose(shell);
    std::string expected;
    for (const std::string& word : words) expected += word + "|";
    EXPECT_EQ(output, expected);
}

TEST(ShellWords, PlainOnesStayAsTheyAre) {
    EXPECT_EQ(ShellWord("/a/b-c_d.e=f:g,1"), "/a/b-c_d.e=f:g,1");
}

}  // namespace
}  // namespace comshu
