#include "child_process.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace comshu::format {
namespace {

TEST(ChildProcess, ItsTextComesBackHoweverLong) {
    const std::string text(300'000, 'x');
    int here = 1;
    const ChildEnd end = RunInChild(
        [&] {
            here = 2;
            return text;
        },
        nullptr);
    EXPECT_EQ(end.text, text);
    EXPECT_EQ(end.signal, 0);
    EXPECT_EQ(end.error, "");
    EXPECT_EQ(here, 1);
}

TEST(ChildProcess, ASignalEndsItAlone) {
    const ChildEnd end = RunInChild(
        []() -> std::string {
            std::signal(SIGSEGV, SIG_DFL);
            std::raise(SIGSEGV);
            return "never";
        },
        nullptr);
    EXPECT_EQ(end.signal, SIGSEGV);
    EXPECT_EQ(end.text, "");
}

TEST(ChildProcess, WhatItSaysComesBackAndIsNotShown) {
    ::testing::internal::CaptureStderr();
    const ChildEnd end = RunInChild(
        [] {
            std::fputs("a library's own words\n", stderr);
            return std::string("done");
        },
        nullptr);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(end.said, "a library's own words\n");
    EXPECT_EQ(end.text, "done");
}

TEST(ChildProcess, IsEndedOnRequest) {
    const ChildEnd end = RunInChild(
        []() -> std::string {
            for (;;) pause();
        },
        [] { return true; });
    EXPECT_EQ(end.error, "stopped");
}

}  // namespace
}  // namespace comshu::format
