#include "terminal.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

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

// What launchers pass on is as if it had been written to a file.
TEST(Terminal, OneThatALauncherMadeIsNone) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(master, 0);
    ASSERT_EQ(grantpt(master), 0);
    ASSERT_EQ(unlockpt(master), 0);
    const int fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    std::FILE* terminal = fdopen(fd, "w");
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) unsetenv(name);
    EXPECT_TRUE(Terminal::Of(terminal).color);
    setenv("NO_COLOR", "1", 1);
    EXPECT_FALSE(Terminal::Of(terminal).color);
    EXPECT_TRUE(Terminal::Of(terminal).is_terminal);
    unsetenv("NO_COLOR");
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    EXPECT_FALSE(Terminal::Of(terminal).color);
    EXPECT_FALSE(Terminal::Of(terminal).is_terminal);
    unsetenv("OMPI_COMM_WORLD_RANK");
    setenv("TERM", "dumb", 1);
    EXPECT_FALSE(Terminal::Of(terminal).is_terminal);
    std::fclose(terminal);
    close(master);
}

}  // namespace
}  // namespace comshu
