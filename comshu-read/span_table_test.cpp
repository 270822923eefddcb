#include "span_table.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

TEST(SpanTable, HoldsWhatAMapHolds) {
    std::mt19937_64 random(7);
    SpanTable<uint16_t> table;
    std::map<uint64_t, uint16_t> map;
    // Edges of pages, two processes, and the bit of spans that are no records.
    const uint64_t bases[] = {0, 1023, 1024, uint64_t{3} << 40, (uint64_t{3} << 40) + (1ull << 39)};
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t span = bases[random() % std::size(bases)] + random() % 9000;
        const auto value = static_cast<uint16_t>(random());
        table.At(span) = value;
        map[span] = value;
    }
    for (const uint64_t base : bases) {
        for (uint64_t span = base; span < base + 10'000; ++span) {
            const auto found = map.find(span);
            ASSERT_EQ(table.Get(span), found == map.end() ? 0 : found->second) << span;
        }
    }
    EXPECT_EQ(table.Get(uint64_t{9} << 40), 0);
}

TEST(SpanTable, EmptyHoldsNothing) {
    EXPECT_EQ(SpanTable<int64_t>().Get(5), 0);
}

}  // namespace
}  // namespace comshu::read
