#include <filesystem>
#include <regex>

#include "comshu/format/export.h"
#include "stream_writer.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

class Paraver : public testing::ImportTest {
protected:
    std::string Export() {
        const std::string path = folder_ + "/exported.prv";
        ExportResult result;
        std::string error;
        EXPECT_TRUE(ExportParaver(database_.get(), path, &result, &error)) << error;
        remarks_ = result.remarks;
        return Read(path);
    }
    std::vector<std::string> remarks_;
};

TEST_F(Paraver, StatesCallsAndMessages) {
    ImportText(
        "#Paraver (10/04/2001 at 18:21):2000_us:1(2):1:2(1:1,2:1),1\nc:1:1:2:1:2\n"
        "1:1:1:1:1:0:10:1\n1:1:1:1:1:10:20:4\n2:1:1:1:1:10:50000001:1\n"
        "3:1:1:1:1:12:12:2:1:2:2:30:31:64:7\n2:1:1:1:1:20:50000001:0:42:5\n"
        "2:2:1:2:2:25:50000002:8\n2:2:1:2:2:35:50000002:0\n");
    EXPECT_EQ(file().format, "Paraver");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(
        Ask("select rank, thread, name, begin_ns, end_ns from span where name <> 'send' and name "
            "<> 'recv' order by begin_ns, name"),
        "0 0 Blocking send 10000 20000\n0 0 MPI_Send 10000 20000\n1 1 MPI_Barrier 25000 35000\n");
    EXPECT_EQ(
        Ask("select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message"),
        "0 1 7 64 12000 31000\n");
    EXPECT_EQ(Ask("select name, value from counter"), "type 42 5\n");
    EXPECT_EQ(Ask("select name, rank from collective"), "MPI_Barrier 1\n");
}

TEST_F(Paraver, BadLinesAreTold) {
    ImportText(
        "#Paraver (10/04/2001 at 18:21):2000_ns:1(2):1:2(1:1,1:1)\n1:1:1:1:1:0:x:1\n"
        "1:1:1:1:1:0\n9:1:1\n1:1:1:0:1:0:9:3\n2:1:1:1:1:20:50000001:0\n1:1:1:1:1:0:9:3\n");
    EXPECT_EQ(file().illegal, 3u);
    EXPECT_EQ(file().unknown, 1u);
    EXPECT_EQ(ProblemPlace("f", file().problems.at(0)), "f:2:13");
    EXPECT_EQ(file().problems[1].text, "6 fields are there, 8 are needed");
    EXPECT_EQ(file().problems[2].text, "there is no thread 1.0.1");
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span"), "Waiting a message 0 9\n");
}

TEST_F(Paraver, WhatNeverEndsIsToldWithThePlaceOfTheFirst) {
    ImportText(
        "#Paraver (10/04/2001 at 18:21):2000_ns:1(2):1:2(1:1,1:1)\n2:1:1:1:1:20:50000001:1\n"
        "2:1:1:1:1:25:50000001:0\n2:2:1:2:1:30:50000001:2\n2:1:1:1:1:40:50000002:8\n");
    ASSERT_EQ(file().problem_count, 1u);
    EXPECT_EQ(file().problems[0].text, "2 calls begin and never end: kept open");
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:4");
}

TEST_F(Paraver, ExportIsInOrderOfTimeAndComesBack) {
    ImportText(
        "4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n7 0 5 1 7\n8 0 50 1 0 7 8\n"
        "20 0 60 1 3 0 0\n21 0 70 1 3 0 0\n20 0 80 0 -1 0 0\n21 0 90 0 -1 0 0\n");
    const std::string text = Export();
    EXPECT_EQ(remarks_, std::vector<std::string>(
                            {"3 calls have the names of MPI for them: MPI_Send, MPI_Recv, "
                             "MPI_Barrier",
                             "2 values of counters left out"}));
    EXPECT_TRUE(std::regex_match(
        text.substr(0, text.find("1:0:")),
        std::regex("#Paraver \\(../../.... at ..:..\\):90000_ns:1\\(2\\):1:2\\(1:1,1:1\\),1\n"
                   "c:1:1:2:1:2\n")));
    // Each record begins no earlier than the one before.
    std::istringstream lines(text);
    int64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#') || line.starts_with('c')) continue;
        std::vector<int64_t> fields;
        std::istringstream words(line);
        for (std::string word; std::getline(words, word, ':');) fields.push_back(std::stoll(word));
        ASSERT_GE(fields.size(), 8u);
        EXPECT_GE(fields[5], last);
        last = fields[5];
        for (size_t i = 2; i < 5; ++i) EXPECT_GE(fields[i], 1);
    }
    EXPECT_NE(text.find("3:0:1:1:1:10000:15000:0:1:2:1:5000:50000:8:7\n"), text.npos);
    EXPECT_NE(text.find("2:0:1:2:1:5000:50000001:2\n"), text.npos);
    EXPECT_NE(text.find("2:0:1:1:1:80000:50000002:8\n"), text.npos);
    EXPECT_NE(text.find("1:0:1:1:1:10000:15000:4\n"), text.npos);
    EXPECT_NE(text.find("2:0:1:2:1:60000:60000019:1\n"), text.npos);
    EXPECT_NE(Read(folder_ + "/exported.pcf").find("1    block 3\n"), std::string::npos);
    EXPECT_NE(Read(folder_ + "/exported.row").find("LEVEL THREAD SIZE 2\n"), std::string::npos);
    ImportText(text, "again");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(
        Ask("select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message"),
        "0 1 7 8 10000 50000\n");
    EXPECT_EQ(
        Ask("select rank, name, begin_ns, end_ns from span where name like 'MPI%' order by 3"),
        "1 MPI_Recv 5000 50000\n0 MPI_Send 10000 15000\n0 MPI_Barrier 80000 90000\n");
}

// Ranks 0 and 2 on one host, 1 on another, 3 on one with the name of the first; a thread of rank 1 has no name,
// and one is between them that recorded nothing.
TEST_F(Paraver, HostsThreadsAndTheDateOfTheRunAreWritten) {
    const std::string folder = folder_ + "/ranks.capture";
    std::filesystem::create_directories(folder + "/run");
    for (const int32_t rank : {0, 1, 2, 3}) {
        read::testing::ProcessOptions options;
        options.pid += static_cast<uint32_t>(rank);
        options.host = rank == 1 ? "alpha" : "beta";
        if (rank == 3) options.boot_id = "another";
        read::testing::StreamWriter writer(
            folder + "/run/" + options.host + "." + std::to_string(options.pid) + ".0.cst",
            options);
        writer.Define(schema::MpiRank(writer.Ticks(0), read::testing::kWorld, writer.Intern("job"),
                                      0, rank, 4, 0, 0, 0));
        writer.Define(schema::Thread(writer.Ticks(0), writer.Intern("main\nthread"), 0, 100));
        if (rank == 1) writer.Define(schema::Thread(writer.Ticks(0), 0, 2, 101));
        writer.End(writer.Ticks(100), schema::EndReason::finished);
    }
    OpenCapture(folder);
    const std::string text = Export();
    // 1,700,000,000 seconds after 1970.
    EXPECT_EQ(text.substr(0, text.find(",0\n")),
              "#Paraver (14/11/2023 at 22:13):100_ns:3(2,1,1):1:4(1:1,3:2,1:1,1:3)");
    EXPECT_EQ(Read(folder_ + "/exported.row"),
              "LEVEL NODE SIZE 3\nbeta\nalpha\nbeta\n\n"
              "LEVEL TASK SIZE 4\nrank 0\nrank 1\nrank 2\nrank 3\n\n"
              "LEVEL THREAD SIZE 6\nmain thread of rank 0\nmain thread of rank 1\n"
              "thread 1 of rank 1\nthread 2 of rank 1\nmain thread of rank 2\n"
              "main thread of rank 3\n");
    EXPECT_EQ(remarks_,
              std::vector<std::string>({"1 name of a program or process left out",
                                        "4 names changed: a name is one line of at most 64 KiB, "
                                        "without blanks at its ends"}));
}

TEST_F(Paraver, WhatIsLeftOutIsTold) {
    ImportText("20 0 10 0 3 0 0\n15 0 20 0 1\n11 0 21 0 0 5\n21 0 30 0 3 0 0\n");
    Export();
    EXPECT_EQ(remarks_,
              std::vector<std::string>({"1 mark left out", "1 value of a counter left out"}));
}

TEST_F(Paraver, RegionsAndNamesComeBackWithTheNamesBeside) {
    ImportText(
        "20 0 10 0 3 0 0\n20 0 20 0 4 0 0\n21 0 30 0 4 0 0\n20 0 40 0 3 0 0\n21 0 40 0 3 0 0\n"
        "21 0 50 0 3 0 0\n20 0 60 0 -2 0 0\n21 0 70 0 -2 0 0\n");
    const std::string regions =
        "select name, begin_ns, end_ns from span where name like 'block%' "
        "order by 2, 3 desc";
    const std::string before = Ask(regions);
    const std::string text = Export();
    std::filesystem::rename(folder_ + "/exported.pcf", folder_ + "/again.pcf");
    ImportText(text, "again");
    EXPECT_EQ(Ask(regions), before);
    EXPECT_EQ(Ask("select count(*) from counter"), "0\n");
    EXPECT_EQ(file().remarks, std::vector<std::string>{});
    ImportText(text, "without");
    EXPECT_EQ(Ask(regions), "");
    EXPECT_EQ(Ask("select distinct name from counter"), "type 60000019\n");
    EXPECT_EQ(file().remarks,
              std::vector<std::string>{"6 events of types that no .pcf beside it names: counters"});
}

// As Extrae writes them, all in one line.
TEST_F(Paraver, CollectivesHaveBytesRootAndCommunicator) {
    ImportText(
        "#Paraver (10/04/2001 at 18:21):2000_ns:1(2):1:2(1:1,1:1),2\nc:1:1:2:1:2\nc:1:2:2:1:2\n"
        "2:1:1:1:1:10:50000002:7:50100001:16:50100002:0:50100004:1:50100003:1\n"
        "2:1:1:1:1:20:50000002:0\n2:2:1:2:1:15:50100002:16:50100001:0:50100004:2:50000002:7\n"
        "2:2:1:2:1:25:50000002:0\n");
    EXPECT_EQ(Ask("select rank, bytes_in, bytes_out, comm = (select min(comm) from mpi_comm) from "
                  "collective order by rank"),
              "0 16 0 true\n1 0 16 false\n");
}

// A message stands at the time of its sender: the receive has begun, in its call or in one that has ended, or
// will begin. Logical times are those where calls begin, physical ones where they end.
TEST_F(Paraver, SidesOfMessagesAreThoseOfTheirCalls) {
    const std::string header = "#Paraver (10/04/2001 at 18:21):50_us:1(2):1:2(1:1,1:1)\n";
    const std::string send =
        "2:1:1:1:1:10:50000001:1\n3:1:1:1:1:10:11:2:1:2:1:5:15:64:7\n2:1:1:1:1:11:50000001:0\n";
    const std::string ends = "2:2:1:2:1:15:50000001:0\n";
    const std::string messages =
        "select send_begin_ns, send_end_ns, recv_begin_ns, recv_end_ns from message";
    const std::string waits = "select kind, rank, name, wait_ns from wait_state";
    ImportText(header + "2:2:1:2:1:5:50000001:2\n" + send + ends, "blocking");
    EXPECT_EQ(Ask(messages), "10000 11000 5000 15000\n");
    EXPECT_EQ(Ask(waits), "late sender 1 MPI_Recv 5000\n");
    EXPECT_EQ(Ask("select rank, name from span order by all"), "0 MPI_Send\n1 MPI_Recv\n");
    ImportText(header + "2:2:1:2:1:5:50000001:4\n2:2:1:2:1:6:50000001:0\n2:2:1:2:1:8:50000001:5\n" +
                   send + ends,
               "started");
    EXPECT_EQ(Ask(messages), "10000 11000 5000 15000\n");
    EXPECT_EQ(Ask(waits), "late sender 1 MPI_Wait 2000\n");
    ImportText(header + send, "alone");
    EXPECT_EQ(Ask(messages), "10000 11000 5000 15000\n");
    EXPECT_EQ(Ask(waits), "late sender 1 recv 5000\n");
    ImportText(header +
                   "2:1:1:1:1:10:50000001:1\n3:1:1:1:1:10:25:2:1:2:1:20:25:64:7\n"
                   "2:2:1:2:1:20:50000001:2\n2:1:1:1:1:25:50000001:0\n2:2:1:2:1:25:50000001:0\n",
               "late");
    EXPECT_EQ(Ask(messages), "10000 25000 20000 25000\n");
    EXPECT_EQ(Ask(waits), "late receiver 0 MPI_Send 10000\n");
    EXPECT_EQ(Ask("select rank, name from span order by all"), "0 MPI_Send\n1 MPI_Recv\n");
}

// The record says which send a receive got, whatever their order.
TEST_F(Paraver, MessagesThatCrossStayPairs) {
    const auto message = [](int sent, int received, int bytes) {
        return "3:1:1:1:1:" + std::to_string(sent) + ":" + std::to_string(sent + 1) +
               ":2:1:2:1:" + std::to_string(received) + ":" + std::to_string(received + 1) + ":" +
               std::to_string(bytes) + ":7\n";
    };
    ImportText("#Paraver (10/04/2001 at 18:21):1000_us:1(2):1:2(1:1,1:1)\n" + message(10, 90, 1) +
               message(20, 40, 2) + message(30, 60, 3) + message(50, 100, 4) + message(55, 95, 5) +
               message(58, 30, 6));
    const std::string pairs =
        "10000 90000 1 1\n20000 40000 2 2\n30000 60000 3 3\n50000 100000 4 4\n"
        "55000 95000 5 5\n58000 30000 6 6\n";
    const std::string ask =
        "select send_begin_ns, recv_begin_ns, bytes, recv_bytes from message order by 1";
    EXPECT_EQ(Ask(ask), pairs);
    EXPECT_EQ(file().remarks,
              std::vector<std::string>({"4 messages are received before ones that were sent "
                                        "earlier: as over other communicators"}));
    ImportText(Export(), "again");
    EXPECT_EQ(Ask(ask), pairs);
    // The communicators are made for their order: none was in the trace.
    EXPECT_EQ(std::count_if(remarks_.begin(), remarks_.end(),
                            [](const std::string& remark) {
                                return remark.find("another communicator") != remark.npos;
                            }),
              0);
}

// A state of the trace draws what an event says: of our own, with its names beside it, calls come once.
TEST_F(Paraver, CallsOfAnExportComeOnce) {
    ImportText("4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n7 0 5 1 7\n8 0 50 1 0 7 8\n");
    const std::string states = std::regex_replace(Export(), std::regex("(^|\n)[^1][^\n]*"), "");
    ASSERT_NE(states.find(":10000:15000:4"), states.npos) << states;
    ASSERT_TRUE(Import({folder_ + "/exported.prv"}, folder_ + "/own", {}, &result_, &error_))
        << error_;
    OpenCapture(folder_ + "/own");
    EXPECT_EQ(Ask("select layer, name, begin_ns, end_ns from span order by all"),
              "mpi MPI_Recv 5000 50000\nmpi MPI_Send 10000 15000\n");
}

TEST_F(Paraver, RegionsThatOverlapAreTold) {
    ImportText("20 0 0 0 1 0 0\n20 0 5 0 2 0 0\n21 0 10 0 1 0 0\n21 0 15 0 2 0 0\n");
    Export();
    EXPECT_EQ(remarks_, std::vector<std::string>(
                            {"1 region overlaps another without nesting: their ends are swapped"}));
}

TEST_F(Paraver, CallsWithoutLengthBeginBeforeTheyEnd) {
    ImportText(
        "4 0 10 0 1 7 8\n4 0 10 0 1 7 8\n20 0 10 0 3 0 0\n21 0 10 0 3 0 0\n6 0 30 1 0 7 8\n"
        "6 0 30 1 0 7 8\n");
    ImportText(Export(), "again");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask("select count(*) from span where name = 'MPI_Send'"), "2\n");
    EXPECT_EQ(Ask("select count(*) from message"), "2\n");
}

}  // namespace
}  // namespace comshu::format
