#include <algorithm>
#include <array>

#include "comshu/format/export.h"
#include "testing_import.h"
#include "testing_records.h"

namespace comshu::format {
namespace {

class PiclExport : public testing::ImportTest {
protected:
    std::string Export(PiclForm form = PiclForm::kAsImported) {
        const std::string path = folder_ + "/exported";
        ExportResult result;
        std::string error;
        EXPECT_TRUE(ExportPicl(database_.get(), path, form, &result, &error)) << error;
        remarks_ = result.remarks;
        return Read(path);
    }
    std::vector<std::string> remarks_;
};

// One blank between words, none at the end.
std::string Words(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string joined;
        for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
        out += joined + "\n";
    }
    return out;
}

constexpr const char* kCompact =
    "1 0 0 0 1 1 1\n1 0 0 1 1 1 1\n3 0 2 -1\n4 0 457 0 1 7 8\n11 0 457 0 0 0\n11 0 858 0 0 401\n"
    "12 0 858 0 0 0 1 8 0\n7 0 859 1 -1\n5 0 860 0 3\n8 0 900 1 0 7 8\n20 1 0 0 -1 0 0\n"
    "20 1 0 1 5 2 3\n21 1 5 0 -1 0 0\n21 1 9 1 5 2 3\n22 1 10 0 3 4 5 6\n15 1 11 0 2\n"
    "22 1 12 0 -2\n17 1 13 1 : ran out of memory\n18 1 14 0 1 20\n16 2 0 0 a text of the user\n"
    "23 2 1 0\n24 2 2 0 2 5\n77 2 3 1 9 9 9\n13 2 4 0\n19 2 5 0 4096\n19 2 5 1 512\n";

constexpr const char* kVerbose =
    "trace_start  clock 0 0 node 0 event 1 compstats 1 commstats 1\n"
    "send  clock 0 457 node 0 to 1 type 7 lth 8\n"
    "compstats  clock 0 457 node 0 busy 0 457 idle 0 0\n"
    "compstats  clock 0 858 node 0 busy 0 457 idle 0 401\n"
    "commstats  clock 0 858 node 0 received 0 volume 0 sent 1 volume 8 probed 0\n"
    "recv_blocking  clock 0 859 node 1 type -1\n"
    "recv_waking  clock 0 900 node 1 from 0 type 7 lth 8\n"
    "block_begin  clock 1 0 node 1 block_type 5 location_type 2 parameter_type 3\n"
    "block_end  clock 1 9 node 1 block_type 5 location_type 2 parameter_type 3\n"
    "trace_mark_array  clock 1 10 node 0 size 2 array 4 5\n"
    "trace_flush  clock 1 14 node 0 finished 1 20\n"
    "trace_stop  clock 1 15 node 0 : ran out of memory\n"
    "trace_exit  clock 2 5 node 0 space 4096\n";

constexpr const char* k1992 =
    "-3 -901 -0.000001 0 0 1 2 1\n-2 -904 0.000000 0 0 3 2 4 4 0\n-3 -27 0.000020 0 0 3 2 64 9 1\n"
    "-4 -27 0.000021 0 0 1 2 1\n-3 7 0.000025 1 0 0 2\n-3 -51 0.0000301234 1 -1 2 2 -1 -2\n"
    "-4 -51 1.5e-04 1 -1 3 2 64 9 0\n-4 7 0.25 1 0 0 2\n-202 -812 0.3 -1 -1 4 2 5 0 1 2\n"
    "-3 -402 1 0 0 1 2 -1\n-4 -402 2 0 0 0\n-2 -911 3.000000 0 0 2 \"%d%s\" 5 words\n"
    "-101 -1 4.000000 0 0 2 \"%d%lf\" -21 0.3 -402 1.0\n-4 -901 4.5 0 0 0\n";

TEST_F(PiclExport, CompactComesBackWordForWord) {
    ImportText(kCompact);
    EXPECT_EQ(Export(), kCompact);
}

TEST_F(PiclExport, VerboseComesBackWordForWord) {
    ImportText(kVerbose);
    EXPECT_EQ(Words(Export()), Words(kVerbose));
    EXPECT_EQ(Export(), kVerbose);
}

// Labels that PICL does not write are told, and stay; so do the numbers behind them.
TEST_F(PiclExport, OtherLabelsComeBackWordForWord) {
    const std::string text =
        "send  clock 0 457 node 0 dest 1 kind 7 size 8\n"
        "send  clock 0 458 node 0 to=1 type=7 lth:16\n"
        "recv  time 0 459 node=1 from 0 type 7 lth 8\n"
        "commstats  clock 0 858 node 0 recvd 1 bytes 2 sent 3 volume 4 probes: 5\n"
        "trace_mark  clock 1 0 node 0 mark=-77\n";
    ImportText(text);
    EXPECT_EQ(Export(), text);
    EXPECT_EQ(Ask("select line, node, value0, value1, value2, value4 from picl_record order by 1"),
              "1 0 1 7 8 0\n2 0 1 7 16 0\n3 1 0 7 8 0\n4 0 1 2 3 5\n5 0 -77 0 0 0\n");
    ASSERT_EQ(file().problem_count, 3u);
    EXPECT_EQ(ProblemPlace("f", file().problems[1]), "f:2:26");
    EXPECT_EQ(file().problems[1].text, "another label than PICL writes here");
    EXPECT_EQ(file().remarks.front(), "5 lines have other labels than PICL writes");
    EXPECT_EQ(file().illegal, 0u);
    const std::string compact = Export(PiclForm::kCompact);
    EXPECT_NE(compact.find("4 0 458 0 1 7 16\n6 0 459 1 0 7 8\n"), compact.npos) << compact;
}

TEST_F(PiclExport, MixedFormsStayMixed) {
    const std::string mixed =
        "4 0 1 0 1 7 8\nrecv  clock 0 5 node 1 from 0 type 7 lth 8\n15 0 6 0 1\n";
    ImportText(mixed);
    EXPECT_EQ(Export(), mixed);
}

TEST_F(PiclExport, The1992FormatComesBackWordForWord) {
    ImportText(k1992);
    EXPECT_EQ(Words(Export()), Words(k1992));
}

// Lines of more than five numbers, with text and with bytes that are no UTF-8, beyond what texts may take.
TEST_F(PiclExport, TextBeyondTheBudgetComesBackWordForWord) {
    std::string text;
    for (int i = 0; i < 300; ++i) {
        const int node = i % 3;
        text += "-2 12 " + std::to_string(i) + ".000001 " + std::to_string(node) +
                " 0 6 2 1 2 3 4 5 " + std::to_string(i) + "\n";
        text += "-2 13 " + std::to_string(i) + ".000002 " + std::to_string(node) +
                " 0 2 \"%d%lf\" 7 " + std::to_string(i) + ".5 " + std::string(1 + i % 90, 'x') +
                "\n-2 14 " + std::to_string(i) + ".000003 " + std::to_string(node) + " 0 1 2 " +
                std::to_string(i) + "\n";
    }
    const std::string old =
        "16 1 0 0 gr\xfc\xdf\x65\n16 2 0 0 another text\n16 3 0 1 the third one\n";
    for (const uint64_t budget : {1, 2000, 1 << 20}) {
        options_.text_budget = budget;
        ImportText(text, "new" + std::to_string(budget));
        EXPECT_TRUE(Export() == text) << budget;
        EXPECT_EQ(Ask("select count(*) from picl_record where descriptor is distinct from -1"),
                  "900\n");
        ImportText(old, "old" + std::to_string(budget));
        EXPECT_EQ(Export(), old) << budget;
    }
}

TEST_F(PiclExport, OneFormBecomesTheOtherAndBack) {
    ImportText(kCompact);
    const std::string verbose = Export(PiclForm::kVerbose);
    EXPECT_NE(verbose.find("compstats  clock 0 858 node 0 busy 0 457 idle 0 401\n"), verbose.npos);
    EXPECT_NE(verbose.find("trace_mark_array  clock 1 10 node 0 size 3 array 4 5 6\n"),
              verbose.npos);
    ImportText(verbose, "verbose");
    EXPECT_EQ(Export(PiclForm::kCompact), kCompact);
}

// Files of nodes that overlap in time, the second with records of all nodes and of a node of the first; each stays
// in its own order.
TEST_F(PiclExport, LinesOfSeveralFilesAreInOrderOfTime) {
    const auto export_files = [&](const std::string& first, const std::string& second) {
        const std::string capture = folder_ + "/several";
        database_.reset();
        std::filesystem::remove_all(capture);
        EXPECT_TRUE(Import({Write("first", first), Write("second", second)}, capture, {}, &result_,
                           &error_))
            << error_;
        OpenCapture(capture);
        return Export();
    };
    EXPECT_EQ(
        export_files("15 0 1 0 1\n15 0 5 0 2\n15 0 9 0 3\n",
                     "3 0 4 -1\n15 0 5 0 4\n15 0 5 1 5\n16 0 8 0 0 text\n15 0 2 1 6\n3 0 7 -1\n"),
        "15 0 1 0 1\n3 0 4 -1\n15 0 5 0 2\n15 0 5 0 4\n15 0 5 1 5\n15 0 2 1 6\n"
        "16 0 8 0 0 text\n3 0 7 -1\n15 0 9 0 3\n");
    EXPECT_EQ(Ask("select count(*) from picl_record where descriptor is distinct from -1"), "9\n");
    EXPECT_EQ(export_files("-2 1 0.100 0 0 0\n-2 2 0.900 0 0 0\n",
                           "-5 1 0.200 -1 -1 1 1 name\n-2 3 0.300 0 0 0\n-2 4 0.300 1 0 0\n"),
              "-2 1 0.100 0 0 0\n-5 1 0.200 -1 -1 1 1 name\n-2 3 0.300 0 0 0\n-2 4 0.300 1 0 0\n"
              "-2 2 0.900 0 0 0\n");
}

TEST_F(PiclExport, LinesAreInOrderOfTimeThenNode) {
    ImportText("15 0 5 10 1\n15 0 5 2 2\n15 0 1 0 3\n15 0 5 2 4\n");
    EXPECT_EQ(Export(), "15 0 1 0 3\n15 0 5 2 2\n15 0 5 2 4\n15 0 5 10 1\n");
}

// Messages and regions of any capture, by what reading the export gives again.
constexpr const char* kSame =
    "select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message order by all";

TEST_F(PiclExport, OldAs1992AndBackKeepsMessagesAndRegions) {
    ImportText(kCompact);
    const std::string messages = Ask(kSame);
    EXPECT_EQ(messages, "0 1 7 8 457000 900000\n");
    const std::string text = Export(PiclForm::k1992);
    ImportText(text, "as1992");
    EXPECT_EQ(file().format, "PICL of 1992");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask(kSame), messages);
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span where name like 'block%' or name = "
                  "'barrier' order by 2, 1"),
              "barrier 1000000000 1000005000\nblock 5 1000000000 1000009000\n");
}

TEST_F(PiclExport, The1992FormatAsOldKeepsMessages) {
    ImportText(
        "-3 -57 0.000010 1 0 2 2 -1 -2\n-4 -57 0.000011 1 0 1 2 1\n"
        "-3 -27 0.000020 0 0 3 2 64 9 1\n-4 -27 0.000021 0 0 1 2 1\n"
        "-3 -61 0.000030 1 0 1 2 1\n-4 -61 0.000040 1 0 3 2 64 9 0\n"
        "-3 5 0.000050 1 0 0\n-4 5 0.000060 1 0 0\n");
    const std::string messages = Ask(kSame);
    EXPECT_EQ(messages, "0 1 9 64 20000 40000\n");
    const std::string text = Export(PiclForm::kCompact);
    ImportText(text, "as_old");
    EXPECT_EQ(file().format, "PICL");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask(kSame), messages);
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span where rank = 1 order by 2"),
              "recv_blocking 30000 40000\nevent 5 50000 60000\n");
}

// What has a record in the other format goes there; the rest is said.
TEST_F(PiclExport, MarksOfTheOldFormatKeepTheirValuesAs1992) {
    ImportText(
        "1 0 0 0 1 2 3\n16 0 1 0 block or mark 43 is restart\n16 0 2 0 a text of the user\n"
        "15 0 3 0 42\n15 0 4 0 43\n22 0 5 0 3 10 20 30\n22 0 6 0 -2\n14 0 7 0 4 5 6\n"
        "5 0 8 0 7\n20 0 9 0 8 1 2\n21 0 10 0 8 1 2\n23 0 11 0\n17 0 12 0 : ran out of memory\n"
        "2 0 13 0\n13 0 14 0\n77 0 15 0 1 2\n19 0 16 0 4096\n");
    const std::string text = Export(PiclForm::k1992);
    EXPECT_EQ(text,
              "-5 8 0.000000000 -1 -1 1 1 block 8\n-5 44 0.000000000 -1 -1 1 1 probe\n"
              "-5 43 0.000000000 -1 -1 1 1 restart\n"
              "-5 46 0.000000000 -1 -1 1 1 trace_mark_array\n"
              "-5 45 0.000000000 -1 -1 1 1 trace_mark_array failed\n"
              "-5 47 0.000000000 -1 -1 1 1 unknown record\n"
              "-3 -901 0.000000000 0 0 3 2 1 2 3\n-2 -911 0.000002000 0 0 1 1 a text of the user\n"
              "-2 42 0.000003000 0 0 0\n-2 43 0.000004000 0 0 0\n"
              "-2 46 0.000005000 0 0 3 2 10 20 30\n-2 45 0.000006000 0 0 1 2 -2\n"
              "-2 -904 0.000007000 0 0 3 2 4 5 6\n-2 44 0.000008000 0 0 1 2 7\n"
              "-3 8 0.000009000 0 0 0\n-4 8 0.000010000 0 0 0\n-2 -401 0.000011000 0 0 0\n"
              "-2 -913 0.000012000 0 0 0\n-2 -11 0.000013000 0 0 0\n-2 -12 0.000014000 0 0 0\n"
              "-2 47 0.000015000 0 0 1 2 77\n-4 -901 0.000016000 0 0 1 2 4096\n");
    EXPECT_EQ(remarks_, (std::vector<std::string>{"1 block is without location and parameter types",
                                                  "1 field of a record left out"}));
    // And back.
    ImportText(text, "as1992");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Export(PiclForm::kCompact),
              "16 0 0 0 block or mark 8 is block 8\n16 0 0 0 block or mark 42 is event 42\n"
              "16 0 0 0 block or mark 44 is probe\n16 0 0 0 block or mark 43 is restart\n"
              "16 0 0 0 block or mark 46 is trace_mark_array\n"
              "16 0 0 0 block or mark 45 is trace_mark_array failed\n"
              "16 0 0 0 block or mark 47 is unknown record\n"
              "1 0 0 0 1 2 3\n16 0 2 0 a text of the user\n15 0 3 0 42\n15 0 4 0 43\n"
              "15 0 5 0 46\n15 0 6 0 45\n14 0 7 0 4 5 6\n15 0 8 0 44\n20 0 9 0 8 0 0\n"
              "21 0 10 0 8 0 0\n23 0 11 0\n17 0 12 0 : ran out of memory\n2 0 13 0\n13 0 14 0\n"
              "15 0 15 0 47\n19 0 16 0 4096\n");
    EXPECT_EQ(remarks_,
              std::vector<std::string>{"6 values of marks left out or cut to whole numbers"});
}

TEST_F(PiclExport, WhatTheOldFormatHasNoRecordForIsSaid) {
    ImportText(
        "-5 6 0 -1 -1 1 1 \"a label\"\n-202 -812 0.1 -1 -1 3 2 5 0 1\n-2 6 0.2 0 0 2 4 1.5e3 2\n"
        "-3 7 0.3 0 0 1 2 9\n-4 7 0.4 0 0 0 2\n-2 -911 0.5 0 0 2 \"%d%s\" 5 words\n"
        "9 4 0.6 0 0 0\n-7 4 0.6 0 0 0\n-6 4 0.7 0 0 0\n"
        "-101 -1 0.9 0 0 1 \"%d%lf\" 7 0.1\n-102 -1 0.9 0 0 1 \"%d%d\" 7 1\n");
    EXPECT_EQ(Export(PiclForm::kCompact),
              "16 0 0 0 block or mark 6 is a label\n16 0 0 0 block or mark 7 is event 7\n"
              "1 0 0 0 1 1 1\n15 0 200000 0 6\n20 0 300000 0 7 0 0\n21 0 400000 0 7 0 0\n"
              "16 0 500000 0 words\n19 0 900000 0 0\n");
    EXPECT_EQ(remarks_,
              (std::vector<std::string>{
                  "2 records of statistics left out", "1 record of a subset left out",
                  "1 record of a type of the user left out", "2 records of other types left out",
                  "1 entry or exit of a region is without data: the format "
                  "has no place for them",
                  "2 values of marks left out or cut to whole numbers"}));
}

TEST_F(PiclExport, MessagesOfOtherTransportsAreMessages) {
    testing::RecordsOfAllKinds run;
    const std::string folder = run.Finish(6000);
    for (const PiclForm form : {PiclForm::kCompact, PiclForm::k1992}) {
        OpenCapture(folder);
        const std::string text = Export(form);
        // It is of two of the three ranks. The form of 1992 has subsets for that.
        EXPECT_EQ(std::count_if(remarks_.begin(), remarks_.end(),
                                [](const std::string& remark) {
                                    return remark.starts_with("1 collective of some of the ranks");
                                }),
                  form == PiclForm::k1992 ? 0 : 1);
        ImportText(text, form == PiclForm::k1992 ? "as 1992" : "as before");
        EXPECT_EQ(Ask("select send_rank, recv_rank, tag, bytes from message order by tag"),
                  "1 2 3 8\n0 2 9 64\n");
        EXPECT_EQ(Ask("select side, rank, peer, tag from unmatched"), "send 0 2 9\n");
    }
}

// As 1992 and back: messages of calls that the format has no event for, and of several at once.
class PiclOfCalls : public PiclExport {
protected:
    using MpiFunction = schema::MpiFunction;
    using MpiProcess = read::testing::MpiProcess;
    static constexpr int32_t kNo = MpiProcess::kNone;
    static constexpr int32_t kAny = -1;
    static constexpr int32_t kNobody = -2;

    void Start(int32_t rank, int64_t begin, MpiFunction function, uint64_t request, int32_t peer,
               int32_t tag) {
        auto& process = run_.Rank(rank);
        process.writer().Add(0, schema::MpiPointToPoint(process.Head(begin), 0, MpiProcess::kWorld,
                                                        8, request, tag, peer, peer, function));
    }
    void SendReceive(int32_t rank, int64_t begin, int32_t to, int32_t from) {
        auto& process = run_.Rank(rank);
        process.writer().Add(
            0, schema::MpiSendReceive(process.Head(begin, 0, false, 50), 0, MpiProcess::kWorld, 16,
                                      16, 0, 4, to, to, 4, from, from, 4, from,
                                      MpiFunction::MPI_Sendrecv));
    }
    // What comes back, and that it is what was there.
    void ThereAndBack() {
        OpenCapture(run_.Finish(100'000));
        messages_ = Ask(kSame);
        unmatched_ = Ask("select side, rank, why from unmatched order by all");
        const std::string text = Export(PiclForm::k1992);
        database_.reset();
        ImportText(text, "back");
        EXPECT_EQ(file().problem_count, 0u) << text;
        EXPECT_EQ(Ask(kSame), messages_) << text;
    }

    read::testing::MpiRun run_;
    std::string messages_;
    std::string unmatched_;
};

TEST_F(PiclOfCalls, SendrecvIsASendAndAReceive) {
    run_.Rank(1);
    SendReceive(0, 1000, 1, 1);
    SendReceive(1, 1020, 0, 0);
    ThereAndBack();
    EXPECT_EQ(messages_, "0 1 4 16 1000 1070\n1 0 4 16 1020 1050\n");
    EXPECT_EQ(remarks_, (std::vector<std::string>{
                            "1 name of a host left out", "1 name of a program or process left out",
                            "2 calls of MPI_Sendrecv written as the messages in them alone"}));
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span where rank = 0 order by span_id"),
              "send 1000 1050\nrecv 1000 1050\n");
}

TEST_F(PiclOfCalls, PersistentRequestsAreNonblockingCalls) {
    run_.Rank(1);
    Start(0, 100, MpiFunction::MPI_Send_init, 1, 1, 7);
    Start(1, 100, MpiFunction::MPI_Recv_init, 1, 0, 7);
    for (const int64_t t : {1000, 2000}) {
        run_.StartRequest(0, t, 1);
        run_.StartRequest(1, t + 5, 1);
        run_.Wait(0, t + 100, t + 200, {MpiProcess::Sent(1)});
        run_.Wait(1, t + 100, t + 300, {MpiProcess::Got(1, 0, 7, 8)});
    }
    ThereAndBack();
    EXPECT_EQ(messages_, "0 1 7 8 1000 1300\n0 1 7 8 2000 2300\n");
    EXPECT_EQ(Ask("select name, count(*) from span group by 1 order by 1"),
              "irecv 2\nirecv end blocked 2\nisend 2\nisend end blocked 2\n");
    EXPECT_EQ(Ask("select side, rank, why from unmatched"), "");
}

TEST_F(PiclOfCalls, ACancelIsThatOfWhatItCancels) {
    run_.Rank(1);
    uint64_t request = 0;
    for (const MpiFunction function : {MpiFunction::MPI_Irecv, MpiFunction::MPI_Isend,
                                       MpiFunction::MPI_Issend, MpiFunction::MPI_Recv_init}) {
        const auto at = static_cast<int64_t>(++request * 1000);
        Start(0, at, function, request, 1, 7);
        auto& process = run_.Rank(0);
        process.writer().Add(0, schema::MpiRequestCall(process.Head(at + 100), 0, request, 1, 0,
                                                       MpiFunction::MPI_Cancel));
    }
    OpenCapture(run_.Finish(100'000));
    ImportText(Export(PiclForm::k1992), "back");
    EXPECT_EQ(Ask("select name from span where name like '%cancel' order by begin_ns"),
              "irecv cancel\nisend cancel\nissend cancel\nirecv cancel\n");
}

// From any source; the call that completes them has no length, so that all stands at one time.
TEST_F(PiclOfCalls, AWaitCompletesEachReceiveWithItsOwnSource) {
    run_.Rank(2);
    Start(0, 100, MpiFunction::MPI_Irecv, 1, kAny, 3);
    Start(0, 200, MpiFunction::MPI_Irecv, 2, kAny, 4);
    run_.Send(1, 300, 310, 0, 4);
    run_.Send(2, 300, 310, 0, 3);
    run_.Wait(0, 500, 500, {MpiProcess::Got(1, 2, 3, 8), MpiProcess::Got(2, 1, 4, 8)});
    ThereAndBack();
    EXPECT_EQ(messages_, "1 0 4 8 300 500\n2 0 3 8 300 500\n");
}

// Messages of 11, 22 and 33 bytes with one tag; two probes take the first two, which are received in the other
// order, after the third.
TEST_F(PiclOfCalls, MatchedProbesKeepTheirMessages) {
    auto& sender = run_.Rank(0);
    auto& receiver = run_.Rank(1);
    for (const int32_t bytes : {11, 22, 33}) sender.Send(bytes * 10, 1, 7, bytes);
    const auto probe = [&](int64_t at, uint64_t bytes, uint64_t message) {
        receiver.writer().Add(
            0, schema::MpiProbe(receiver.Head(at), 0, MpiProcess::kWorld, bytes, message, 7, 0, 0,
                                7, 0, MpiFunction::MPI_Mprobe, 1));
    };
    const auto receive = [&](int64_t at, uint64_t bytes, uint64_t message, MpiFunction function) {
        receiver.writer().Add(0, schema::MpiReceive(receiver.Head(at), 0, MpiProcess::kWorld, bytes,
                                                    64, message, 7, 0, 0, 7, 0, function));
    };
    probe(500, 11, 100);
    probe(600, 22, 101);
    receive(700, 33, 0, MpiFunction::MPI_Recv);
    receive(800, 22, 101, MpiFunction::MPI_Mrecv);
    receive(900, 11, 100, MpiFunction::MPI_Mrecv);
    // The numbers are used again, in order: as they are.
    sender.Send(1000, 1, 8, 44);
    receiver.writer().Add(0, schema::MpiProbe(receiver.Head(1100), 0, MpiProcess::kWorld, 44, 100,
                                              8, 0, 0, 8, 0, MpiFunction::MPI_Mprobe, 1));
    receiver.writer().Add(0, schema::MpiReceive(receiver.Head(1200), 0, MpiProcess::kWorld, 44, 64,
                                                100, 8, 0, 0, 8, 0, MpiFunction::MPI_Mrecv));
    ThereAndBack();
    EXPECT_EQ(messages_,
              "0 1 7 11 110 910\n0 1 7 22 220 810\n0 1 7 33 330 710\n0 1 8 44 1000 1210\n");
    EXPECT_EQ(Ask("select bytes, recv_bytes, recv_begin_ns from message order by bytes"),
              "11 11 500\n22 22 600\n33 33 700\n44 44 1200\n");
    EXPECT_EQ(remarks_.back(),
              "2 receives of matched probes are nonblocking, from the probe on: so they keep their "
              "order");
    OpenCapture(run_.Finish(0));
    Export(PiclForm::kCompact);
    EXPECT_EQ(
        remarks_.back(),
        "2 messages are received in another order than sent in: who reads the file takes them "
        "for one another");
}

// Old PICL has no communicators: by order the first receive gets the first send. Three messages are on one and
// one is on the other; its receive is posted, and complete, before those of the second and third.
TEST_F(PiclOfCalls, MessagesThatCrossByCommunicatorsAreCounted) {
    constexpr uint64_t kOther = 0x77;
    for (const int32_t rank : {0, 1}) {
        auto& writer = run_.Rank(rank).writer();
        for (const uint64_t comm : {MpiProcess::kWorld, kOther}) {
            writer.Define(schema::MpiComm(run_.Rank(rank).Tick(0), comm, 0,
                                          writer.InternList({0, 1}), 0, 0, 2, rank));
        }
    }
    const auto send = [&](int64_t at, uint64_t comm, uint64_t bytes) {
        run_.Rank(0).writer().Add(0, schema::MpiPointToPoint(run_.Rank(0).Head(at), 0, comm, bytes,
                                                             0, 7, 1, 1, MpiFunction::MPI_Send));
    };
    const auto receive = [&](int64_t at, uint64_t comm, uint64_t bytes) {
        run_.Rank(1).writer().Add(0, schema::MpiReceive(run_.Rank(1).Head(at), 0, comm, bytes, 64,
                                                        0, 7, 0, 0, 7, 0, MpiFunction::MPI_Recv));
    };
    for (const int64_t i : {1, 2, 3}) {
        send(i * 10'000, MpiProcess::kWorld, static_cast<uint64_t>(i));
    }
    send(40'000, kOther, 4);
    receive(50'000, MpiProcess::kWorld, 1);
    receive(60'000, kOther, 4);
    receive(70'000, MpiProcess::kWorld, 2);
    receive(80'000, MpiProcess::kWorld, 3);
    const std::string folder = run_.Finish(100'000);
    for (const PiclForm form : {PiclForm::kCompact, PiclForm::kVerbose, PiclForm::k1992}) {
        OpenCapture(folder);
        const std::string text = Export(form);
        const auto has = [&](const char* remark) {
            return std::count(remarks_.begin(), remarks_.end(), remark);
        };
        const bool has_comms = form == PiclForm::k1992;
        EXPECT_EQ(has("3 messages are received in another order than sent in: who reads the file "
                      "takes them for one another"),
                  !has_comms);
        EXPECT_EQ(has("1 message over another communicator is written as over that of all ranks"),
                  !has_comms);
        ImportText(text, "back" + std::to_string(static_cast<int>(form)));
        EXPECT_EQ(Ask("select bytes, recv_bytes from message order by 1"),
                  has_comms ? "1 1\n2 2\n3 3\n4 4\n" : "1 1\n2 4\n3 2\n4 3\n");
    }
}

TEST_F(PiclOfCalls, WhatNothingCompletesIsLeftOutAndSaid) {
    run_.Rank(1);
    Start(0, 100, MpiFunction::MPI_Irecv, 1, kNobody, 3);
    Start(0, 200, MpiFunction::MPI_Irecv, 2, 1, 4);
    run_.Send(0, 300, 310, 1, 5);
    run_.Receive(1, 300, 320, 0, 5);
    run_.Wait(
        0, 500, 510,
        {schema::MpiCompletion({}, 2, ~uint64_t{0}, kNo, kNo, kNo, schema::MpiRequestKind::receive,
                               schema::MpiCompletionFlags::cancelled)});
    ThereAndBack();
    EXPECT_EQ(unmatched_, "receive 0 cancelled\n");
    EXPECT_EQ(Ask("select side, rank, why from unmatched"), "");
    EXPECT_EQ(remarks_, (std::vector<std::string>{
                            "1 name of a host left out", "1 name of a program or process left out",
                            "1 call of MPI_Waitall left out: the format has no event for it",
                            "4 calls have the names of MPICL: send, recv, barrier, bcast",
                            "1 nonblocking receive left out: from MPI_PROC_NULL, or its records "
                            "were lost",
                            "1 send or receive left out: cancelled, or they failed"}));
}

TEST_F(PiclExport, NamesOfHostsAndThreadsAreCounted) {
    read::testing::MpiRun run;
    auto& writer = run.Rank(0).writer();
    writer.Define(schema::Thread(run.Rank(0).Tick(0), writer.Intern("main"), 0, 100));
    writer.Define(schema::Thread(run.Rank(0).Tick(0), writer.Intern("worker"), 1, 101));
    run.Send(0, 10, 20, 0, 7);
    const std::string folder = run.Finish(100);
    for (const PiclForm form : {PiclForm::kCompact, PiclForm::k1992}) {
        OpenCapture(folder);
        Export(form);
        EXPECT_EQ(remarks_.at(0), "1 name of a host left out");
        EXPECT_EQ(remarks_.at(1), "2 names of threads left out");
    }
    ImportText(kCompact);
    Export(PiclForm::k1992);
    for (const std::string& remark : remarks_) EXPECT_EQ(remark.find("name of a"), remark.npos);
}

// A node of the old format has no processes: where a file of 1992 has one for each, nothing but its number is lost.
TEST_F(PiclExport, ProcessesOf1992AreToldAsWhatTheyAre) {
    ImportText("-3 7 0.1 0 3 0\n-4 7 0.2 0 3 0\n-3 7 0.1 1 0 0\n-4 7 0.2 1 0 0\n", "one");
    Export(PiclForm::kCompact);
    EXPECT_EQ(remarks_, std::vector<std::string>(
                            {"1 node has another number than 0 for its first process: left out"}));
    ImportText("-3 7 0.1 0 0 0\n-4 7 0.2 0 0 0\n-3 7 0.1 0 2 0\n-4 7 0.2 0 2 0\n", "two");
    Export(PiclForm::kCompact);
    EXPECT_EQ(remarks_,
              std::vector<std::string>({"1 span of a further thread is written as of the first"}));
}

TEST_F(PiclExport, ArrowsOfChromeAreMessagesInBothForms) {
    for (const PiclForm form : {PiclForm::kCompact, PiclForm::k1992}) {
        std::string text = "[";
        for (int i = 0; i < 24; ++i) {
            const std::string id =
                ",\"name\":\"message\",\"cat\":\"m\",\"id\":" + std::to_string(i) +
                ",\"tid\":0,\"ts\":" + std::to_string(10 + i);
            text += "{\"ph\":\"s\",\"pid\":0" + id + "},{\"ph\":\"f\",\"pid\":1" + id + ".5},";
        }
        ImportText(text +
                       "{\"ph\":\"C\",\"pid\":0,\"name\":\"load\",\"ts\":1,\"args\":"
                       "{\"value\":3}}]",
                   "chrome");
        ASSERT_EQ(Ask("select count(*) from message"), "24\n");
        const std::string exported = Export(form);
        EXPECT_EQ(remarks_.front(),
                  "1 value of counters left out: the format has no record for it");
        EXPECT_EQ(remarks_.back(), form == PiclForm::kCompact
                                       ? "50 times cut to microseconds"
                                       : "48 calls of message written as the messages in them "
                                         "alone");
        database_.reset();
        std::filesystem::remove_all(capture_);
        ImportText(exported, form == PiclForm::k1992 ? "as 1992" : "as before");
        EXPECT_EQ(Ask("select count(*), count(distinct tag), min(send_rank), min(recv_rank) "
                      "from message"),
                  "24 24 0 1\n");
    }
}

TEST_F(PiclExport, BusyTimesThatCompactCannotHoldAreCounted) {
    ImportText(kVerbose);
    Export(PiclForm::kCompact);
    EXPECT_EQ(remarks_, std::vector<std::string>{
                            "2 busy times left out: compact compstats have the idle time alone"});
    Export();
    EXPECT_EQ(remarks_, std::vector<std::string>{});
}

}  // namespace
}  // namespace comshu::format
