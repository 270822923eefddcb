// Waiting in captures whose times are chosen, so that every number is known.
#include <gtest/gtest.h>

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "mpi_run.h"
#include "views/wait_view.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;
using testing::MpiProcess;

constexpr int32_t kRoot = 1;

class WaitView : public ::testing::Test, protected testing::MpiRun {
protected:
    std::string Rows(const std::string& sql) {
        std::string error;
        const auto database = Database::OpenPaths({Finish(100'000)}, &error);
        return database == nullptr ? error : testing::RowsOf(database.get(), sql, " | ");
    }
    std::string Waits(
        const std::string& columns = "kind, rank, name, begin_ns, wait_ns, cause_rank") {
        // What the view is made of: DuckDB plans it once, not once more for the view.
        const auto from = [&](const std::string& sql) {
            return Rows("SELECT " + columns + " FROM (" + sql + ") ORDER BY begin_ns, rank, kind");
        };
        const std::string waits = from(kWaitStateSql);
        EXPECT_EQ(waits, from(kWaitStateOfTablesSql));
        return waits;
    }
};

TEST_F(WaitView, LateSender) {
    Send(0, 300, 310, 1, 5);
    Receive(1, 100, 400, 0, 5);
    // In time: nobody waits.
    Send(0, 500, 510, 1, 5);
    Receive(1, 600, 620, 0, 5);
    EXPECT_EQ(Waits(), "late sender | 1 | MPI_Recv | 100 | 200 | 0\n");
}

TEST_F(WaitView, IsNoLongerThanItsCall) {
    // A clock that is behind: the send begins after the receive has ended.
    Send(0, 900, 910, 1, 5);
    Receive(1, 100, 400, 0, 5);
    EXPECT_EQ(Waits(), "late sender | 1 | MPI_Recv | 100 | 300 | 0\n");
}

TEST_F(WaitView, ACallThatCompletesSeveralWaitsOnceForTheLast) {
    Send(0, 200, 210, 1, 5);
    Rank(1).Start(0, MpiFunction::MPI_Irecv, 0, 5, 1);
    Rank(1).Start(20, MpiFunction::MPI_Irecv, 2, 5, 2);
    Wait(1, 100, 500, {MpiProcess::Got(1, 0, 5, 8), MpiProcess::Got(2, 2, 5, 8)});
    Send(2, 450, 460, 1, 5);
    EXPECT_EQ(Waits(), "late sender | 1 | MPI_Waitall | 100 | 350 | 2\n");
}

TEST_F(WaitView, WhatIsDoneBeforeTheWaitIsNoWaiting) {
    Send(0, 200, 210, 1, 5);
    Rank(1).Start(0, MpiFunction::MPI_Irecv, 0, 5, 1);
    Wait(1, 300, 320, {MpiProcess::Got(1, 0, 5, 8)});
    EXPECT_EQ(Waits(), "");
}

TEST_F(WaitView, WrongOrderOfOneSource) {
    Send(0, 50, 60, 1, 2);
    Send(0, 300, 310, 1, 1);
    Receive(1, 100, 400, 0, 1);  // While the message of tag 2 was there.
    Receive(1, 410, 420, 0, 2);
    EXPECT_EQ(Waits("kind, rank, wait_ns, wrong_order"), "late sender | 1 | 200 | same source\n");
}

TEST_F(WaitView, WrongOrderOfAnotherSource) {
    Send(2, 50, 60, 1, 2);
    Send(0, 300, 310, 1, 1);
    Receive(1, 100, 400, 0, 1);
    Receive(1, 410, 420, 2, 2);
    EXPECT_EQ(Waits("kind, rank, wait_ns, wrong_order"), "late sender | 1 | 200 | other source\n");
}

TEST_F(WaitView, RightOrderIsNotWrong) {
    Send(0, 300, 310, 1, 1);
    Send(2, 350, 360, 1, 2);
    Receive(1, 100, 400, 0, 1);
    Receive(1, 410, 420, 2, 2);
    EXPECT_EQ(Waits("kind, rank, wait_ns, wrong_order"), "late sender | 1 | 200 | -\n");
}

TEST_F(WaitView, LateReceiver) {
    Send(0, 100, 350, 1, 5);
    Receive(1, 300, 360, 0, 5);
    // Has returned before the receiver came: it was buffered.
    Send(0, 400, 410, 1, 5);
    Receive(1, 600, 620, 0, 5);
    EXPECT_EQ(Waits(), "late receiver | 0 | MPI_Send | 100 | 200 | 1\n");
}

TEST_F(WaitView, ACallThatReceivesTooTellsOfSynchronousSendsAlone) {
    for (const auto function : {MpiFunction::MPI_Isend, MpiFunction::MPI_Issend}) {
        const int64_t at = function == MpiFunction::MPI_Isend ? 0 : 1000;
        Rank(0).Start(at, MpiFunction::MPI_Irecv, 1, 6, 1 + at);
        Rank(0).Start(at + 10, function, 1, 5, 2 + at);
        Wait(0, at + 100, at + 400, {MpiProcess::Got(1 + at, 1, 6, 8), MpiProcess::Sent(2 + at)});
        Send(1, at + 50, at + 60, 0, 6);
        Receive(1, at + 300, at + 360, 0, 5);
    }
    EXPECT_EQ(Waits(), "late receiver | 0 | MPI_Waitall | 1100 | 200 | 1\n");
}

TEST_F(WaitView, Barrier) {
    Collective(MpiFunction::MPI_Barrier, {{100, 520}, {300, 530}, {500, 560}});
    EXPECT_EQ(Waits(),
              "wait at barrier | 0 | MPI_Barrier | 100 | 400 | 2\n"
              "wait at barrier | 1 | MPI_Barrier | 300 | 200 | 2\n"
              "barrier completion | 1 | MPI_Barrier | 520 | 10 | 0\n"
              "barrier completion | 2 | MPI_Barrier | 520 | 40 | 0\n");
}

TEST_F(WaitView, AllToAll) {
    Collective(MpiFunction::MPI_Allreduce, {{100, 520}, {500, 560}});
    EXPECT_EQ(Waits(),
              "wait at NxN | 0 | MPI_Allreduce | 100 | 400 | 1\n"
              "NxN completion | 1 | MPI_Allreduce | 520 | 40 | 0\n");
}

TEST_F(WaitView, EarlyReduceIsWaitingOfTheRootForTheFirstSender) {
    Collective(MpiFunction::MPI_Reduce, {{300, 310}, {100, 600}, {500, 510}}, kRoot);
    EXPECT_EQ(Waits(), "early reduce | 1 | MPI_Reduce | 100 | 200 | 0\n");
}

TEST_F(WaitView, LateBroadcastIsWaitingForTheRoot) {
    Collective(MpiFunction::MPI_Bcast, {{100, 450}, {400, 410}, {500, 510}}, kRoot);
    EXPECT_EQ(Waits(), "late broadcast | 0 | MPI_Bcast | 100 | 300 | 1\n");
}

// Of ranks 1 and 3 the first is the root; ranks 0 and 2 are of the other group, whose number 0 is rank 0.
TEST_F(WaitView, TheRootOfAnIntercommunicator) {
    constexpr int32_t kGivenRoot = -3;
    constexpr int32_t kNobody = -2;
    const std::vector<int32_t> roots = {0, kGivenRoot, 0, kNobody};
    CollectiveOfRoots(MpiFunction::MPI_Reduce, {{300, 310}, {100, 600}, {500, 510}, {110, 120}},
                      roots);
    CollectiveOfRoots(MpiFunction::MPI_Bcast, {{700, 950}, {900, 910}, {960, 970}, {710, 720}},
                      roots);
    EXPECT_EQ(Waits(),
              "early reduce | 1 | MPI_Reduce | 100 | 200 | 0\n"
              "late broadcast | 0 | MPI_Bcast | 700 | 200 | 1\n");
}

TEST_F(WaitView, NobodyWaitsForARootThatIsNotInTheCapture) {
    Collective(MpiFunction::MPI_Bcast, {{100, 450}, {400, 410}}, 2);
    EXPECT_EQ(Waits(), "");
}

TEST_F(WaitView, EarlyScanIsWaitingForLowerRanks) {
    Collective(MpiFunction::MPI_Scan, {{300, 310}, {100, 360}, {200, 370}});
    EXPECT_EQ(Waits(),
              "early scan | 1 | MPI_Scan | 100 | 200 | 0\n"
              "early scan | 2 | MPI_Scan | 200 | 100 | 0\n");
}

// Rank 0 starts at 100, rank 1 at 400; rank 0 waits from 200, rank 1 from 450.
TEST_F(WaitView, ANonblockingCollectiveIsWaitedForInTheCallThatCompletesIt) {
    StartCollective(0, 100, MpiFunction::MPI_Iallreduce, 1);
    Wait(0, 200, 460, {MpiProcess::Joined(1)});
    StartCollective(1, 400, MpiFunction::MPI_Iallreduce, 1);
    Wait(1, 450, 500, {MpiProcess::Joined(1)});
    EXPECT_EQ(Waits(),
              "wait at NxN | 0 | MPI_Waitall | 200 | 200 | 1\n"
              "NxN completion | 1 | MPI_Waitall | 460 | 40 | 0\n");
}

TEST_F(WaitView, WhatHasComeBeforeTheWaitIsNoWaitingForIt) {
    StartCollective(0, 100, MpiFunction::MPI_Ibarrier, 1);
    StartCollective(1, 150, MpiFunction::MPI_Ibarrier, 1);
    Wait(0, 200, 210, {MpiProcess::Joined(1)});
    Wait(1, 200, 210, {MpiProcess::Joined(1)});
    EXPECT_EQ(Waits(), "");
}

TEST_F(WaitView, APersistentCollectiveIsEnteredByItsStart) {
    for (int32_t rank = 0; rank < 2; ++rank) {
        StartCollective(rank, 0, MpiFunction::MPI_Barrier_init, 1);
        for (const int64_t at : {100, 1100}) {
            StartRequest(rank, at + rank * 300, 1);
            Wait(rank, at + (rank == 0 ? 200 : 320), at + 500, {MpiProcess::Joined(1)});
        }
    }
    EXPECT_EQ(Waits(),
              "wait at barrier | 0 | MPI_Waitall | 300 | 100 | 1\n"
              "wait at barrier | 0 | MPI_Waitall | 1300 | 100 | 1\n");
}

TEST_F(WaitView, RootsOfNonblockingCollectives) {
    StartCollective(0, 100, MpiFunction::MPI_Ibcast, 1, kRoot);
    Wait(0, 150, 410, {MpiProcess::Joined(1)});
    StartCollective(1, 400, MpiFunction::MPI_Ibcast, 1, kRoot);
    Wait(1, 410, 420, {MpiProcess::Joined(1)});
    StartCollective(1, 500, MpiFunction::MPI_Ireduce, 2, kRoot);
    Wait(1, 510, 900, {MpiProcess::Joined(2)});
    StartCollective(0, 800, MpiFunction::MPI_Ireduce, 2, kRoot);
    Wait(0, 810, 820, {MpiProcess::Joined(2)});
    EXPECT_EQ(Waits(),
              "late broadcast | 0 | MPI_Waitall | 150 | 250 | 1\n"
              "early reduce | 1 | MPI_Waitall | 510 | 290 | 0\n");
}

// One call completes a receive that was sent at 300 and a barrier that all have come to at 600.
TEST_F(WaitView, ACallThatCompletesMessagesAndCollectivesWaitsOnceForTheLast) {
    Rank(0).Start(0, MpiFunction::MPI_Irecv, 1, 5, 1);
    StartCollective(0, 20, MpiFunction::MPI_Ibarrier, 2);
    Wait(0, 100, 650, {MpiProcess::Got(1, 1, 5, 8), MpiProcess::Joined(2)});
    Send(1, 300, 310, 0, 5);
    StartCollective(1, 600, MpiFunction::MPI_Ibarrier, 2);
    Wait(1, 610, 620, {MpiProcess::Joined(2)});
    EXPECT_EQ(Waits(),
              "wait at barrier | 0 | MPI_Waitall | 100 | 500 | 1\n"
              "barrier completion | 0 | MPI_Waitall | 620 | 30 | 1\n");
}

TEST_F(WaitView, ACallThatCompletesMessagesAndCollectivesWaitsForTheMessageIfThatIsLast) {
    Rank(0).Start(0, MpiFunction::MPI_Irecv, 1, 5, 1);
    StartCollective(0, 20, MpiFunction::MPI_Ibarrier, 2);
    Wait(0, 100, 650, {MpiProcess::Got(1, 1, 5, 8), MpiProcess::Joined(2)});
    StartCollective(1, 300, MpiFunction::MPI_Ibarrier, 2);
    Wait(1, 320, 330, {MpiProcess::Joined(2)});
    Send(1, 600, 610, 0, 5);
    EXPECT_EQ(Waits(),
              "late sender | 0 | MPI_Waitall | 100 | 500 | 1\n"
              "barrier completion | 0 | MPI_Waitall | 600 | 50 | 1\n");
}

TEST_F(WaitView, AWindowOfTime) {
    Collective(MpiFunction::MPI_Barrier, {{100, 500}, {500, 500}});
    Collective(MpiFunction::MPI_Barrier, {{1100, 1500}, {1500, 1500}});
    EXPECT_EQ(Rows("SELECT sum(wait_ns) FROM wait_state(1000, NULL)"), "400\n");
}

}  // namespace
}  // namespace comshu::read
