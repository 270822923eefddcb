// Efficiency, critical path and slack of runs whose numbers are known, and what holds for every run.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "critical_path.h"
#include "efficiency.h"
#include "mpi_run.h"
#include "slack.h"

namespace comshu::analysis {
namespace {

using read::testing::MpiProcess;
using schema::MpiFunction;

class GraphTest : public ::testing::Test, protected read::testing::MpiRun {
protected:
    // MPI_Init returns at 1000 on both.
    void Begin(int32_t ranks) {
        for (int32_t rank = 0; rank < ranks; ++rank) Plain(rank, 0, 1000, MpiFunction::MPI_Init);
    }
    void Finalize(int32_t rank, int64_t begin) {
        Plain(rank, begin, begin + 10, MpiFunction::MPI_Finalize);
    }
    void Load() {
        std::string error;
        database_ = read::Database::OpenPaths({Finish(1'000'000)}, &error);
        ASSERT_NE(database_, nullptr) << error;
        const std::unique_ptr<OrderedRows> rows = Rows();
        whole_ = Window{rows->begin_ns(), rows->end_ns()};
    }
    std::unique_ptr<OrderedRows> Rows(size_t sort_bytes = OrderedRows::kSortBytes) const {
        auto rows = std::make_unique<OrderedRows>(sort_bytes);
        std::string error;
        EXPECT_TRUE(rows->Load(database_.get(), true, &error)) << error;
        return rows;
    }
    // All ranks at once.
    void FinalizeAndLoad(int32_t ranks, int64_t begin) {
        for (int32_t rank = 0; rank < ranks; ++rank) Finalize(rank, begin);
        Load();
    }
    std::vector<Efficiency> EfficienciesOf(const std::vector<Window>& windows,
                                           size_t sort_bytes = OrderedRows::kSortBytes) const {
        std::vector<Efficiency> found;
        std::string error;
        EXPECT_TRUE(analysis::EfficienciesOf(Rows(sort_bytes).get(), windows, &found, &error))
            << error;
        return found;
    }
    Efficiency EfficiencyOf(const Window& window) const { return EfficienciesOf({window})[0]; }

    struct Backwards {
        std::vector<PathPiece> path;  // In order of time.
        std::string text;             // "rank: begin-end call" of each piece.
        std::vector<int64_t> slack;
    };
    Backwards FollowBackwards(size_t sort_bytes = OrderedRows::kSortBytes,
                              size_t block_bytes = EventLog::kBlockBytes) const {
        const std::unique_ptr<OrderedRows> rows = Rows(sort_bytes);
        EventLog log(*rows, whole_, block_bytes);
        std::string error;
        EXPECT_TRUE(EventOrder(rows.get(), &log).Run(&error)) << error;
        Backwards found;
        CriticalPath path(log, [&](const PathPiece& piece) { found.path.push_back(piece); });
        Slack slack(log);
        const auto take = [&](const LoggedEvent& event) {
            path.Take(event);
            slack.Take(event);
        };
        EXPECT_TRUE(log.ForEachBackwards(take, &error)) << error;
        path.Finish();
        std::reverse(found.path.begin(), found.path.end());
        for (const PathPiece& piece : found.path) {
            found.text += std::to_string(rows->lanes()[piece.lane].rank) + ": " +
                          std::to_string(piece.begin_ns) + "-" + std::to_string(piece.end_ns) +
                          (piece.is_call ? " in " : " before ") +
                          (piece.kind == kNone ? "-" : rows->kinds()[piece.kind].name) + "\n";
        }
        found.slack = slack.Result();
        return found;
    }
    std::string PathText() const { return FollowBackwards().text; }
    std::vector<int64_t> Slacks() const { return FollowBackwards().slack; }

    // What waiting there is, by lane.
    struct Waiting : EventVisitor {
        explicit Waiting(size_t lanes) : waited_ns(lanes), last_begin_ns(lanes) {}
        void Enter(const CallRow& call, const Ties&) override {
            ++calls;
            last_begin_ns[call.lane] = call.begin_ns;
        }
        void Join(const CallRow&, const Ties&) override {}
        void Exit(const CallRow& call, const Ties&, const Release& release) override {
            waited_ns[call.lane] += release.ns - call.begin_ns;
        }
        size_t calls = 0;
        std::vector<int64_t> waited_ns;
        std::vector<int64_t> last_begin_ns;
    };
    Waiting FindWaiting() const {
        const std::unique_ptr<OrderedRows> rows = Rows();
        Waiting waiting(rows->lanes().size());
        std::string error;
        EXPECT_TRUE(EventOrder(rows.get(), &waiting).Run(&error)) << error;
        return waiting;
    }

    std::unique_ptr<read::Database> database_;
    Window whole_;
};

TEST_F(GraphTest, EqualWorkWithoutCommunicationLosesNothing) {
    Begin(2);
    FinalizeAndLoad(2, 2000);
    EXPECT_EQ(whole_.t0_ns, 1000);
    EXPECT_EQ(whole_.t1_ns, 2000);
    const Efficiency found = EfficiencyOf(whole_);
    EXPECT_EQ(found.ideal_ns, 1000);
    for (const double share : {found.parallel, found.load_balance, found.communication,
                               found.serialisation, found.transfer}) {
        EXPECT_EQ(share, 1);
    }
    EXPECT_EQ(PathText(), "0: 1000-2000 before MPI_Finalize\n");
    EXPECT_EQ(Slacks(), (std::vector<int64_t>{0, 0}));
}

TEST_F(GraphTest, ALateRankAtABarrier) {
    Begin(2);
    Collective(MpiFunction::MPI_Barrier, {{1300, 2000}, {1900, 2000}});
    FinalizeAndLoad(2, 2100);
    const Efficiency found = EfficiencyOf(whole_);
    EXPECT_EQ(found.useful_ns, (std::map<int32_t, double>{{0, 400}, {1, 1000}}));
    EXPECT_EQ(found.ideal_ns, 1000);
    EXPECT_DOUBLE_EQ(found.load_balance, 0.7);
    EXPECT_DOUBLE_EQ(found.serialisation, 1);
    EXPECT_DOUBLE_EQ(found.transfer, 1000.0 / 1100);
    EXPECT_DOUBLE_EQ(found.parallel, 700.0 / 1100);
    EXPECT_EQ(PathText(),
              "1: 1000-1900 before MPI_Barrier\n"
              "0: 1900-2000 in MPI_Barrier\n"
              "0: 2000-2100 before MPI_Finalize\n");
    EXPECT_EQ(Slacks(), (std::vector<int64_t>{600, 0}));
}

TEST_F(GraphTest, RanksThatTakeTurns) {
    Begin(2);
    Send(0, 2000, 2010, 1, 5);
    Receive(1, 1000, 2100, 0, 5);
    Send(1, 3100, 3110, 0, 6);
    Receive(0, 2010, 3110, 1, 6);
    FinalizeAndLoad(2, 3110);
    const Efficiency found = EfficiencyOf(whole_);
    EXPECT_EQ(found.ideal_ns, 2000);
    EXPECT_DOUBLE_EQ(found.load_balance, 1);
    EXPECT_DOUBLE_EQ(found.serialisation, 0.5);
    EXPECT_DOUBLE_EQ(found.transfer, 2000.0 / 2110);
    EXPECT_EQ(PathText(),
              "0: 1000-2000 before MPI_Send\n"
              "1: 2000-2100 in MPI_Recv\n"
              "1: 2100-3100 before MPI_Send\n"
              "0: 3100-3110 in MPI_Recv\n");
    // Each could work while the other one does.
    EXPECT_EQ(Slacks(), (std::vector<int64_t>{1090, 1000}));
}

TEST_F(GraphTest, ASynchronousSendStandsForItsReceiver) {
    Begin(2);
    Send(0, 1100, 2050, 1, 5);
    Receive(1, 2000, 2060, 0, 5);
    Finalize(0, 2100);
    Finalize(1, 2060);
    Load();
    EXPECT_EQ(PathText(),
              "1: 1000-2000 before MPI_Recv\n"
              "0: 2000-2050 in MPI_Send\n"
              "0: 2050-2100 before MPI_Finalize\n");
    EXPECT_EQ(Slacks()[0], 900);
}

TEST_F(GraphTest, RootsAndScans) {
    Begin(3);
    Collective(MpiFunction::MPI_Bcast, {{1100, 1510}, {1500, 1510}, {1600, 1610}}, 1);
    Collective(MpiFunction::MPI_Reduce, {{1900, 1910}, {1700, 2010}, {2000, 2005}}, 1);
    Collective(MpiFunction::MPI_Scan, {{2300, 2305}, {2100, 2310}, {2500, 2505}});
    for (int32_t rank = 0; rank < 3; ++rank) Finalize(rank, rank == 1 ? 2600 : 2510);
    Load();
    // Rank 1 waits for 0 in the scan, comes from there.
    EXPECT_EQ(PathText(),
              "1: 1000-1500 before MPI_Bcast\n"
              "0: 1500-1510 in MPI_Bcast\n"
              "0: 1510-1900 before MPI_Reduce\n"
              "0: 1900-1910 in MPI_Reduce\n"
              "0: 1910-2300 before MPI_Scan\n"
              "1: 2300-2310 in MPI_Scan\n"
              "1: 2310-2600 before MPI_Finalize\n");
}

// Rank 0 starts an all-to-all at 1200, works until 1300 and waits for rank 1, which starts at 1900.
TEST_F(GraphTest, ANonblockingCollectiveHoldsUpTheCallThatCompletesIt) {
    Begin(2);
    StartCollective(0, 1200, MpiFunction::MPI_Iallreduce, 1);
    Wait(0, 1310, 2000, {MpiProcess::Joined(1)});
    StartCollective(1, 1900, MpiFunction::MPI_Iallreduce, 1);
    Wait(1, 1950, 2000, {MpiProcess::Joined(1)});
    FinalizeAndLoad(2, 2100);
    const Efficiency found = EfficiencyOf(whole_);
    EXPECT_EQ(found.useful_ns, (std::map<int32_t, double>{{0, 400}, {1, 1040}}));
    // Rank 1 comes after 900; rank 0 has then 100 to go, rank 1 another 140.
    EXPECT_EQ(found.ideal_ns, 1040);
    EXPECT_EQ(PathText(),
              "1: 1000-1900 before MPI_Iallreduce\n"
              "0: 1900-2000 in MPI_Waitall\n"
              "0: 2000-2100 before MPI_Finalize\n");
    EXPECT_EQ(Slacks(), (std::vector<int64_t>{590, 0}));
}

TEST_F(GraphTest, CallsInsideACallArePartOfIt) {
    Begin(1);
    Plain(0, 100, 200, MpiFunction::MPI_Comm_rank);
    FinalizeAndLoad(1, 2000);
    EXPECT_EQ(FindWaiting().calls, 2u);
    EXPECT_EQ(EfficiencyOf(whole_).useful_max_ns, 1000);
}

// Rank 1 opens a file from 1200 on, and for that receives what rank 0 sends at 1500; rank 0 opens one from 1600 on,
// and for that sends what rank 1 begins to receive at 1650.
TEST_F(GraphTest, WhatACallInsideACallWaitsForHoldsUpTheOuterOne) {
    Begin(2);
    Plain(1, 1200, 1600, MpiFunction::MPI_File_open);
    Receive(1, 1300, 1550, 0, 5);
    Send(0, 1500, 1510, 1, 5);
    Plain(0, 1600, 1800, MpiFunction::MPI_File_open);
    Send(0, 1700, 1710, 1, 6);
    Receive(1, 1650, 1800, 0, 6);
    FinalizeAndLoad(2, 2000);
    EXPECT_EQ(FindWaiting().calls, 4u + 2 + 2);
    EXPECT_EQ(FindWaiting().waited_ns, (std::vector<int64_t>{50, 300}));
    EXPECT_EQ(PathText(),
              "0: 1000-1500 before MPI_Send\n"
              "1: 1500-1600 in MPI_File_open\n"
              "1: 1600-1650 before MPI_Recv\n"
              "0: 1650-1800 in MPI_File_open\n"
              "0: 1800-2000 before MPI_Finalize\n");
}

TEST_F(GraphTest, ATraceWithoutInitAndFinalizeCountsAsAWhole) {
    Send(0, 500, 510, 1, 5);
    Receive(1, 100, 700, 0, 5);
    Load();
    EXPECT_EQ(whole_.t0_ns, 0);
    EXPECT_EQ(whole_.t1_ns, 1'000'000);
    const Efficiency found = EfficiencyOf(whole_);
    EXPECT_EQ(found.useful_ns, (std::map<int32_t, double>{{0, 999'990}, {1, 999'400}}));
    // Rank 1 is held up until 500, and works 999,300 behind it.
    EXPECT_EQ(found.ideal_ns, 999'990);
    EXPECT_EQ(PathText(),
              "0: 0-500 before MPI_Send\n0: 500-510 in MPI_Send\n0: 510-1000000 before -\n");
}

// Ranks that work, send around a ring and meet, with times of which only the rules are known.
class AnyRun : public GraphTest, public ::testing::WithParamInterface<uint32_t> {
protected:
    static constexpr int32_t kRanks = 4;

    int64_t Random(int64_t below) {
        state_ = state_ * 1664525 + 1013904223;
        return (state_ >> 8) % below;
    }

    void SetUp() override {
        state_ = GetParam();
        Begin(kRanks);
        std::vector<int64_t> now(kRanks, 1000);
        for (int32_t turn = 0; turn < 30; ++turn) {
            std::vector<int64_t> sent(kRanks);
            for (int32_t rank = 0; rank < kRanks; ++rank) {
                now[rank] += 1 + Random(500);
                sent[rank] = now[rank];
                Send(rank, now[rank], now[rank] + 5, (rank + 1) % kRanks, turn);
                now[rank] += 5 + Random(100);
            }
            for (int32_t rank = 0; rank < kRanks; ++rank) {
                const int32_t from = (rank + kRanks - 1) % kRanks;
                const int64_t end = std::max(now[rank], sent[from]) + 7;
                Receive(rank, now[rank], end, from, turn);
                now[rank] = end;
            }
            if (turn % 5 != 0) continue;
            const int64_t last = *std::max_element(now.begin(), now.end());
            std::vector<std::pair<int64_t, int64_t>> times;
            for (int64_t& at : now) {
                times.emplace_back(at, last + 3);
                at = last + 3;
            }
            Collective(MpiFunction::MPI_Allreduce, times);
        }
        for (int32_t rank = 0; rank < kRanks; ++rank) Finalize(rank, now[rank] + Random(300));
        Load();
    }

    static void AreSharesThatMultiply(const Efficiency& found) {
        for (const double share : {found.parallel, found.load_balance, found.communication,
                                   found.serialisation, found.transfer}) {
            EXPECT_GE(share, 0);
            EXPECT_LE(share, 1);
        }
        double useful = 0;
        for (const auto& [rank, ns] : found.useful_ns) useful += ns;
        const auto run_ns = static_cast<double>(found.window.t1_ns - found.window.t0_ns);
        EXPECT_DOUBLE_EQ(found.parallel, useful / (kRanks * run_ns));
        EXPECT_DOUBLE_EQ(found.parallel, found.load_balance * found.communication);
        EXPECT_DOUBLE_EQ(found.communication, found.serialisation * found.transfer);
    }

    // Behind the whole, all of them.
    static void PartsAddUp(const std::vector<Efficiency>& all) {
        std::map<int32_t, double> sum;
        for (size_t part = 1; part < all.size(); ++part) {
            const Efficiency& found = all[part];
            EXPECT_LE(found.ideal_ns, found.window.t1_ns - found.window.t0_ns);
            EXPECT_GE(static_cast<double>(found.ideal_ns), found.useful_max_ns);
            for (const auto& [rank, ns] : found.useful_ns) sum[rank] += ns;
        }
        EXPECT_EQ(sum, all[0].useful_ns);
    }

    void HasNoGapAndIsAsLongAsTheRun(const std::vector<PathPiece>& path) const {
        int64_t now = whole_.t0_ns;
        for (const PathPiece& piece : path) {
            EXPECT_EQ(piece.begin_ns, now);
            EXPECT_GT(piece.end_ns, piece.begin_ns);
            now = piece.end_ns;
        }
        EXPECT_EQ(now, whole_.t1_ns);
    }

    void IsNotNegativeAndWaitingIsTheMostOfIt(const std::vector<int64_t>& slack) const {
        const Waiting waiting = FindWaiting();
        for (size_t lane = 0; lane < slack.size(); ++lane) {
            EXPECT_GE(slack[lane], 0);
            // Besides its waiting it may come later to its end.
            EXPECT_LE(slack[lane],
                      waiting.waited_ns[lane] + whole_.t1_ns - waiting.last_begin_ns[lane]);
        }
    }

    std::vector<Window> WholeAndParts() const {
        std::vector<Window> windows = {whole_};
        const int64_t length = whole_.t1_ns - whole_.t0_ns;
        for (int64_t part = 0; part < 7; ++part) {
            windows.push_back(
                {whole_.t0_ns + length * part / 7, whole_.t0_ns + length * (part + 1) / 7});
        }
        return windows;
    }

    uint32_t state_ = 0;
};

TEST_P(AnyRun, KeepsTheRules) {
    const std::vector<Efficiency> efficiencies = EfficienciesOf(WholeAndParts());
    AreSharesThatMultiply(efficiencies[0]);
    PartsAddUp(efficiencies);
    const Backwards found = FollowBackwards();
    HasNoGapAndIsAsLongAsTheRun(found.path);
    IsNotNegativeAndWaitingIsTheMostOfIt(found.slack);
    // Put down in files: a few rows each, and blocks of a few events.
    const std::vector<Efficiency> in_files = EfficienciesOf(WholeAndParts(), 200);
    for (size_t i = 0; i < in_files.size(); ++i) {
        EXPECT_EQ(in_files[i].useful_ns, efficiencies[i].useful_ns);
        EXPECT_EQ(in_files[i].ideal_ns, efficiencies[i].ideal_ns);
    }
    const Backwards put_down = FollowBackwards(200, 100);
    EXPECT_EQ(put_down.text, found.text);
    EXPECT_EQ(put_down.slack, found.slack);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyRun, ::testing::Range(1u, 4u));

}  // namespace
}  // namespace comshu::analysis
