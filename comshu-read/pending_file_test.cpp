#include "comshu/read/pending_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

size_t Entries(const TemporaryFolder& folder) {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(PendingFile, AppearsWhenItIsWhole) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/out";
    std::string error;
    {
        PendingFile file(path);
        Write(file.part(), "half");
        EXPECT_FALSE(fs::exists(path));
    }
    EXPECT_EQ(Entries(folder), 0u);
    PendingFile file(path);
    Write(file.part(), "whole");
    ASSERT_TRUE(file.Commit(&error)) << error;
    EXPECT_EQ(Read(path), "whole");
    EXPECT_EQ(Entries(folder), 1u);
}

TEST(PendingFile, LinksAreFollowed) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/out";
    Write(folder.path() + "/target", "old");
    fs::create_symlink("target", path);
    PendingFile file(path);
    Write(file.part(), "new");
    std::string error;
    ASSERT_TRUE(file.Commit(&error)) << error;
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_EQ(Read(folder.path() + "/target"), "new");
}

TEST(PendingFile, PipesAreWrittenThrough) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    {
        PendingFile file(path);
        EXPECT_TRUE(file.in_place());
        EXPECT_EQ(file.part(), path);
        std::string error;
        EXPECT_TRUE(file.Commit(&error)) << error;
    }
    { PendingFile file(path); }
    EXPECT_TRUE(fs::is_fifo(path));
}

TEST(PendingFile, FoldersThatHoldSomethingAreRefused) {
    TemporaryFolder folder;
    Write(folder.path() + "/something", "");
    const PendingFile file(folder.path());
    EXPECT_TRUE(file.part().empty());
    EXPECT_NE(file.error().find("is a folder"), std::string::npos);
}

TEST(PendingFile, SignalsLeaveNothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        TemporaryFolder folder;
        const pid_t child = fork();
        if (child == 0) {
            PendingFile file(folder.path() + "/file");
            Write(file.part(), "half");
            PendingFile files(folder.path() + "/folder");
            fs::create_directory(files.part());
            fs::create_directories(files.part() + "/table/group=0");
            for (const char* name : {"/a", "/b", "/table/group=0/c"})
                Write(files.part() + name, "half");
            std::raise(signal);
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(Entries(folder), 0u);
    }
}

TEST(PendingFile, ASignalIsToldAndLeavesNothing) {
    TemporaryFolder folder;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        SayWhenInterrupted("comshu test: interrupted");
        PendingFile file(folder.path() + "/file");
        Write(file.part(), "half");
        std::raise(SIGINT);
        _exit(0);
    }
    close(ends[1]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
    char text[64] = {};
    EXPECT_EQ(::read(ends[0], text, sizeof text - 1), 25);
    EXPECT_STREQ(text, "comshu test: interrupted\n");
    close(ends[0]);
    EXPECT_EQ(Entries(folder), 0u);
}

}  // namespace
}  // namespace comshu::read
