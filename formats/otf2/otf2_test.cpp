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
    EXPECT_EQ(remarks_, std::vector<std::string>({"1 send or receive has no partner: left out"}));
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
    events = std::regex_replace(events, std::regex("Request: [12]"), "Request");
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
