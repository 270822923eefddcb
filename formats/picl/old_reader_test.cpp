#include <sys/stat.h>

#include <cstring>

#include "testing_import.h"

namespace comshu::format {
namespace {

using testing::ImportTest;
using OldPicl = ImportTest;

constexpr const char* kSpansByRank =
    "select rank, name, category, begin_ns, end_ns, peer, tag, bytes from span "
    "order by rank, begin_ns, span_id";

TEST_F(OldPicl, CallsLastUntilTheSecondStatistics) {
    ImportText(
        "1 0 0 0 1 1 1\n"
        "4 0 457 0 1 7 8\n"
        "11 0 457 0 0 0\n"
        "11 0 858 0 0 401\n"
        "6 0 900 1 0 7 8\n"
        "11 0 900 1 0 0\n"
        "11 0 950 1 0 50\n");
    EXPECT_EQ(Ask(kSpansByRank),
              "0 send p2p 457000 858000 1 7 8\n"
              "1 recv p2p 900000 950000 0 7 8\n");
    EXPECT_EQ(Ask(kMessages), "0 1 7 8 457000 858000 900000 950000\n");
    EXPECT_EQ(Ask("select time_ns, name, value from counter where rank = 0 order by 1"),
              "457000 idle 0\n858000 idle 0.000401\n");
    EXPECT_EQ(file().problem_count, 0u);
}

// As MPI_Sendrecv is written: the wait of its receive begins between the two statistics of its send.
TEST_F(OldPicl, ASendLastsWhileAReceiveWaits) {
    ImportText(
        "4 0 100 0 1 3 8\n"
        "11 0 100 0 0 0\n"
        "7 0 100 0 9\n"
        "11 0 200 0 0 100\n"
        "8 0 200 0 1 9 8\n"
        // Without statistics of its beginning a send has no length.
        "4 0 300 0 1 3 8\n"
        "7 0 400 0 9\n"
        "11 0 400 0 0 0\n"
        "8 0 500 0 1 9 8\n");
    EXPECT_EQ(Ask(kSpansByRank),
              "0 send p2p 100000 200000 1 3 8\n"
              "0 recv_blocking wait 100000 200000 1 9 8\n"
              "0 send p2p 300000 300000 1 3 8\n"
              "0 recv_blocking wait 400000 500000 1 9 8\n");
    EXPECT_EQ(Ask("select count(*) from span where parent_id <> 0"), "0\n");
    EXPECT_EQ(file().problem_count, 0u);
    ASSERT_EQ(file().remarks.size(), 1u);
    EXPECT_EQ(file().remarks[0], "1 of 2 calls without a record of the end: no length");
}

TEST_F(OldPicl, VerboseAndCompactSayTheSame) {
    ImportText(
        "send  clock 0 457 node 0 to 1 type 7 lth 8\n"
        "compstats  clock 0 457 node 0 busy 0 457 idle 0 0\n"
        "11 0 858 0 0 401\n"
        "recv_blocking clock 0 100 node 1 type -1\n"
        "8 0 900 1 0 7 8\n");
    EXPECT_EQ(Ask(kSpansByRank),
              "0 send p2p 457000 858000 1 7 8\n"
              "1 recv_blocking wait 100000 900000 0 7 8\n");
    EXPECT_EQ(Ask("select form, count(*) from picl_record group by 1 order by 1"), "0 2\n1 3\n");
    EXPECT_EQ(file().problem_count, 0u);
}

TEST_F(OldPicl, OnlyIdleTimeInVerboseStatistics) {
    ImportText("compstats  clock 0 457 node 0 idle 3 500000\n");
    EXPECT_EQ(Ask("select name, value from counter"), "idle 3.5\n");
}

TEST_F(OldPicl, EveryRecordIsRead) {
    ImportText(
        "trace_start  clock 0 1 node 0 event 1 compstats 2 commstats 3\n"
        "open  clock 0 2 node 0\n"
        "load  clock 0 3 node -1\n"
        "probe  clock 0 4 node 0 type 9\n"
        "message  clock 0 5 node 0\n"
        "sync  clock 0 6 node 0\n"
        "commstats  clock 0 7 node 0 received 1 volume 2 sent 3 volume 4 probed 5\n"
        "trace_level  clock 0 8 node 0 event 1 compstats 1 commstats 1\n"
        "trace_mark  clock 0 9 node 0 type 42\n"
        "trace_message  clock 0 10 node 0 phase two begins\n"
        "trace_flush  clock 0 11 node 0 finished 0 15\n"
        "block_begin  clock 0 16 node 0 block_type 3 location_type 0 parameter_type 0\n"
        "block_end  clock 0 20 node 0 block_type 3 location_type 0 parameter_type 0\n"
        "trace_mark_array  clock 0 21 node 0 size 2 array 5 6\n"
        "trace_marks  clock 0 22 node 0 size -1\n"
        "clock_sync  clock 0 23 node 0\n"
        "trace_files  clock 0 24 node 0 finished 0 26\n"
        "trace_stop  clock 0 27 node 0 : ran out of memory\n"
        "close  clock 0 28 node 0\n"
        "trace_exit  clock 0 29 node 0 space 4096\n");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(file().records, 20u);
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span order by begin_ns"),
              "sync 6000 6000\ntrace_flush 11000 15000\nblock 3 16000 20000\n"
              "trace_files 24000 26000\n");
    EXPECT_EQ(Ask("select name, value from mark order by time_ns, value"),
              "trace_start 1\nopen 0\nload 0\nprobe 9\nmessage 0\ntrace_level 1\n"
              "trace_mark 42\ntrace_message 0\ntrace_mark_array 5\ntrace_mark_array 6\n"
              "trace_mark_array failed -1\nclock_sync 0\ntrace_stop 0\nclose 0\n"
              "trace_exit 0\n");
    EXPECT_EQ(Ask("select name, value from counter order by name"),
              "probed 5\nreceived 1\nreceived bytes 2\nsent 3\nsent bytes 4\n"
              "trace bytes 4096\n");
}

TEST_F(OldPicl, BackwardMessageStays) {
    ImportText(
        "4 0 100 0 1 7 8\n11 0 100 0 0 0\n11 0 150 0 0 50\n"
        "6 0 90 1 0 7 8\n11 0 90 1 0 0\n11 0 95 1 0 5\n");
    EXPECT_EQ(Ask(kMessages), "0 1 7 8 100000 150000 90000 95000\n");
}

TEST_F(OldPicl, NegativeTimesBeginTheCapture) {
    ImportText("15 0 -2 0 1\n15 0 3 0 2\n");
    EXPECT_EQ(Ask("select time_ns, value from mark order by 1"), "0 1\n5000 2\n");
}

TEST_F(OldPicl, StatesThatNeverEndStayOpen) {
    ImportText("20 0 5 0 1 0 0\n7 0 9 0 4\n");
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span order by 2"),
              "block 1 5000 -\nrecv_blocking 9000 -\n");
    EXPECT_EQ(Ask("select side, why from unmatched"), "receive open\n");
    ASSERT_EQ(file().problems.size(), 1u);
    EXPECT_EQ(file().problems[0].text, "2 states begin and never end: kept open");
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:1:1");
}

TEST_F(OldPicl, BlankLinesCommentsCarriageReturnsAndGzip) {
    ImportText("\r\n   4 0 1 0 1 7 8 a comment\r\n\r\n\t6 0 5 1 0 7 8\r\n");
    EXPECT_EQ(Ask("select count(*) from message"), "1\n");
    ASSERT_EQ(file().remarks.size(), 2u);
    EXPECT_EQ(file().remarks[0], "1 comment behind a record left out");
}

TEST_F(OldPicl, UnknownRecordsAreKeptAndCounted) {
    ImportText("25 0 1 0 1 2 3\nnew_thing clock 0 2 node 0 a 1\n15 0 3 0 1\n");
    EXPECT_EQ(file().unknown, 2u);
    EXPECT_EQ(Ask("select record, text from picl_record order by line"),
              "25 25 0 1 0 1 2 3\n-1 new_thing clock 0 2 node 0 a 1\n15 -\n");
}

TEST_F(OldPicl, RawDataOfABadTraceIsLeftOut) {
    ImportText(
        "15 0 1 0 1\n99 is not a legal record type: raw trace data (3) follows\n17\n3\n"
        "15 0 2 0 2\n");
    EXPECT_EQ(file().illegal, 3u);
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:2:1");
    EXPECT_EQ(file().problems[0].text, "a damaged trace buffer: 1 line of raw data left out");
    EXPECT_EQ(ProblemPlace("f", file().problems[1]), "f:4:2");
    EXPECT_EQ(Ask("select count(*) from mark"), "2\n");
}

// As PICL prints it: rows of nine numbers, of which some print ten, and the rest in a shorter one.
TEST_F(OldPicl, RawDataThatLookLikeRecordsAreNone) {
    const std::string head =
        "15 0 1 0 1\n99 is not a legal record type: raw trace data for node 0 follows\n"
        "(error identified at location k=12)\n";
    const std::string row = "4 99 7 0 3 3 3 1 9223372036854775807\n";
    for (const char* rest : {"4 99 7 0 3 3 3\n", "4 99 7 0 3 3 3 \n", "\n"}) {
        ImportText(head + row + "15 98 7 0 3 3 3 1 2 3\n" + rest + "15 0 2 0 2\n",
                   "raw" + std::to_string(std::strlen(rest)));
        EXPECT_EQ(Ask("select time_ns, name from mark"), "1000 trace_mark\n2000 trace_mark\n");
        EXPECT_EQ(Ask("select count(*) from span"), "0\n");
        const uint64_t rows = *rest == '\n' ? 3 : 4;
        EXPECT_EQ(file().illegal, 1 + rows);
        ASSERT_EQ(file().problems.size(), 1u);
        EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:2:1");
        EXPECT_EQ(file().problems[0].text, "a damaged trace buffer: " + std::to_string(rows) +
                                               " lines of raw data left out");
    }
    // It ends with a record in words, and with the file.
    ImportText(head + row + "trace_mark  clock 0 2 node 0 type 2\n", "words");
    EXPECT_EQ(Ask("select count(*) from mark"), "2\n");
    ImportText(head + row, "end");
    EXPECT_EQ(file().problem_count, 1u);
}

TEST_F(OldPicl, WhatDoesNotBeginOrEndIsToldWithItsPlace) {
    ImportText("15 0 1 0 1\n  21 0 2 0 9 0 0\n8 0 3 0 1 7 8\n 20 0 4 0 1 0 0\n");
    ASSERT_EQ(file().problems.size(), 3u);
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:2:12");
    EXPECT_EQ(file().problems[0].text, "block_end of type 9 that has not begun");
    EXPECT_EQ(ProblemPlace("f", file().problems[1]), "f:3:1");
    EXPECT_EQ(ProblemPlace("f", file().problems[2]), "f:4:2");
    EXPECT_EQ(file().problems[2].text, "1 state begins and never ends: kept open");
}

// Times that are dates, or begin before 0: the capture begins with the first record, when the file is of.
TEST_F(OldPicl, TheCaptureBeginsWhenTheFileSays) {
    for (const auto& [text, zero] :
         {std::pair("15 900000 5 0 1\n21 900001 0 0 9 0 0\n", "900000000005000"),
          std::pair("15 -5 -5 0 1\n21 900001 0 0 9 0 0\n", "-5000005000"),
          std::pair("15 3 5 0 1\n21 900001 0 0 9 0 0\n", "0")}) {
        const std::string name = std::string("at") + zero;
        ImportText(text, name);
        EXPECT_EQ(Ask("select zero_ns from import_source"), zero + std::string("\n"));
        EXPECT_EQ(Ask("select min(time_ns), count(*) from note"), "0 1\n");
        struct stat file;
        ASSERT_EQ(stat((folder_ + "/" + name).c_str(), &file), 0);
        EXPECT_EQ(
            Ask("select start_realtime_ns from capture"),
            std::to_string(file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec) + "\n");
    }
}

// What the C reader of Upshot gets wrong; one test each.
using Upshot = ImportTest;

TEST_F(Upshot, D01VerboseNames) {
    ImportText(
        "trace_start clock 0 0 node 0 event 1 compstats 1 commstats 1\n"
        "send clock 0 1 node 0 to 1 type 2 lth 3\n");
    EXPECT_EQ(Ask("select record from picl_record order by line"), "1\n4\n");
}

TEST_F(Upshot, D02AnIllegalRecordEndsNothing) {
    std::string text;
    for (int i = 1; i <= 1000; ++i)
        text += i == 5 ? "0 0 5 0\n" : "15 0 " + std::to_string(i) + " 0 1\n";
    ImportText(text);
    EXPECT_EQ(Ask("select count(*) from mark"), "999\n");
    EXPECT_EQ(file().illegal, 1u);
    EXPECT_EQ(ProblemPlace("f", file().problems.at(0)), "f:5:1");
    EXPECT_EQ(file().problems[0].text, "0 is not the number of a record");
}

TEST_F(Upshot, D03LastLineWithoutLineFeed) {
    ImportText("15 0 1 0 1\n15 0 2 0 2");
    EXPECT_EQ(Ask("select count(*) from mark"), "2\n");
}

TEST_F(Upshot, D04LongWords) {
    ImportText("15 0 1 0 1\n" + std::string(100'000, 'x') + " clock 0 1 node 0\n15 0 2 0 " +
               std::string(5000, '9') + "\n" + std::string(3 << 20, '7') + "\n15 0 3 0 1\n");
    EXPECT_EQ(Ask("select count(*) from mark where name = 'trace_mark'"), "2\n");
    EXPECT_EQ(file().illegal, 2u);
    EXPECT_EQ(file().unknown, 1u);
}

TEST_F(Upshot, D05NumbersOutOfBounds) {
    ImportText("20 0 1 0 -5 0 0\n15 0 1 -2 1\n15 0 1 0 1\n4 0 1 0 -7 1 1\n");
    EXPECT_EQ(file().illegal, 3u);
    EXPECT_EQ(file().problems[0].text, "there is no block type -5");
    EXPECT_EQ(file().problems[0].column, 10u);
    EXPECT_EQ(file().problems[1].text, "there is no node -2");
    EXPECT_EQ(file().problems[1].column, 8u);
    EXPECT_EQ(Ask("select count(*) from mark"), "1\n");
}

TEST_F(Upshot, D06TheHostShiftsNodesAndPeers) {
    ImportText("4 0 1 -32768 0 7 8\n6 0 2 0 -32768 7 8\n4 0 3 0 1 9 1\n6 0 4 1 0 9 1\n");
    EXPECT_EQ(Ask("select send_rank, recv_rank, tag from message order by 1"), "0 1 7\n1 2 9\n");
    EXPECT_EQ(Ask("select rank, name from rank order by 1"), "0 host\n1 node 0\n2 node 1\n");
}

TEST_F(Upshot, D07OneTagToTwoReceivers) {
    ImportText("4 0 1 0 1 7 10\n4 0 2 0 2 7 20\n6 0 3 2 0 7 20\n6 0 4 1 0 7 10\n");
    EXPECT_EQ(Ask("select recv_rank, bytes, recv_bytes from message order by 1"),
              "1 10 10\n2 20 20\n");
}

TEST_F(Upshot, D08WithoutStatistics) {
    ImportText("4 0 1 0 1 7 8\n15 0 5 0 1\n6 0 3 1 0 7 8\n");
    EXPECT_EQ(Ask(kMessages), "0 1 7 8 1000 1000 3000 3000\n");
}

TEST_F(Upshot, D09ProbeIsAnInstant) {
    ImportText("5 0 1 0 3\n");
    EXPECT_EQ(Ask("select name, value from mark"), "probe 3\n");
    EXPECT_EQ(Ask("select count(*) from span"), "0\n");
}

TEST_F(Upshot, D10NamesOfBroadcasts) {
    ImportText(
        "20 0 1 0 -2 0 0\n21 0 2 0 -2 0 0\n20 0 3 0 -3 0 0\n21 0 4 0 -3 0 0\n"
        "20 0 5 0 -1 0 0\n21 0 6 0 -1 0 0\n20 0 7 0 -4 0 0\n21 0 8 0 -4 0 0\n");
    EXPECT_EQ(Ask("select name, category from span order by begin_ns"),
              "bcast0 collective\nbcast1 collective\nbarrier collective\nglobal_op collective\n");
}

TEST_F(Upshot, D11UserBlocksStayApart) {
    std::string text;
    for (const int k : {0, 5, 6})
        text += "20 0 1 0 " + std::to_string(k) + " 0 0\n21 0 2 0 " + std::to_string(k) + " 0 0\n";
    ImportText(text);
    EXPECT_EQ(Ask("select distinct name from span order by 1"), "block 0\nblock 5\nblock 6\n");
}

TEST_F(Upshot, D12TheInnermostOfOneNameEndsFirst) {
    ImportText("20 0 10 0 1 0 0\n20 0 10 0 1 0 0\n21 0 20 0 1 0 0\n21 0 40 0 1 0 0\n");
    EXPECT_EQ(Ask("select s.end_ns, p.end_ns from span s left join span p on p.span_id = "
                  "s.parent_id order by s.span_id"),
              "40000 -\n20000 40000\n");
}

TEST_F(Upshot, D13TheNameOfTheFileSaysNothing) {
    ASSERT_TRUE(TryImport("15 0 1 0 1\n", "trace.log")) << error_;
    EXPECT_EQ(file().format, "PICL");
    ASSERT_TRUE(TryImport("-2 5 0.5 0 0 0 2\n", "trace.trf")) << error_;
    EXPECT_EQ(file().format, "PICL of 1992");
}

TEST_F(OldPicl, OverlappingStatesKeepTheirLengths) {
    ImportText("20 0 0 0 1 0 0\n20 0 5 0 2 0 0\n21 0 10 0 1 0 0\n21 0 15 0 2 0 0\n");
    EXPECT_EQ(Ask("select name, duration_ns, self_ns, parent_id from span order by name"),
              "block 1 10000 10000 -\nblock 2 10000 10000 -\n");
}

TEST_F(OldPicl, SeveralFilesAreOneTrace) {
    const std::string a = Write("n0.picl", "4 0 1 0 1 7 8\n");
    const std::string b = Write("n1.picl", "6 0 3 1 0 7 8\n");
    capture_ = folder_ + "/both";
    ASSERT_TRUE(Import({a, b}, capture_, {}, &result_, &error_)) << error_;
    database_ = read::Database::OpenPaths({capture_}, &error_);
    EXPECT_EQ(Ask("select count(*) from message"), "1\n");
}

TEST_F(OldPicl, NothingIsLeftOfAnImportThatFails) {
    EXPECT_FALSE(TryImport("no trace at all\n"));
    EXPECT_NE(error_.find("its format is not known"), std::string::npos);
    EXPECT_FALSE(TryImport(""));
    EXPECT_NE(error_.find("is empty"), std::string::npos);
    const std::string path = Write("good", "15 0 1 0 1\n");
    ImportOptions stop;
    stop.stopped = [] { return true; };
    std::string many;
    for (int i = 0; i < 40'000; ++i) many += "15 0 1 0 1\n";
    EXPECT_FALSE(Import({Write("many", many)}, folder_ + "/stopped", stop, &result_, &error_));
    EXPECT_EQ(error_, "stopped");
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
        EXPECT_FALSE(entry.is_directory()) << entry.path();
}

}  // namespace
}  // namespace comshu::format
