#include "openmp/regions.h"

#include <set>

#include <gtest/gtest.h>

namespace comshu::provider::openmp {
namespace {

TEST(Regions, MembersFindTheRegionOfTheirTeam) {
    static Regions regions;
    // The same construct in two teams at once.
    const uint64_t left = Regions::Key(10, 1), right = Regions::Key(10, 2);
    const uint64_t first = regions.Open(left);
    const uint64_t second = regions.Open(right);
    EXPECT_NE(first, second);
    EXPECT_EQ(regions.Find(left), first);
    EXPECT_EQ(regions.Find(right), second);
    regions.Close(left, first);
    EXPECT_EQ(regions.Find(left), 0u);
    EXPECT_EQ(regions.Find(right), second);
    EXPECT_GT(regions.Open(left), second);
}

TEST(Regions, TheNewestOfTheSameKeyIsFound) {
    static Regions regions;
    const uint64_t key = Regions::Key(10, 1);
    const uint64_t first = regions.Open(key);
    const uint64_t second = regions.Open(key);
    EXPECT_EQ(regions.Find(key), second);
    regions.Close(key, first);
    EXPECT_EQ(regions.Find(key), second);
    regions.Close(key, second);
    EXPECT_EQ(regions.Find(key), 0u);
}

TEST(Regions, AFullTableLeavesRegionsUnknown) {
    static Regions regions;
    std::set<uint64_t> numbers;
    uint64_t found = 0;
    constexpr uint64_t kMany = 10'000;
    for (uint64_t i = 1; i <= kMany; ++i) numbers.insert(regions.Open(Regions::Key(i, 0)));
    EXPECT_EQ(numbers.size(), kMany);
    for (uint64_t i = 1; i <= kMany; ++i) {
        const uint64_t region = regions.Find(Regions::Key(i, 0));
        EXPECT_TRUE(region == 0 || region == i);
        found += region == 0 ? 0 : 1;
    }
    EXPECT_GT(found, 3000u);
    EXPECT_LE(found, 4096u);
}

}  // namespace
}  // namespace comshu::provider::openmp
