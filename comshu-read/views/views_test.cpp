// The views over a capture whose numbers are known by construction.
#include "comshu/read/views.h"

#include <gtest/gtest.h>

#include "comshu/read/query.h"
#include "mpi_process.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;
using testing::MpiProcess;
using testing::TemporaryFolder;

class ViewsTest : public ::testing::Test {
protected:
    void Open() {
        std::string error;
        std::shared_ptr<const Capture> capture = Capture::Open({folder_.path()}, &error);
        ASSERT_NE(capture, nullptr) << error;
        database_ = Database::Open(std::move(capture), &error);
        ASSERT_NE(database_, nullptr) << error;
    }

    std::string Rows(const std::string& sql) { return testing::RowsOf(database_.get(), sql); }

    // Rank 0 sends ten messages of 100 bytes to rank 1, then one to nobody; both meet in a barrier; the
    // last call of rank 1 is a receive that does not return.
    void WriteTwoRanks() {
        MpiProcess zero(folder_, 0), one(folder_, 1);
        for (int i = 0; i < 10; ++i) {
            zero.Send(100 * i, 1, 5, 100);
            one.Receive(100 * i + 20, 0, 0, 5, 100);
        }
        zero.Start(1000, MpiFunction::MPI_Isend, -2, 5, 1);
        for (MpiProcess* process : {&zero, &one}) {
            process->writer().Add(
                0, schema::MpiCollective(process->Head(2000), 0x400, MpiProcess::kWorld, 0, 0, 0,
                                         MpiProcess::kNone, MpiFunction::MPI_Barrier,
                                         schema::MpiOperation::none));
        }
        one.writer().Add(
            0, schema::MpiReceive(one.Head(3000, 0, true), 0, MpiProcess::kWorld, ~uint64_t{0}, 64,
                                  0, 7, 0, 0, 7, 0, MpiFunction::MPI_Recv));
        zero.End(4000);
        one.writer().Flush();
    }

    TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(ViewsTest, SpansOfAllTypes) {
    WriteTwoRanks();
    Open();
    EXPECT_EQ(Rows("SELECT rank, layer, category, name, count(*), sum(duration_ns), sum(bytes), "
                   "min(peer), min(tag) FROM span GROUP BY ALL ORDER BY rank, name, count(*)"),
              "0 mpi collective MPI_Barrier 1 10 0 - -\n"
              "0 mpi p2p MPI_Isend 1 10 0 -2 5\n"
              "0 mpi p2p MPI_Send 10 100 1000 1 5\n"
              "1 mpi collective MPI_Barrier 1 10 0 - -\n"
              "1 mpi p2p MPI_Recv 11 100 1000 0 5\n");
    EXPECT_EQ(Rows("SELECT rank, name, begin_ns, end_ns, duration_ns, self_ns, bytes, peer, tag "
                   "FROM span WHERE end_ns IS NULL"),
              "1 MPI_Recv 3000 - - - - 0 7\n");
    EXPECT_EQ(Rows("SELECT count(*), count(DISTINCT span_id) FROM span"), "24 24\n");
}

TEST_F(ViewsTest, MessagesUnmatchedAndCollectives) {
    WriteTwoRanks();
    Open();
    EXPECT_EQ(Rows("SELECT send_rank, recv_rank, tag, count(*), sum(bytes), sum(recv_bytes), "
                   "min(send_begin_ns), max(recv_end_ns) FROM message GROUP BY ALL"),
              "0 1 5 10 1000 1000 0 930\n");
    EXPECT_EQ(Rows("SELECT side, rank, peer, tag, begin_ns, why FROM unmatched"),
              "receive 1 0 7 3000 open\n");
    EXPECT_EQ(Rows("SELECT name, root, rank, begin_ns, end_ns, bytes_in, bytes_out FROM collective "
                   "ORDER BY rank"),
              "MPI_Barrier - 0 2000 2010 0 0\nMPI_Barrier - 1 2000 2010 0 0\n");
    EXPECT_EQ(Rows("SELECT count(DISTINCT instance) FROM collective"), "1\n");
    // A message joins the calls that it was made of.
    EXPECT_EQ(Rows("SELECT s.name, r.name, count(*) FROM message m JOIN span s ON s.span_id = "
                   "m.send_span JOIN span r ON r.span_id = m.recv_span GROUP BY ALL"),
              "MPI_Send MPI_Recv 10\n");
}

TEST_F(ViewsTest, AWindowOfTime) {
    WriteTwoRanks();
    Open();
    EXPECT_EQ(Rows("SELECT count(*) FROM span(200, 500)"), "6\n");
    EXPECT_EQ(Rows("SELECT rank, name FROM span(2005, 2008) ORDER BY rank"),
              "0 MPI_Barrier\n1 MPI_Barrier\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM span(NULL, 500)"), "10\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM message(200, 500)"), "3\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM collective(0, 1900)"), "0\n");
}

TEST_F(ViewsTest, OwnTimeLeavesOutNestedSpans) {
    {
        MpiProcess zero(folder_, 0);
        // region 0..1000 { MPI_Send 100..110, inner region 200..500 { MPI_Send 300..310 } }
        const uint64_t outer = core::SpanId(0, 1), inner = core::SpanId(0, 3);
        const auto head = [&](int64_t begin, int64_t end, uint64_t number, uint64_t parent) {
            const uint64_t id = core::SpanId(0, number);
            return schema::SpanHead(zero.Tick(begin), zero.Tick(end), id,
                                    parent == 0 ? 0 : static_cast<uint32_t>(id - parent),
                                    schema::SpanFlags::NONE);
        };
        const auto send = [&](schema::SpanHead at) {
            zero.writer().Add(0, schema::MpiPointToPoint(at, 0, MpiProcess::kWorld, 1, 0, 0, 0, 0,
                                                         MpiFunction::MPI_Send));
        };
        const uint64_t name = zero.writer().Intern("solve");
        send(head(100, 110, 2, outer));
        send(head(300, 310, 4, inner));
        zero.writer().Add(0, schema::UserRegion(head(200, 500, 3, outer), name, 0));
        zero.writer().Add(0, schema::UserRegion(head(0, 1000, 1, 0), name, 0));
        zero.End(2000);
    }
    Open();
    EXPECT_EQ(
        Rows("SELECT layer, category, name, begin_ns, duration_ns, self_ns FROM span ORDER BY "
             "begin_ns"),
        "user user solve 0 1000 690\n"
        "mpi p2p MPI_Send 100 10 10\n"
        "user user solve 200 300 290\n"
        "mpi p2p MPI_Send 300 10 10\n");
    EXPECT_EQ(Rows("SELECT p.begin_ns, c.begin_ns FROM span c JOIN span p ON p.span_id = "
                   "c.parent_id ORDER BY ALL"),
              "0 100\n0 200\n200 300\n");
}

TEST_F(ViewsTest, MarksAndCounters) {
    {
        MpiProcess zero(folder_, 0);
        zero.Send(0, 0, 0, 8);
        zero.writer().Add(0, schema::Mark(zero.In(5), zero.writer().Intern("step"), 1.5));
        zero.writer().Add(0, schema::Counter(zero.In(6), zero.writer().Intern("depth"), 3));
        zero.End(100);
    }
    Open();
    EXPECT_EQ(Rows("SELECT rank, thread, time_ns, name, value FROM mark"), "0 0 5 step 1.5\n");
    EXPECT_EQ(Rows("SELECT rank, thread, time_ns, name, value FROM counter"), "0 0 6 depth 3\n");
}

TEST_F(ViewsTest, ACaptureWithoutCallsHasEmptyViews) {
    {
        testing::StreamWriter writer(folder_.File("run/node0.1.0.cst"), {});
        writer.End(writer.Ticks(10), schema::EndReason::finished);
    }
    Open();
    for (const std::string& view : ViewNames()) {
        if (view == "rank" || view == "thread") continue;
        EXPECT_EQ(Rows("SELECT count(*) FROM " + view), "0\n") << view;
    }
}

TEST_F(ViewsTest, AViewReadsOnlyWhatTheCaptureHolds) {
    {
        MpiProcess zero(folder_, 0);
        zero.Send(0, 0, 0, 8);
        zero.End(100);
    }
    Open();
    const std::string plan = Rows("EXPLAIN SELECT count(*) FROM span");
    EXPECT_NE(plan.find("MPI_POINT_TO_POINT"), plan.npos) << plan;
    EXPECT_EQ(plan.find("MPI_COLLECTIVE"), plan.npos) << plan;
    // Nothing is worked out that is not asked for.
    EXPECT_EQ(plan.find("nested_ns"), plan.npos) << plan;
    EXPECT_EQ(plan.find("source_text"), plan.npos) << plan;
}

}  // namespace
}  // namespace comshu::read
