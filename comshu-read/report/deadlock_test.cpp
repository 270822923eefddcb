#include "report/deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/rank_text.h"

namespace comshu::read {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Report::Stand In(int32_t rank, const char* name, const char* detail, std::vector<int32_t> waits_for,
                 uint32_t thread = 0) {
    Report::Stand stand;
    stand.rank = rank;
    stand.thread = thread;
    stand.name = name;
    stand.detail = detail;
    stand.waits_for = std::move(waits_for);
    return stand;
}

// That are told: with these, nothing of the other kind.
std::vector<std::string> Circles(const std::vector<Report::Stand>& stands,
                                 const GoneRanks& gone = {}) {
    StuckWaits found = FindStuckWaits(stands, gone);
    EXPECT_THAT(found.for_gone, IsEmpty());
    return found.circles;
}
std::vector<std::string> ForGone(const std::vector<Report::Stand>& stands, const GoneRanks& gone) {
    StuckWaits found = FindStuckWaits(stands, gone);
    EXPECT_THAT(found.circles, IsEmpty());
    return found.for_gone;
}

TEST(Deadlock, TwoRanksThatBothReceiveFirst) {
    EXPECT_THAT(
        Circles({In(0, "MPI_Recv", "from 1, tag 7", {1}), In(1, "MPI_Recv", "from 0, tag 7", {0})}),
        ElementsAre("rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which waits in "
                    "MPI_Recv (from 0, tag 7) for rank 0"));
}

TEST(Deadlock, OthersAreStuckBehindTheCircle) {
    EXPECT_THAT(
        Circles({In(0, "MPI_Recv", "from 1, tag 7", {1}), In(1, "MPI_Ssend", "to 0, tag 7", {0}),
                 In(2, "MPI_Barrier", "", {0, 1}), In(3, "MPI_Barrier", "", {0, 1})}),
        ElementsAre("rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which waits in "
                    "MPI_Ssend (to 0, tag 7) for rank 0; ranks 2, 3 are stuck behind them"));
}

TEST(Deadlock, ARingOfFour) {
    std::vector<Report::Stand> stands;
    for (int32_t rank = 0; rank < 4; ++rank) {
        stands.push_back(In(rank, "MPI_Ssend", "", {(rank + 1) % 4}));
    }
    EXPECT_THAT(
        Circles(stands),
        ElementsAre("rank 0 waits in MPI_Ssend for rank 1, which waits in MPI_Ssend for rank "
                    "2, which waits in MPI_Ssend for rank 3, which waits in MPI_Ssend for "
                    "rank 0"));
}

TEST(Deadlock, ARankThatWaitsForItself) {
    EXPECT_THAT(Circles({In(5, "MPI_Ssend", "to 5, tag 0", {5})}),
                ElementsAre("rank 5 waits in MPI_Ssend (to 5, tag 0) for itself"));
}

TEST(Deadlock, TwoCirclesAreTwoSentences) {
    EXPECT_EQ(Circles({In(0, "a", "", {1}), In(1, "b", "", {0}), In(2, "c", "", {3}),
                       In(3, "d", "", {2})})
                  .size(),
              2u);
}

TEST(Deadlock, WaitingForARankThatIsAtWorkIsNone) {
    EXPECT_THAT(Circles({In(0, "MPI_Recv", "", {1}), In(1, "", "", {})}), IsEmpty());
    EXPECT_THAT(Circles({In(0, "MPI_Recv", "", {1}), In(1, "MPI_Recv", "", {2})}), IsEmpty());
    // Another thread of rank 1 may still send.
    EXPECT_THAT(
        Circles({In(0, "MPI_Recv", "", {1}), In(1, "MPI_Recv", "", {0}), In(1, "", "", {}, 1)}),
        IsEmpty());
}

TEST(Deadlock, OneThatWaitsForARankThatHasEnded) {
    const std::vector<Report::Stand> stands = {In(0, "MPI_Recv", "from 2, tag 7", {2}),
                                               In(1, "MPI_Barrier", "", {0})};
    EXPECT_THAT(Circles(stands), IsEmpty());
    EXPECT_THAT(ForGone(stands, {}), IsEmpty());
    EXPECT_THAT(ForGone(stands, {{2, "has ended"}}),
                ElementsAre("rank 0 waits in MPI_Recv (from 2, tag 7) for rank 2, which has ended; "
                            "rank 1 is stuck behind it"));
}

TEST(Deadlock, OneThatWaitsForARankInFinalize) {
    EXPECT_THAT(ForGone({In(0, "MPI_Recv", "from 1, tag 7", {1}), In(1, "MPI_Finalize", "", {})},
                        {{1, "is in MPI_Finalize"}}),
                ElementsAre("rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which is in "
                            "MPI_Finalize"));
}

TEST(Deadlock, OneThatWaitsForARankThatDiedWhileItWaited) {
    const std::vector<Report::Stand> stands = {In(0, "MPI_Recv", "from 1, tag 7", {1}),
                                               In(1, "MPI_Ssend", "to 0, tag 7", {0}),
                                               In(2, "MPI_Barrier", "", {0, 1})};
    EXPECT_THAT(
        ForGone(stands, {{1, "died of SIGSEGV in MPI_Ssend"}}),
        ElementsAre("rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which died of SIGSEGV in "
                    "MPI_Ssend; rank 2 is stuck behind it"));
    // Both were ended in the same way: they stood there till then.
    EXPECT_THAT(
        Circles(stands, {{0, "died of SIGABRT in MPI_Recv"}, {1, "died of SIGABRT in MPI_Ssend"}}),
        ElementsAre("rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which waits in MPI_Ssend "
                    "(to 0, tag 7) for rank 0; rank 2 is stuck behind them"));
}

TEST(NearMisses, CountWhereNothingElseWillCome) {
    const std::vector<NearMiss> all = {{0, "stuck"}, {1, "at work"}, {2, "ended"}, {3, "unknown"}};
    EXPECT_THAT(
        KeepHopeless(all, {In(0, "MPI_Recv", "", {1}), In(1, "", "", {})}, {{2, "has ended"}}),
        ElementsAre("stuck", "ended"));
}

TEST(RankText, ListsRuns) {
    EXPECT_EQ(RankList({}), "");
    EXPECT_EQ(RankList({3}), "3");
    EXPECT_EQ(RankList({1, 0, 2, 7, 7, 9, 10}), "0-2, 7, 9, 10");
    EXPECT_EQ(RankList({0, 2, 4, 6}, 2), "0, 2, ...");
    EXPECT_EQ(RanksInWords({4}), "rank 4");
    EXPECT_EQ(RanksInWords({4, 5, 6}), "ranks 4-6");
}

}  // namespace
}  // namespace comshu::read
