#include "matching/flat_map.h"

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

struct Mixed {
    uint64_t operator()(uint64_t key) const { return MixBits(key); }
};
using Map = FlatMap<uint64_t, uint64_t, Mixed>;

TEST(FlatMap, WhatHasRoomDoesNotMove) {
    Map map;
    map.Insert(1, 10);
    map.Reserve(100'000);
    EXPECT_EQ(map.size(), 1u);
    const uint64_t* first = map.Find(1);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(*first, 10u);
    for (uint64_t key = 2; key <= 100'000; ++key) map.Insert(key, key);
    EXPECT_EQ(map.Find(1), first);
    EXPECT_EQ(map.size(), 100'000u);
}

// With room for both first.
TEST(FlatMap, ContentOfOneGoesIntoAnother) {
    Map to, from;
    for (uint64_t key = 0; key < 30'000; ++key) to.Insert(key, 1);
    for (uint64_t key = 20'000; key < 200'000; ++key) from.Insert(key, 2);
    to.Reserve(to.size() + from.size());
    from.ForEach([&](uint64_t key, uint64_t value) { *to.Insert(key, 0) += value; });
    EXPECT_EQ(to.size(), 200'000u);
    EXPECT_EQ(*to.Find(0), 1u);
    EXPECT_EQ(*to.Find(25'000), 3u);
    EXPECT_EQ(*to.Find(199'999), 2u);
}

}  // namespace
}  // namespace comshu::read
