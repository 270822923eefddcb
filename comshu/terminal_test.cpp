#include "terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace comshu {
namespace {

TEST(Terminal, BreaksAtBlanks) {
    EXPECT_EQ(Wrapped("one two three", 7, 2), "one two\n  three");
    EXPECT_EQ(Wrapped("one two three", 80, 2), "one two three");
    EXPECT_EQ(Wrapped("incomprehensibilities here", 5, 1), "incomprehensibilities\n here");
    EXPECT_EQ(Wrapped("", 5, 1), "");
    EXPECT_EQ(Wrapped("äöü äöü", 7, 1), "äöü äöü") << "columns, not bytes";
}

TEST(Terminal, CountsColumns) {
    EXPECT_EQ(Columns(""), 0u);
    EXPECT_EQ(Columns("ns"), 2u);
    EXPECT_EQ(Columns("µs"), 2u);
}

TEST(Terminal, AFileIsNoTerminal) {
    std::FILE* file = std::tmpfile();
    setenv("COLUMNS", "132", 1);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    Terminal terminal = Terminal::Of(file);
    EXPECT_FALSE(terminal.is_terminal);
    EXPECT_FALSE(terminal.color);
    EXPECT_EQ(terminal.width, 132u);
    unsetenv("COLUMNS");
    EXPECT_EQ(Terminal::Of(file).width, 80u);
    std::fclose(file);
}

}  // namespace
}  // namespace comshu
