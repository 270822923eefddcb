#include "matching/collective_table.h"

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

TEST(CollectiveTable, NumbersDoNotDependOnWhoReadsWhat) {
    // Ranks 0 and 1 on two communicators; the second one begins first. Rank 1 has lost two of it.
    const auto rank0 = [](CollectiveTable* table) {
        return std::vector<uint64_t>{table->Next(7, 0, 0, 100), table->Next(8, 0, 0, 50),
                                     table->Next(7, 0, 0, 200)};
    };
    const auto rank1 = [](CollectiveTable* table) {
        table->Skip(8, 0, 1, 2);
        return std::vector<uint64_t>{table->Next(8, 0, 1, 300), table->Next(7, 0, 1, 110)};
    };
    CollectiveTable together, first, second;
    const auto own0 = rank0(&together);
    const auto own1 = rank1(&together);
    const auto apart0 = rank0(&first);
    const auto apart1 = rank1(&second);
    std::vector<CollectiveLane> all = second.lanes();
    all.insert(all.end(), first.lanes().begin(), first.lanes().end());

    const InstanceNumbers one(together.lanes(), together.lanes());
    const InstanceNumbers of_first(first.lanes(), all);
    const InstanceNumbers of_second(second.lanes(), all);
    const std::vector<uint64_t> expected0 = {4, 1, 5};
    const std::vector<uint64_t> expected1 = {3, 4};
    for (size_t i = 0; i < expected0.size(); ++i) {
        EXPECT_EQ(one.Of(own0[i]), expected0[i]);
        EXPECT_EQ(of_first.Of(apart0[i]), expected0[i]);
    }
    for (size_t i = 0; i < expected1.size(); ++i) {
        EXPECT_EQ(one.Of(own1[i]), expected1[i]);
        EXPECT_EQ(of_second.Of(apart1[i]), expected1[i]);
    }
}

}  // namespace
}  // namespace comshu::read
