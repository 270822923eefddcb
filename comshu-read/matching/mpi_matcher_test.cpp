// Matching of whole captures, written record by record.
#include "matching/mpi_matcher.h"

#include "matching/matching_fixture.h"
#include "mpi_process.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;
using testing::MpiProcess;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr uint64_t kWorld = MpiProcess::kWorld;
constexpr int32_t kNo = kNoNumber;

KeptRows Match(const TemporaryFolder& folder) {
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    EXPECT_NE(capture, nullptr) << error;
    KeptRows rows;
    CollectiveTable collectives;
    if (capture != nullptr) MatchMpi(*capture, &rows, &collectives);
    return rows;
}

TEST(MpiMatcher, HundredsOfMessagesOverManyBlocks) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        for (int i = 0; i < 300; ++i) {
            const auto request = static_cast<uint64_t>(i) + 1;
            zero.Send(1000 * i, 1, 5, 100 + request);
            one.Start(1000 * i + 20, MpiFunction::MPI_Irecv, kAnySource, 5, request);
            one.Wait(1000 * i + 40, {MpiProcess::Got(request, 0, 5, 100 + request)});
        }
        zero.End(1'000'000);
        one.End(1'000'000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 300u);
    EXPECT_TRUE(rows.unmatched.empty());
    for (const MessageRow& row : rows.messages) {
        EXPECT_EQ(row.bytes, row.recv_bytes);
        EXPECT_EQ(row.recv_begin - row.send_begin, 20);
        EXPECT_EQ(row.recv_end - row.send_begin, 50);
        EXPECT_EQ(row.send_done - row.send_begin, 10);
        EXPECT_EQ(row.comm, kWorld);
        EXPECT_EQ(row.send_rank, 0);
        EXPECT_EQ(row.recv_rank, 1);
    }
}

// A receive that failed takes no message from the channel, but for one whose buffer was too small.
TEST(MpiMatcher, FailedReceives) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        for (int i = 0; i < 3; ++i) zero.Send(100 * i, 1, 5, 100 + static_cast<uint64_t>(i));
        constexpr auto kFailed = schema::SpanFlags::failed;
        one.Receive(1000, 0, 0, 5, kNoBytes, 0, kFailed);
        one.Receive(1100, 0, 0, 5, 64, 0, kFailed);
        one.Receive(1200, kAnySource, kAnySource, 5, kNoBytes, 0, kFailed);
        one.Receive(1300, kAnySource, 0, 5, 64, 0, kFailed);
        one.Receive(1400, 0, 0, 5, 102);
        zero.End(1'000'000);
        one.End(1'000'000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(rows.messages[i].bytes, 100 + i);
        EXPECT_EQ(rows.messages[i].recv_bytes, i < 2 ? 64u : 102u);
    }
    ASSERT_EQ(rows.unmatched.size(), 2u);
    for (const UnmatchedRow& row : rows.unmatched) EXPECT_EQ(row.why, Why::kFailed);
}

TEST(MpiMatcher, ThreadsOfAProcessAreMergedByTime) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        for (int i = 0; i < 100; ++i) {
            // Both threads of rank 0 send with the same tag, in turn; so do those of rank 1 receive.
            const auto thread = static_cast<uint32_t>(i % 2);
            zero.Send(1000 * i, 1, 5, 1000 + static_cast<uint64_t>(i), thread);
            one.Receive(1000 * i + 500, 0, 0, 5, 1000 + static_cast<uint64_t>(i), thread);
        }
        zero.End(1'000'000);
        one.End(1'000'000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 100u);
    for (const MessageRow& row : rows.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST(MpiMatcher, PersistentSendrecvProbeAndCollective) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        zero.Start(0, MpiFunction::MPI_Send_init, 1, 3, 7);
        zero.writer().Add(
            0, schema::MpiRequestCall(zero.Head(100), 0, 7, 1, 0, MpiFunction::MPI_Start));
        zero.writer().Add(0, schema::MpiStart(zero.In(110), 7));
        zero.Wait(200, {MpiProcess::Sent(7)});
        one.writer().Add(0, schema::MpiProbe(one.Head(150), 0, kWorld, 64, 9, 3, 0, 0, 3, 0,
                                             MpiFunction::MPI_Mprobe, 1));
        one.writer().Add(0, schema::MpiReceive(one.Head(300), 0, kWorld, 64, 64, 9, 3, 0, 0, 3, 0,
                                               MpiFunction::MPI_Mrecv));
        for (MpiProcess* process : {&zero, &one}) {
            const int32_t other = process == &zero ? 1 : 0;
            process->writer().Add(
                0, schema::MpiSendReceive(process->Head(400), 0, kWorld, 16, 16, 0, 4, other, other,
                                          4, other, other, 4, other, MpiFunction::MPI_Sendrecv));
            process->writer().Add(
                0, schema::MpiCollective(process->Head(500 + other), 0, kWorld, 8, 8, 0, kNo,
                                         MpiFunction::MPI_Allreduce, schema::MpiOperation::sum));
        }
        zero.End(1000);
        one.End(1000);
    }
    const KeptRows rows = Match(folder);
    EXPECT_EQ(rows.messages.size(), 3u);
    EXPECT_TRUE(rows.unmatched.empty());
    for (const MessageRow& row : rows.messages) {
        if (row.tag != 3) continue;
        EXPECT_EQ(row.send_begin, 100);
        EXPECT_EQ(row.send_done, 210);
        EXPECT_EQ(row.recv_begin, 300);
        EXPECT_EQ(row.recv_end, 310);
    }
    ASSERT_EQ(rows.collectives.size(), 2u);
    EXPECT_EQ(rows.collectives[0].instance, rows.collectives[1].instance);
    EXPECT_EQ(rows.collectives[0].root, kNo);
}

TEST(MpiMatcher, ALossHasItsPlaceOnItsThread) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        zero.Send(0, 1, 5, 10);
        zero.writer().Define(schema::MpiLoss(zero.Tick(100), zero.Tick(190), kWorld, 2, 0, 0, 1, 5,
                                             schema::MpiDirection::send));
        zero.Send(200, 1, 5, 13);
        for (int i = 0; i < 4; ++i) {
            one.Receive(1000 + 100 * i, 0, 0, 5, 10 + static_cast<uint64_t>(i));
        }
        zero.End(5000);
        one.End(5000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 2u);
    for (const MessageRow& row : rows.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
    ASSERT_EQ(rows.unmatched.size(), 2u);
    EXPECT_EQ(rows.unmatched[0].why, Why::kPartnerLost);
}

// Two wildcard receives of one channel; what the first one got was not recorded.
TEST(MpiMatcher, ALostCompletionOfAWildcardKeepsItsPlace) {
    TemporaryFolder folder;
    {
        MpiProcess zero(folder, 0), one(folder, 1);
        for (int i = 0; i < 3; ++i) zero.Send(100 * i, 1, 5, 10 + static_cast<uint64_t>(i));
        one.Start(1000, MpiFunction::MPI_Irecv, -1, -1, 1);
        one.writer().Define(schema::MpiLoss(one.Tick(1010), one.Tick(1100), kWorld, 1, 1, 0, 0, 5,
                                            schema::MpiDirection::completion));
        one.Start(1200, MpiFunction::MPI_Irecv, -1, -1, 2);
        one.Wait(1300, {MpiProcess::Got(2, 0, 5, 11)});
        one.Receive(1400, 0, 0, 5, 12);
        zero.End(5000);
        one.End(5000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 3u);
    EXPECT_TRUE(rows.unmatched.empty());
    for (const MessageRow& row : rows.messages) {
        EXPECT_EQ(row.recv_begin, row.bytes == 10 ? 1000 : row.bytes == 11 ? 1200 : 1400);
        EXPECT_EQ(row.recv_bytes, row.bytes == 10 ? kNoBytes : row.bytes);
        EXPECT_EQ(row.recv_end == kNoTime, row.bytes == 10);
    }
}

// Posted and completed while nothing was recorded; `comm` 0: the ring had lost what it belonged to.
TEST(MpiMatcher, AWildcardThatIsLostWholeIsPlacedByWhatItGot) {
    for (const uint64_t comm : {kWorld, uint64_t{0}}) {
        TemporaryFolder folder;
        {
            MpiProcess zero(folder, 0), one(folder, 1);
            for (int i = 0; i < 3; ++i) zero.Send(100 * i, 1, 5, 10 + static_cast<uint64_t>(i));
            one.Receive(1000, 0, 0, 5, 10);
            const auto lose = [&](uint64_t id, uint64_t request, int32_t peer, int32_t tag,
                                  schema::MpiDirection direction) {
                one.writer().Define(schema::MpiLoss(one.Tick(1100), one.Tick(1200), id, 1, request,
                                                    0, peer, tag, direction));
            };
            lose(comm, 7, 0, 5, schema::MpiDirection::completion);
            lose(kWorld, 0, -1, 5, schema::MpiDirection::receive);
            one.Receive(1400, 0, 0, 5, 12);
            zero.End(5000);
            one.End(5000);
        }
        const KeptRows rows = Match(folder);
        ASSERT_EQ(rows.messages.size(), 2u);
        for (const MessageRow& row : rows.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
        ASSERT_EQ(rows.unmatched.size(), 1u);
        EXPECT_EQ(rows.unmatched[0].bytes, 11u);
    }
}

TEST(MpiMatcher, APeerOfAnotherWorldIsFoundByItsRankInTheIntercommunicator) {
    constexpr uint64_t kInter = 555;
    TemporaryFolder folder;
    {
        // Two worlds of two ranks; rank 1 of the first sends to rank 0 of the second.
        std::vector<std::unique_ptr<MpiProcess>> all;
        for (const int32_t rank : {0, 1, 100, 101}) {
            const uint64_t world = rank < 100 ? kWorld : 88;
            all.push_back(std::make_unique<MpiProcess>(folder, rank, 4, world));
            StreamWriter& writer = all.back()->writer();
            writer.Define(schema::MpiComm(writer.Ticks(0), kInter, 0, writer.InternList({0, 1}),
                                          writer.InternList({kNo, kNo}), 0, 2, rank % 100));
        }
        all[1]->writer().Add(0, schema::MpiPointToPoint(all[1]->Head(0), 0, kInter, 12, 0, 6, 0,
                                                        kNo, MpiFunction::MPI_Send));
        all[2]->writer().Add(0, schema::MpiReceive(all[2]->Head(50), 0, kInter, 12, 64, 0, 6, 1,
                                                   kNo, 6, 1, MpiFunction::MPI_Recv));
        for (auto& process : all) process->End(1000);
    }
    const KeptRows rows = Match(folder);
    ASSERT_EQ(rows.messages.size(), 1u);
    EXPECT_EQ(rows.messages[0].send_rank, 1);
    EXPECT_EQ(rows.messages[0].recv_rank, 2);
    EXPECT_TRUE(rows.unmatched.empty());
}

}  // namespace
}  // namespace comshu::read
