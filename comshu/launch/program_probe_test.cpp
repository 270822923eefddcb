#include "launch/program_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace comshu::launch {
namespace {
namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Probe : public testing::Test {
protected:
    Probe() {
        std::string name = testing::TempDir() + "probe-XXXXXX";
        folder = mkdtemp(name.data());
    }
    ~Probe() override { fs::remove_all(folder); }
    std::string Write(const std::string& name, const std::string& text) {
        std::string path = folder + "/" + name;
        std::ofstream(path) << text;
        chmod(path.c_str(), 0755);
        return path;
    }

    std::string folder;
    FileProbe probe;
};

TEST_F(Probe, SeesWhatAProgramNeeds) {
    ProgramFile file = probe.Look("/proc/self/exe");
    EXPECT_EQ(file.kind, ProgramFile::Kind::kElf);
    EXPECT_TRUE(file.dynamic);
    EXPECT_FALSE(file.privileged);
    EXPECT_THAT(file.libraries, Contains(HasSubstr("/libc.so.6")));
    // Not a library that it does not need.
    EXPECT_THAT(file.libraries, testing::Not(Contains(HasSubstr("libmpi"))));
}

TEST_F(Probe, SeesProgramsOfOtherMachines) {
    EXPECT_FALSE(probe.Look("/proc/self/exe").foreign);
    std::string head(64, '\0');
    head.replace(0, 7, "\177ELF\1\1\1");  // 32 bits, little-endian
    EXPECT_TRUE(probe.Look(Write("small", head)).foreign);
}

TEST_F(Probe, ReadsTheFirstLineOfAScript) {
    ProgramFile file = probe.Look(Write("script", "#! /usr/bin/env  special -x\nrest\n"));
    EXPECT_EQ(file.kind, ProgramFile::Kind::kScript);
    EXPECT_THAT(file.interpreter, ElementsAre("/usr/bin/env", "special", "-x"));
    EXPECT_THAT(file.text, HasSubstr("rest"));
    EXPECT_THAT(probe.Look(Write("end", "#!/bin/sh")).interpreter, ElementsAre("/bin/sh"));
}

TEST_F(Probe, LooksAlongThePath) {
    Write("some-program", "#!/bin/sh\n");
    const std::string before = std::getenv("PATH");
    setenv("PATH", ("/nowhere:" + folder).c_str(), 1);
    ProgramFile found = probe.Look("some-program");
    ProgramFile missing = probe.Look("./some-program");
    setenv("PATH", before.c_str(), 1);
    EXPECT_EQ(found.path, fs::canonical(folder + "/some-program"));
    EXPECT_EQ(missing.kind, ProgramFile::Kind::kMissing);
}

TEST_F(Probe, WhatIsNoProgramIsSaidToBeSo) {
    EXPECT_EQ(probe.Look(Write("text", "hello")).kind, ProgramFile::Kind::kOther);
    EXPECT_EQ(probe.Look(Write("empty", "")).kind, ProgramFile::Kind::kOther);
    EXPECT_EQ(probe.Look(Write("cut", "\177ELF")).dynamic, false);
    EXPECT_EQ(probe.Look(folder).kind, ProgramFile::Kind::kMissing);
    fs::permissions(Write("no", "#!/bin/sh\n"), fs::perms::owner_read);
    EXPECT_EQ(probe.Look(folder + "/no").kind, ProgramFile::Kind::kMissing);
}

}  // namespace
}  // namespace comshu::launch
