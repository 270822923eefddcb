#include "otf2/archive_events.h"

#include <filesystem>

#include "testing_import.h"

namespace comshu::format::otf2 {
namespace {

// Two ranks, one thread each, in a world; texts are given as they are needed.
class ArchiveEventsTest : public testing::ImportTest {
protected:
    // `most_held`: a few records.
    ArchiveEventsTest() : writer_(MakeFolder(), 0, 2000), sink_(&writer_), events_(&sink_) {
        sink_.BeginFile(&told_);
        events_.SetText(0, "");
        for (uint32_t i = 0; i < 2; ++i) events_.SetLocation(i, 0, i);
        const uint64_t locations[] = {0, 1};
        events_.SetMembers(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, locations, 2);
        events_.SetMembers(1, OTF2_GROUP_TYPE_COMM_GROUP, locations, 2);
        events_.SetComm(0, 0, 1);
    }
    void Region(uint32_t id, const char* name, OTF2_Paradigm paradigm) {
        events_.SetText(100 + id, name);
        events_.SetRegion(id, 100 + id, paradigm);
    }
    void Finish() {
        events_.Finish();
        ASSERT_TRUE(writer_.Finish(0, sink_.last_ns(), "trace", "test")) << writer_.error();
        OpenCapture(capture_);
    }
    std::vector<std::string> Problems() const {
        std::vector<std::string> texts;
        for (const Problem& problem : told_.problems) texts.push_back(problem.text);
        return texts;
    }

    CaptureWriter writer_;
    TraceSink sink_;
    ImportedFile told_;
    ArchiveEvents events_;

private:
    std::string MakeFolder() {
        capture_ = folder_ + "/capture";
        std::filesystem::create_directories(capture_);
        return capture_;
    }
};

TEST_F(ArchiveEventsTest, TheDateIsThatOfTheOffset) {
    constexpr uint64_t kStart = 1'000'000'000'000'000'000;
    events_.SetClock(1'000'000'000, 100, kStart);
    Region(1, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    events_.Enter(0, 150, 1);
    events_.Leave(0, 170, 1);
    Finish();
    EXPECT_EQ(Ask("select begin_ns, end_ns, start_realtime_ns from span, capture"),
              "50 70 1000000000000000000\n");
}

TEST_F(ArchiveEventsTest, FunctionsOfMpiMayBeThoseOfAUser) {
    Region(1, "MPI_Isend", OTF2_PARADIGM_USER);
    Region(2, "MPI_Recv", OTF2_PARADIGM_USER);
    Region(3, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    events_.Enter(0, 5, 3);
    events_.Enter(0, 10, 1);
    events_.Send(0, 11, 1, 0, 7, 8);
    events_.Leave(0, 12, 1);
    events_.Enter(1, 10, 2);
    events_.Receive(1, 20, 0, 0, 7, 8);
    events_.Leave(1, 21, 2);
    events_.Leave(0, 30, 3);
    Finish();
    EXPECT_EQ(Ask("select rank, layer, name, begin_ns, end_ns from span order by all"),
              "0 mpi MPI_Isend 10 12\n0 user step 5 30\n1 mpi MPI_Recv 10 21\n");
    EXPECT_EQ(Ask(kMessages), "0 1 7 8 10 12 10 21\n");
    EXPECT_TRUE(Problems().empty());
}

constexpr const char* kPairs =
    "select send_rank, recv_rank, tag, bytes, recv_bytes, recv_begin_ns, recv_end_ns from message "
    "order by recv_begin_ns";

// Two receives are completed the other way round; the third is cancelled, so it takes no message.
TEST_F(ArchiveEventsTest, ReceivesMatchInTheOrderOfTheirStarts) {
    Region(1, "MPI_Send", OTF2_PARADIGM_MPI);
    Region(2, "MPI_Irecv", OTF2_PARADIGM_MPI);
    Region(3, "MPI_Wait", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    const auto call = [&](uint64_t location, uint64_t time, uint32_t region, const auto& inside) {
        events_.Enter(location, time, region);
        inside(time + 1);
        events_.Leave(location, time + 2, region);
    };
    for (const uint64_t bytes : {10, 20, 30})
        call(0, bytes, 1, [&](uint64_t time) { events_.Send(0, time, 1, 0, 5, bytes); });
    call(1, 10, 2, [&](uint64_t time) { events_.StartReceive(1, time, 7); });
    call(1, 20, 2, [&](uint64_t time) { events_.StartReceive(1, time, 9); });
    call(1, 30, 2, [&](uint64_t time) { events_.StartReceive(1, time, 8); });
    call(1, 40, 2, [&](uint64_t time) { events_.StartReceive(1, time, 7); });
    const auto complete = [&](uint64_t bytes, uint64_t request) {
        return [&, bytes, request](uint64_t time) {
            events_.CompleteReceive(1, time, 0, 0, 5, bytes, request);
        };
    };
    call(1, 50, 3, complete(20, 8));
    call(1, 60, 3, [&](uint64_t time) { events_.Cancel(1, time, 9); });
    call(1, 70, 3, complete(10, 7));
    call(1, 80, 3, complete(30, 7));
    call(1, 90, 3, [&](uint64_t time) { events_.CompleteSend(1, time, 7); });
    Finish();
    EXPECT_EQ(Ask(kPairs), "0 1 5 10 10 10 72\n0 1 5 20 20 30 52\n0 1 5 30 30 40 82\n");
    EXPECT_EQ(Ask("select side, rank, begin_ns, why from unmatched"), "receive 1 20 cancelled\n");
    EXPECT_EQ(Ask("select peer, tag, bytes from span where name = 'MPI_Irecv' order by begin_ns"),
              "0 5 -\n-1 -1 -\n0 5 -\n0 5 -\n");
    EXPECT_EQ(Problems(), std::vector<std::string>({"1 request is complete that was not started"}));
}

// More calls come behind the first receive than there is room for; the second one is known in time.
TEST_F(ArchiveEventsTest, ReceivesThatAreUnderWayForLongAreOfAnySource) {
    Region(1, "MPI_Send", OTF2_PARADIGM_MPI);
    Region(2, "MPI_Irecv", OTF2_PARADIGM_MPI);
    Region(3, "MPI_Wait", OTF2_PARADIGM_MPI);
    Region(4, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    for (const uint32_t tag : {5, 6}) {
        events_.Enter(0, tag, 1);
        events_.Send(0, tag, 1, 0, tag, 10 * tag);
        events_.Leave(0, tag + 1, 1);
        events_.Enter(1, tag, 2);
        events_.StartReceive(1, tag, tag);
        events_.Leave(1, tag + 1, 2);
        for (uint64_t time = 0; tag == 5 && time < 100; ++time) {
            events_.Enter(1, 6, 4);
            events_.Leave(1, 6, 4);
        }
    }
    for (const uint32_t tag : {6, 5}) {
        events_.Enter(1, 20 - tag, 3);
        events_.CompleteReceive(1, 20 - tag, 0, 0, tag, 10 * tag, tag);
        events_.Leave(1, 21 - tag, 3);
    }
    Finish();
    EXPECT_EQ(Ask(kPairs), "0 1 5 50 50 5 16\n0 1 6 60 60 6 15\n");
    EXPECT_EQ(Ask("select peer, tag from span where name = 'MPI_Irecv' order by begin_ns"),
              "-1 -1\n0 6\n");
    EXPECT_EQ(told_.remarks,
              std::vector<std::string>({"1 receive is complete so long after its start that it is "
                                        "taken as one of any source over the communicator of all "
                                        "ranks"}));
    EXPECT_EQ(Ask("select count(*) from span where name = 'step'"), "100\n");
}

TEST_F(ArchiveEventsTest, SendsThatWaitForTheirReceiversAreSeen) {
    Region(1, "MPI_Issend", OTF2_PARADIGM_MPI);
    Region(2, "MPI_Wait", OTF2_PARADIGM_MPI);
    Region(3, "MPI_Recv", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    events_.Enter(0, 10'000, 1);
    events_.StartSend(0, 10'000, 1, 0, 5, 8, 1);
    events_.Leave(0, 11'000, 1);
    events_.Enter(0, 13'000, 2);
    events_.CompleteSend(0, 50'000, 1);
    events_.Leave(0, 50'000, 2);
    events_.Enter(1, 43'000, 3);
    events_.Receive(1, 50'000, 0, 0, 5, 8);
    events_.Leave(1, 50'000, 3);
    Finish();
    EXPECT_EQ(Ask("select kind, rank, name, wait_ns from wait_state"),
              "late receiver 0 MPI_Wait 30000\n");
}

// A receive with a request that nobody started is where it is complete; MPI_Sendrecv receives as long as it
// runs.
TEST_F(ArchiveEventsTest, ReceivesOfOneCallAreAsLongAsIt) {
    Region(1, "MPI_Sendrecv", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    for (const uint64_t rank : {0, 1}) {
        const uint64_t at = 10 + 20 * rank;
        events_.Enter(rank, at, 1);
        events_.Send(rank, at, rank == 0, 0, 5, 8);
        if (rank == 0) events_.Receive(rank, 50, 1, 0, 5, 8);
        if (rank == 1) events_.CompleteReceive(rank, 50, 0, 0, 5, 8, 77);
        events_.Leave(rank, 51, 1);
    }
    Finish();
    EXPECT_EQ(Ask(kMessages), "0 1 5 8 10 51 30 51\n1 0 5 8 30 51 10 51\n");
    EXPECT_EQ(Ask("select kind, rank, name, wait_ns from wait_state"),
              "late sender 0 MPI_Sendrecv 20\n");
}

TEST_F(ArchiveEventsTest, CommunicatorsHaveTheirNamesAndMembers) {
    const uint64_t turned[] = {1, 0};
    events_.SetMembers(2, OTF2_GROUP_TYPE_COMM_GROUP, turned, 2);
    events_.SetText(50, "turned");
    events_.SetText(51, "MPI_COMM_WORLD");
    events_.SetComm(0, 50, 2);
    events_.SetComm(3, 51, 1);
    Region(1, "MPI_Bcast", OTF2_PARADIGM_MPI);
    Region(2, "MPI_Send", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    for (const uint64_t rank : {0, 1}) {
        for (const uint32_t comm : {0, 3}) {
            events_.Enter(rank, 10 + comm, 1);
            events_.Collective(rank, 11 + comm, OTF2_COLLECTIVE_OP_BCAST, comm, 0, 8, 8);
            events_.Leave(rank, 12 + comm, 1);
        }
    }
    events_.Enter(0, 20, 2);
    events_.Send(0, 20, 0, 0, 5, 8);
    events_.Leave(0, 22, 2);
    Finish();
    EXPECT_EQ(Ask("select comm_name, rank, comm_rank from collective order by begin_ns, rank"),
              "turned 0 1\nturned 1 0\nMPI_COMM_WORLD 0 0\nMPI_COMM_WORLD 1 1\n");
    EXPECT_EQ(Ask("select peer, comm_peer, comm_name from span where name = 'MPI_Send'"),
              "1 0 turned\n");
}

// Tags, ranks and times are unsigned in an archive; what is too large means nothing, not something else.
TEST_F(ArchiveEventsTest, NumbersThatAreTooLargeAreNone) {
    Region(1, "MPI_Send", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    events_.Enter(0, 10, 1);
    events_.Send(0, 11, 0xffff'ffff, 99, 0xffff'fffe, 8);
    events_.Leave(0, 12, 1);
    events_.Enter(0, uint64_t{1} << 62, 1);
    events_.Leave(0, (uint64_t{1} << 62) + 1, 1);
    Finish();
    EXPECT_EQ(Ask("select peer, tag from import_point_to_point"), "- -\n");
    EXPECT_EQ(told_.records, 5u);
    EXPECT_EQ(told_.illegal, 2u);
    EXPECT_EQ(Problems(),
              std::vector<std::string>({"2 events are left out: their times are none"}));
}

TEST_F(ArchiveEventsTest, AClockFinerThanNanosecondsIsTold) {
    events_.SetClock(2'500'000'000, 1000);
    Region(1, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    events_.Enter(0, 1001, 1);
    events_.Leave(0, 1025, 1);
    Finish();
    // 0.4 and 10 ns.
    EXPECT_EQ(Ask("select begin_ns, end_ns from span"), "0 10\n");
    EXPECT_EQ(told_.remarks,
              std::vector<std::string>(
                  {"its clock has 2500000000 ticks per second: times are cut to nanoseconds"}));
}

TEST_F(ArchiveEventsTest, EndsWithoutBeginsAreTold) {
    Region(6, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    events_.Leave(0, 10, 4);
    events_.Enter(0, 13, 5);
    events_.Enter(1, 11, 6);
    events_.Enter(1, 12, 5);
    Finish();
    EXPECT_EQ(Problems(),
              std::vector<std::string>({"3 regions begin and never end: kept open; the first is "
                                        "step of rank 1, thread 0, at 11 ns",
                                        "1 region ends that has not begun"}));
    EXPECT_EQ(Ask("select rank, begin_ns, end_ns from span order by 2"),
              "1 11 -\n1 12 -\n0 13 -\n");
}

}  // namespace
}  // namespace comshu::format::otf2
