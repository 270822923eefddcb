// Two runs that differ in one thing.
#include "comshu/analysis/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mpi_run.h"

namespace comshu::analysis {
namespace {

using schema::MpiFunction;

// Rank 0 works `work` before it comes to a barrier at which rank 1 waits.
class KnownRun : public read::testing::MpiRun {
public:
    explicit KnownRun(int64_t work, bool with_message = false, int64_t start = 0) {
        for (int32_t rank = 0; rank < 2; ++rank) Plain(rank, start, 1000, MpiFunction::MPI_Init);
        if (with_message) {
            Send(0, 1010, 1020, 1, 5);
            Receive(1, 1010, 1040, 0, 5);
        }
        Collective(MpiFunction::MPI_Barrier, {{1100 + work, 1200 + work}, {1100, 1200 + work}});
        for (int32_t rank = 0; rank < 2; ++rank) {
            Plain(rank, 1200 + work, 1210 + work, MpiFunction::MPI_Finalize);
            Rank(rank).writer().Define(schema::Thread(Rank(rank).Tick(0), 0, 0, 100));
        }
        std::string error;
        database_ = read::Database::OpenPaths({Finish(2000 + work)}, &error);
        EXPECT_NE(database_, nullptr) << error;
    }
    read::Database* database() { return database_.get(); }

private:
    std::unique_ptr<read::Database> database_;
};

std::vector<Difference> Differences(KnownRun* before, KnownRun* after,
                                    CompareOptions options = {}) {
    std::vector<Difference> found;
    std::string error;
    EXPECT_TRUE(Compare(before->database(), after->database(), options, &found, &error)) << error;
    return found;
}

const Difference* Find(const std::vector<Difference>& all, std::string_view group,
                       std::string_view name) {
    for (const Difference& difference : all) {
        if (difference.group == group && difference.name == name) return &difference;
    }
    return nullptr;
}

TEST(Compare, ARunWithItself) {
    KnownRun one(1000), same(1000);
    for (const Difference& difference : Differences(&one, &same)) {
        EXPECT_EQ(difference.verdict, Verdict::kSame) << difference.name;
        EXPECT_EQ(difference.before, difference.after) << difference.name;
    }
}

TEST(Compare, MoreWorkOnOneRankIsWorseInTimeWaitingAndBalance) {
    KnownRun before(1000), after(4000);
    const auto found = Differences(&before, &after);
    for (const auto& [group, name, from, to] :
         {std::tuple{"run", "run time", 3000.0, 6000.0},
          std::tuple{"run", "waiting for other ranks", 1000.0, 4000.0},
          std::tuple{"call", "MPI_Barrier", 1200.0, 4200.0}}) {
        const Difference* difference = Find(found, group, name);
        ASSERT_NE(difference, nullptr) << name;
        EXPECT_EQ(difference->before, from) << name;
        EXPECT_EQ(difference->after, to) << name;
        EXPECT_EQ(difference->verdict, Verdict::kWorse) << name;
    }
    const Difference* balance = Find(found, "efficiency", "load_balance");
    ASSERT_NE(balance, nullptr);
    EXPECT_DOUBLE_EQ(balance->before, 600.0 / 1100);
    EXPECT_DOUBLE_EQ(balance->after, 2100.0 / 4100);
    EXPECT_EQ(Find(found, "calls", "MPI_Barrier")->verdict, Verdict::kSame);
    // The other way round.
    const auto back = Differences(&after, &before);
    EXPECT_EQ(Find(back, "run", "run time")->verdict, Verdict::kBetter);
}

TEST(Compare, ThresholdAndShare) {
    KnownRun before(1000), after(1100);
    const auto verdict = [&](CompareOptions options, const char* group, const char* name) {
        return Find(Differences(&before, &after, options), group, name)->verdict;
    };
    // 100 of 3000; of the waiting 100 of 1000; of the time of both threads 100 of 6000.
    EXPECT_EQ(verdict({0.02, 0.01}, "run", "run time"), Verdict::kWorse);
    EXPECT_EQ(verdict({0.05, 0.01}, "run", "run time"), Verdict::kSame);
    EXPECT_EQ(verdict({0.05, 0.01}, "run", "waiting for other ranks"), Verdict::kWorse);
    EXPECT_EQ(verdict({0.05, 0.02}, "run", "waiting for other ranks"), Verdict::kSame);
}

// From one run to the next it differs by more than any threshold.
TEST(Compare, ASlowerStartIsChangedAlone) {
    KnownRun before(1000), after(1000, false, 900);
    const auto found = Differences(&before, &after, {0.1, 0.001});
    const Difference* start = Find(found, "call", "MPI_Init");
    ASSERT_NE(start, nullptr);
    EXPECT_EQ(start->before, 2000);
    EXPECT_EQ(start->after, 200);
    EXPECT_EQ(start->verdict, Verdict::kChanged);
}

TEST(Compare, WhatIsNewAndWhatIsGone) {
    KnownRun without(1000), with(1000, true);
    const auto found = Differences(&without, &with, {0.1, 0.001});
    const Difference* call = Find(found, "call", "MPI_Recv");
    ASSERT_NE(call, nullptr);
    EXPECT_TRUE(std::isnan(call->before));
    EXPECT_EQ(call->after, 30);
    EXPECT_EQ(call->verdict, Verdict::kWorse);
    EXPECT_EQ(Find(found, "messages", "messages")->verdict, Verdict::kChanged);
    const auto back = Differences(&with, &without, {0.1, 0.001});
    EXPECT_EQ(Find(back, "call", "MPI_Recv")->verdict, Verdict::kBetter);
}

}  // namespace
}  // namespace comshu::analysis
