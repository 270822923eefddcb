#include "launch/wrappers.h"

#include <gtest/gtest.h>

#include "launch/test_words.h"

namespace comshu::launch {
namespace {

std::string CommandOf(const std::string& line) {
    std::vector<std::string> argv = Words(line);
    size_t command = FollowWrappers(argv, 0, argv.size()).command;
    return command < argv.size() ? argv[command] : "";
}

TEST(Wrappers, AreFollowedToTheCommand) {
    EXPECT_EQ(CommandOf("./app -n 3"), "./app");
    EXPECT_EQ(CommandOf("env A=1 B=2 ./app"), "./app");
    EXPECT_EQ(CommandOf("/usr/bin/env -i -u X A=1 ./app"), "./app");
    EXPECT_EQ(CommandOf("env --unset=X -C /tmp ./app"), "./app");
    EXPECT_EQ(CommandOf("timeout 5 ./app"), "./app");
    EXPECT_EQ(CommandOf("timeout -k 3 -s INT 5 ./app"), "./app");
    EXPECT_EQ(CommandOf("timeout --signal=INT --foreground 5 ./app"), "./app");
    EXPECT_EQ(CommandOf("nice -n 5 ./app"), "./app");
    EXPECT_EQ(CommandOf("nice -5 ./app"), "./app");
    EXPECT_EQ(CommandOf("numactl -N 0 --membind=0 ./app"), "./app");
    EXPECT_EQ(CommandOf("numactl --physcpubind 0-3 -l ./app"), "./app");
    EXPECT_EQ(CommandOf("taskset -c 0,1 ./app"), "./app");
    EXPECT_EQ(CommandOf("stdbuf -oL ./app"), "./app");
    EXPECT_EQ(CommandOf("stdbuf -o L ./app"), "./app");
    EXPECT_EQ(CommandOf("nohup env A=1 timeout 5 nice ./app"), "./app");
    EXPECT_EQ(CommandOf("env -- ./app"), "./app");
}

TEST(Wrappers, WithoutACommandAreTheCommand) {
    EXPECT_EQ(CommandOf("env"), "env");
    EXPECT_EQ(CommandOf("timeout 5"), "timeout");
    EXPECT_EQ(CommandOf("env A=1"), "env");
}

TEST(Wrappers, EnvTellsWhatItDoesToThePreload) {
    auto env = [](const std::string& line) {
        std::vector<std::string> argv = Words(line);
        return FollowWrappers(argv, 0, argv.size()).envs.at(0);
    };
    EXPECT_FALSE(env("env A=1 ./app").clears);
    EXPECT_TRUE(env("env -i A=1 ./app").clears);
    EXPECT_TRUE(env("env - A=1 ./app").clears);
    EXPECT_TRUE(env("env --ignore-environment A=1 ./app").clears);
    EXPECT_FALSE(env("env -u i A=1 ./app").clears);
    EXPECT_FALSE(env("env -ui A=1 ./app").clears);
    EXPECT_TRUE(env("env -u LD_PRELOAD ./app").removes_preload);
    EXPECT_TRUE(env("env --unset=LD_PRELOAD ./app").removes_preload);
    EXPECT_TRUE(env("env -uLD_PRELOAD ./app").removes_preload);
    EXPECT_FALSE(env("env -u A ./app").removes_preload);
    EXPECT_EQ(env("env A=1 LD_PRELOAD=/u.so ./app").preload, 2u);
    EXPECT_FALSE(env("env A=1 ./app LD_PRELOAD=/u.so").preload.has_value());
}

}  // namespace
}  // namespace comshu::launch
