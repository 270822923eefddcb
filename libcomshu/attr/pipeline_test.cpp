#include "comshu/attr/pipeline.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace comshu::attr {
namespace {

TEST(AddressMap, EveryByteOfAnEntityAndNoneBeyond) {
    AddressMap map;
    map.Open(7, 100, 10);
    map.Open(8, 110, 5);
    EXPECT_EQ(map.Find(99).id, 0u);
    EXPECT_EQ(map.Find(100).id, 7u);
    EXPECT_EQ(map.Find(109).id, 7u);
    EXPECT_EQ(map.Find(110).id, 8u);
    EXPECT_EQ(map.Find(114).id, 8u);
    EXPECT_EQ(map.Find(115).id, 0u);
    EXPECT_EQ(map.Close(100).id, 7u);
    EXPECT_EQ(map.Find(105).id, 0u);
    EXPECT_EQ(map.Close(100).id, 0u) << "it is gone";
    EXPECT_EQ(map.Close(112).id, 0u) << "nothing begins there";
}

TEST(AddressMap, WhatIsOpenedOverOthersEndsThem) {
    AddressMap map;
    map.Open(1, 0, 10);
    map.Open(2, 20, 10);
    map.Open(3, 40, 10);
    map.Open(4, 5, 20);
    EXPECT_EQ(map.size(), 2u);
    EXPECT_EQ(map.Find(2).id, 0u);
    EXPECT_EQ(map.Find(5).id, 4u);
    EXPECT_EQ(map.Find(24).id, 4u);
    EXPECT_EQ(map.Find(25).id, 0u);
    EXPECT_EQ(map.Find(45).id, 3u);
}

TEST(AddressMap, NothingAndTooMuchAreRefused) {
    AddressMap map;
    map.Open(1, 100, 0);
    map.Open(2, ~uint64_t{0} - 5, 10);
    EXPECT_EQ(map.size(), 0u);
}

TEST(AddressMap, LookUpsWhileItChanges) {
    AddressMap map;
    map.Open(1, 0, 1000);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) EXPECT_EQ(map.Find(500).id, 1u);
    });
    for (uint64_t i = 0; i < 2000; ++i) {
        map.Open(2 + i, 2000 + i % 7 * 100, 100);
        map.Close(2000 + i % 5 * 100);
    }
    stop = true;
    reader.join();
}

bool IsLarge(const Access& access, void* context) {
    return access.bytes >= *static_cast<uint64_t*>(context);
}

TEST(Pipeline, FiltersThenNames) {
    AddressMap map;
    map.Open(7, 100, 10);
    std::vector<Attributed> out;
    Pipeline pipeline(
        &map,
        [](const Attributed& a, void* to) {
            static_cast<std::vector<Attributed>*>(to)->push_back(a);
        },
        &out);
    uint64_t least = 8;
    EXPECT_TRUE(pipeline.AddFilter(IsLarge, &least));
    pipeline.Put({1, 104, 8, 0});
    pipeline.Put({2, 104, 4, 0});
    pipeline.Put({3, 200, 8, 5});
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].entity, 7u);
    EXPECT_EQ(out[0].offset, 4u);
    EXPECT_EQ(out[1].entity, 0u);
    EXPECT_EQ(out[1].access.kind, 5u);
    EXPECT_EQ(pipeline.refused(), 1u);
    EXPECT_EQ(pipeline.unknown(), 1u);
    while (pipeline.AddFilter(IsLarge, &least)) {
    }
    pipeline.Put({4, 100, 8, 0});
    EXPECT_EQ(out.size(), 3u);
}

}  // namespace
}  // namespace comshu::attr
