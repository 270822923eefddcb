#include "openmp/fact_table.h"

#include <vector>

#include <gtest/gtest.h>

namespace comshu::provider::openmp {
namespace {

Facts Bytes(uint32_t bytes) {
    Facts facts;
    facts.bytes = bytes;
    return facts;
}

TEST(FactTable, HandlesOfASourceHaveTheirFacts) {
    static FactTable table;
    const std::vector<Facts> first{Bytes(4), Bytes(8)}, second{Bytes(16)};
    EXPECT_EQ(table.Get(7'000'000).bytes, 0u);
    ASSERT_TRUE(table.Add(7'000'000, first.data(), 2));
    ASSERT_TRUE(table.Add(9'000'000, second.data(), 1));
    EXPECT_EQ(table.Get(7'000'000).bytes, 4u);
    EXPECT_EQ(table.Get(7'000'001).bytes, 8u);
    EXPECT_EQ(table.Get(7'000'002).bytes, 0u);
    EXPECT_EQ(table.Get(9'000'000).bytes, 16u);
    EXPECT_EQ(table.Get(8'000'000).bytes, 0u);
}

TEST(FactTable, ManyThatStandAloneAreAllFound) {
    static FactTable table;
    std::vector<Facts> facts;
    for (uint32_t i = 1; i <= 5000; ++i) facts.push_back(Bytes(i));
    for (uint32_t i = 0; i < 5000; ++i)
        ASSERT_TRUE(table.Add(1'000'003 + int64_t{i} * 999'983, &facts[i], 1));
    for (uint32_t i = 0; i < 5000; ++i)
        EXPECT_EQ(table.Get(1'000'003 + int64_t{i} * 999'983).bytes, i + 1);
    EXPECT_EQ(table.Get(5).bytes, 0u);
}

TEST(FactTable, WhatIsThereStays) {
    static FactTable table;
    const Facts first = Bytes(4), second = Bytes(8);
    ASSERT_TRUE(table.Add(5'000'000, &first, 1));
    ASSERT_TRUE(table.Add(5'000'000, &second, 1));
    EXPECT_EQ(table.Get(5'000'000).bytes, 4u);
}

}  // namespace
}  // namespace comshu::provider::openmp
