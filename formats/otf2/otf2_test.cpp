#include <sys/stat.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "comshu/format/export.h"
#include "testing_import.h"
#include "testing_records.h"

namespace comshu::format {
namespace {

class Otf2 : public testing::ImportTest {
protected:
    void SetUp() override {
#ifndef COMSHU_HAVE_OTF2
        GTEST_SKIP() << "built without OTF2";
#endif
    }
    void Export() {
        archive_ = folder_ + "/archive";
        ExportResult result;
        std::string error;
        ASSERT_TRUE(ExportOtf2(database_.get(), archive_, &result, &error)) << error;
        remarks_ = result.remarks;
        records_ = result.records;
    }
    void ImportArchive() {
        capture_ = folder_ + "/again";
        result_ = {};
        ASSERT_TRUE(Import({archive_}, capture_, {}, &result_, &error_)) << error_;
        database_ = read::Database::OpenPaths({capture_}, &error_);
        ASSERT_NE(database_, nullptr) << error_;
    }
    std::string archive_;
    std::vector<std::string> remarks_;
    uint64_t records_ = 0;
};

constexpr const char* kTrace =
    "4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n7 0 5 1 7\n8 0 50 1 0 7 8\n"
    "20 0 60 1 3 0 0\n20 0 61 1 4 0 0\n21 0 65 1 4 0 0\n21 0 70 1 3 0 0\n"
    "20 0 80 0 -1 0 0\n21 0 90 0 -1 0 0\n20 0 85 1 -1 0 0\n21 0 91 1 -1 0 0\n15 0 92 0 1\n";

TEST_F(Otf2, AnArchiveComesBack) {
    ImportText(kTrace);
    const std::string spans = "select rank, name, layer, begin_ns, end_ns from span order by all";
    const std::string messages =
        "select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message";
    const std::string collectives =
        "select name, rank, begin_ns, end_ns, dense_rank() over (order by instance) from "
        "collective "
        "order by rank";
    const std::string before = Ask(spans) + Ask(messages) + Ask(collectives);
    Export();
    // Six spans, each an enter and a leave; two sides of a message; two calls of a collective.
    EXPECT_EQ(records_, 12u + 2u + 4u);
    EXPECT_EQ(remarks_,
              std::vector<std::string>({"1 mark left out", "2 values of counters left out"}));
    ImportArchive();
    EXPECT_EQ(file().format, "OTF2");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask(spans) + Ask(messages) + Ask(collectives), before);
    EXPECT_EQ(Ask("select rank, name from rank order by 1"), "0 node 0\n1 node 1\n");
}

// The trace has the date of its file, which the archive's own files do not have.
TEST_F(Otf2, AnArchiveSaysWhenTheRunBegan) {
    const std::string start =
        "select start_realtime_ns, (select min(begin_ns) from span) from capture";
    ImportText(kTrace);
    struct stat trace;
    ASSERT_EQ(stat((folder_ + "/trace").c_str(), &trace), 0);
    const int64_t written = trace.st_mtim.tv_sec * 1'000'000'000 + trace.st_mtim.tv_nsec;
    EXPECT_EQ(Ask(start), std::to_string(written) + " 5000\n");
    Export();
    ImportArchive();
    EXPECT_EQ(Ask(start), std::to_string(written) + " 5000\n");
}

TEST_F(Otf2, MessagesThatRunBackwardsStay) {
    ImportText(
        "4 0 100 0 1 7 8\n11 0 100 0 0 0\n11 0 150 0 0 50\n"
        "6 0 90 1 0 7 8\n11 0 90 1 0 0\n11 0 95 1 0 5\n");
    Export();
    ImportArchive();
    EXPECT_EQ(Ask("select send_begin_ns, recv_end_ns from message"), "100000 95000\n");
}

// Two regions of both ranks of the pair each, one on a rank alone; what lies in no region has none.
TEST_F(Otf2, MessagesOfOtherTransportsAndNonblockingCollectivesAreThere) {
    testing::RecordsOfAllKinds run;
    OpenCapture(run.Finish(6000));
    Export();
    // Seven spans; two sides of two messages; two requests and two completions.
    EXPECT_EQ(records_, 7u * 2 + 4u + 4u);
    EXPECT_EQ(remarks_, std::vector<std::string>(
                            {"1 send or receive has no partner: left out",
                             "3 sides of messages of the program's own transport are of MPI, on "
                             "a communicator of its name"}));
    ImportArchive();
    EXPECT_EQ(file().unknown, 0u);
    EXPECT_EQ(
        Ask("select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message "
            "order by 4"),
        "1 2 3 8 1500 1600\n0 2 9 64 1000 3000\n");
    EXPECT_EQ(Ask("select rank, root, bytes_in, bytes_out, begin_ns, end_ns, "
                  "count(*) over (partition by instance) from collective order by rank"),
              "1 1 0 16 5000 5100 2\n2 1 16 0 5000 5100 2\n");
}

// Rank 0 sends to rank 1 on both, with one tag; rank 1 takes them the other way round.
TEST_F(Otf2, ADuplicateOfTheWorldHasMessagesOfItsOwn) {
    class Duplicate : public read::testing::MpiRun {
    public:
        Duplicate() {
            using read::testing::MpiProcess;
            constexpr uint64_t kDuplicate = 99;
            for (int32_t rank = 0; rank < 2; ++rank) {
                auto& writer = Rank(rank).writer();
                writer.Define(schema::Thread(Rank(rank).Tick(0), 0, 0, 100));
                for (const uint64_t comm : {MpiProcess::kWorld, kDuplicate}) {
                    writer.Define(schema::MpiComm(Rank(rank).Tick(10), comm, 0,
                                                  writer.InternList({0, 1}), 0, 0, 2, rank));
                }
            }
            const auto send = [&](int64_t at, uint64_t comm, uint64_t bytes) {
                Rank(0).writer().Add(
                    0, schema::MpiPointToPoint(Rank(0).Head(at, 0, false, 100), 0, comm, bytes, 0,
                                               3, 1, 1, MpiFunction::MPI_Send));
            };
            const auto receive = [&](int64_t at, uint64_t comm, uint64_t bytes) {
                Rank(1).writer().Add(
                    0, schema::MpiReceive(Rank(1).Head(at, 0, false, 100), 0, comm, bytes, bytes, 0,
                                          3, 0, 0, 3, 0, MpiFunction::MPI_Recv));
            };
            send(1000, MpiProcess::kWorld, 8000);
            send(1200, kDuplicate, 40);
            receive(1400, kDuplicate, 40);
            receive(1600, MpiProcess::kWorld, 8000);
        }
    };
    Duplicate run;
    OpenCapture(run.Finish(6000));
    const std::string messages =
        "select bytes, recv_bytes, send_begin_ns, recv_end_ns from message order by 1";
    const std::string sent = "40 40 1200 1500\n8000 8000 1000 1700\n";
    ASSERT_EQ(Ask(messages), sent);
    Export();
    ImportArchive();
    EXPECT_EQ(Ask(messages), sent);
}

// Sends of 10 and 20 bytes with one tag, into buffers that are started in this order and completed the
// other way round; the second comes cut to 15, as other formats have it.
class Requests : public read::testing::MpiRun {
public:
    Requests() {
        using read::testing::MpiProcess;
        for (int32_t rank = 0; rank < 2; ++rank) {
            Rank(rank).writer().Define(schema::Thread(Rank(rank).Tick(0), 0, 0, 100));
            Rank(rank).writer().Define(schema::MpiComm(Rank(rank).Tick(0), MpiProcess::kWorld, 0,
                                                       Rank(rank).writer().InternList({0, 1}), 0, 0,
                                                       2, rank));
        }
        const auto start = [&](int32_t rank, int64_t at, uint64_t bytes, uint64_t request,
                               MpiFunction function) {
            Rank(rank).writer().Add(
                0,
                schema::MpiPointToPoint(Rank(rank).Head(at, 0, false, 100), 0, MpiProcess::kWorld,
                                        bytes, request, 5, 1 - rank, 1 - rank, function));
        };
        start(0, 1000, 10, 0, MpiFunction::MPI_Send);
        start(0, 1200, 20, 3, MpiFunction::MPI_Issend);
        Wait(0, 1400, 2800, {MpiProcess::Sent(3)});
        start(1, 1000, 64, 1, MpiFunction::MPI_Irecv);
        start(1, 1500, 64, 2, MpiFunction::MPI_Irecv);
        Wait(1, 2000, 2200, {MpiProcess::Got(2, 0, 5, 15)});
        Wait(1, 2400, 2600, {MpiProcess::Got(1, 0, 5, 10)});
    }
};

TEST_F(Otf2, RequestsKeepTheirOrderTheirLengthsAndTheirWaits) {
    Requests run;
    OpenCapture(run.Finish(6000));
    const std::string messages =
        "select bytes, recv_bytes, send_begin_ns, send_done_ns, recv_begin_ns, recv_end_ns from "
        "message order by 1";
    const std::string waits = "select kind, rank, name, wait_ns from wait_state order by all";
    const std::string spans =
        "select rank, name, begin_ns, end_ns, peer, tag from span order by all";
    const std::string sent = "10 10 1000 1100 1000 2600\n20 15 1200 2800 1500 2200\n";
    ASSERT_EQ(Ask(messages), sent);
    const std::string waited = Ask(waits);
    ASSERT_EQ(waited, "late receiver 0 MPI_Waitall 100\n");
    const std::string calls = Ask(spans);
    Export();
    EXPECT_EQ(remarks_, std::vector<std::string>{});
    ImportArchive();
    EXPECT_EQ(Ask(messages), sent);
    EXPECT_EQ(Ask(waits), waited);
    EXPECT_EQ(Ask(spans), calls);
}

TEST_F(Otf2, WhatIsARegionAloneIsTold) {
    read::testing::MpiRun run;
    auto& writer = run.Rank(0).writer();
    writer.Define(schema::Thread(run.Rank(0).Tick(0), 0, 0, 100));
    writer.Add(0, schema::MpiRma(run.Rank(0).Head(1000), 0, 7, 64, 0, 0, 0, 0,
                                 schema::MpiFunction::MPI_Put, schema::MpiOperation::none));
    writer.Add(0, schema::MpiIo(run.Rank(0).Head(1100), 0, 8, 32, 0, 0,
                                schema::MpiFunction::MPI_File_write));
    OpenCapture(run.Finish(6000));
    Export();
    EXPECT_EQ(remarks_, std::vector<std::string>(
                            {"1 one-sided operation is a region alone, without target and bytes",
                             "1 access to a file is a region alone, without file and bytes"}));
}

TEST_F(Otf2, EventsOfOtherLocationsAreReadWhereAFileIsMissing) {
    ImportText(kTrace);
    Export();
    std::filesystem::remove(archive_ + "/traces/0.evt");
    ImportArchive();
    EXPECT_EQ(file().problems.at(0).text,
              "the events of location 0 (node 0) are missing: no file 0.evt");
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span order by 2, 3 desc limit 1"),
              "recv_blocking 5000 50000\n");
    EXPECT_EQ(Ask("select count(*) from rank"), "2\n");
}

// Wherever the file of one location ends: those of the others are whole, and what it has left is in the whole
// one, too.
TEST_F(Otf2, ADamagedLocationHidesNoOther) {
    ImportText(kTrace);
    Export();
    ImportArchive();
    const std::string of_1 = "select name, begin_ns, end_ns from span where rank = 1 order by 2, 3";
    const std::string of_0 = "select name, begin_ns from span where rank = 0 order by 2";
    const std::string whole_1 = Ask(of_1);
    const std::string whole_0 = Ask(of_0);
    ASSERT_EQ(whole_0, "send 10000\nbarrier 80000\n");
    const std::string path = archive_ + "/traces/0.evt";
    const std::string bytes = Read(path);
    for (const size_t left : {size_t{3}, bytes.size() / 2, bytes.size() - 25, bytes.size() - 3}) {
        SCOPED_TRACE(left);
        std::filesystem::remove_all(capture_);
        std::ofstream(path, std::ios::binary) << bytes.substr(0, left);
        ImportArchive();
        EXPECT_EQ(Ask(of_1), whole_1);
        EXPECT_TRUE(whole_0.starts_with(Ask(of_0))) << Ask(of_0);
        EXPECT_TRUE(file().problems.at(0).text.starts_with(
            "the events of location 0 (node 0) are cut or damaged behind the first "));
        if (left == 3) {
            EXPECT_TRUE(file().problems[0].text.ends_with(" 0 of 7: the others of it are missing"));
        }
    }
}

TEST_F(Otf2, DefinitionsOfALocationThatAreLostAreTold) {
    ImportText(kTrace);
    Export();
    ImportArchive();
    EXPECT_EQ(file().problem_count, 0u);
    const std::string path = archive_ + "/traces/0.def";
    const std::string bytes = Read(path);
    const auto said = [&] {
        std::filesystem::remove_all(capture_);
        ImportArchive();
        return file().problem_count == 0 ? "" : file().problems[0].text;
    };
    for (const size_t left : {size_t{0}, size_t{3}, bytes.size() - 2}) {
        std::ofstream(path, std::ios::binary) << bytes.substr(0, left);
        EXPECT_EQ(said(),
                  "the definitions of location 0 (node 0) are damaged: its events may have wrong "
                  "names and times");
    }
    std::filesystem::remove(path);
    EXPECT_EQ(said(),
              "the definitions of location 0 (node 0) are missing: no file 0.def: its events may "
              "have wrong names and times");
    std::filesystem::remove(archive_ + "/traces/1.def");
    EXPECT_EQ(said(), "");
}

TEST_F(Otf2, TheWorldKeepsItsName) {
    using read::testing::MpiProcess;
    read::testing::MpiRun run;
    for (const int32_t rank : {0, 1}) {
        auto& writer = run.Rank(rank).writer();
        writer.Define(schema::Thread(run.Rank(rank).Tick(0), 0, 0, 100));
        writer.Define(schema::MpiComm(run.Rank(rank).Tick(0), MpiProcess::kWorld, 0,
                                      writer.InternList({0, 1}), 0, writer.Intern("W"), 2, rank));
    }
    run.Send(0, 1000, 1100, 1, 7);
    run.Receive(1, 1000, 1200, 0, 7);
    OpenCapture(run.Finish(6000));
    Export();
    ImportArchive();
    EXPECT_EQ(Ask("select comm_name, bytes from message"), "W 8\n");
}

#ifdef COMSHU_OTF2_PRINT
TEST_F(Otf2, OtherReadersFindThemToo) {
    testing::RecordsOfAllKinds run;
    OpenCapture(run.Finish(6000));
    Export();
    const std::string out = folder_ + "/printed";
    ASSERT_EQ(
        std::system((COMSHU_OTF2_PRINT " " + archive_ + "/traces.otf2 > " + out + " 2>&1").c_str()),
        0);
    // It warns of numbers with holes.
    EXPECT_EQ(Read(out).find("warning"), std::string::npos) << Read(out);
    std::string events;
    std::istringstream lines(Read(out));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("MPI_") || line.starts_with("NON_BLOCKING"))
            events += std::regex_replace(line, std::regex(" +"), " ") + "\n";
    }
    // Which of the requests is whose is not said.
    events = std::regex_replace(events, std::regex("Request: \\d+"), "Request");
    EXPECT_EQ(
        events,
        R"(MPI_SEND 0 1000 Receiver: 2 ("" <2>), Communicator: "zeromq" <2>, Tag: 9, Length: 64
MPI_SEND 1 1500 Receiver: 1 ("" <2>), Communicator: "pair" <1>, Tag: 3, Length: 8
MPI_RECV 2 1600 Sender: 0 ("" <1>), Communicator: "pair" <1>, Tag: 3, Length: 8
MPI_RECV 2 3000 Sender: 0 ("" <0>), Communicator: "zeromq" <2>, Tag: 9, Length: 64
NON_BLOCKING_COLLECTIVE_REQUEST 1 4010 Request
NON_BLOCKING_COLLECTIVE_REQUEST 2 4010 Request
NON_BLOCKING_COLLECTIVE_COMPLETE 1 5100 Operation: BCAST, Communicator: "pair" <1>, Root: 1 ("" <2>), Sent: 0, Received: 16, Request
NON_BLOCKING_COLLECTIVE_COMPLETE 2 5100 Operation: BCAST, Communicator: "pair" <1>, Root: 1 ("" <2>), Sent: 16, Received: 0, Request
)");
}
#endif

TEST_F(Otf2, AFolderThatCannotBeMadeIsRefusedWithTheReason) {
    ImportText(kTrace);
    ExportResult result;
    std::string error;
    const std::string file = Write("file", "");
    EXPECT_FALSE(ExportOtf2(database_.get(), file + "/archive", &result, &error));
    EXPECT_NE(error.find("cannot be made: Not a directory"), std::string::npos) << error;
}

TEST_F(Otf2, WhatIsNoArchiveIsRefused) {
    ImportText(kTrace);
    Export();
    std::ofstream(archive_ + "/traces.def", std::ios::binary) << "damaged";
    std::string error;
    EXPECT_FALSE(Import({archive_ + "/traces.otf2"}, folder_ + "/none", {}, &result_, &error));
    EXPECT_NE(error.find("traces.otf2"), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/none"));
}

}  // namespace
}  // namespace comshu::format
