#include "picl/line_1992.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

using testing::ImportTest;
using Picl1992 = ImportTest;

constexpr const char* kSpansByTime =
    "select rank, name, category, begin_ns, end_ns from span order by begin_ns, span_id";

TEST_F(Picl1992, WildcardReceiveKnowsItsSourceAtTheEnd) {
    ImportText(
        "-3 -57 0.000010 1 0 2 2 -1 -2\n"
        "-4 -57 0.000011 1 0 1 2 1\n"
        "-3 -27 0.000020 0 0 3 2 64 9 1\n"
        "-4 -27 0.000021 0 0 1 2 1\n"
        "-3 -61 0.000030 1 0 1 2 1\n"
        "-4 -61 0.000040 1 0 3 2 64 9 0\n");
    EXPECT_EQ(file().format, "PICL of 1992");
    EXPECT_EQ(Ask(kSpansByTime),
              "1 irecv p2p 10000 11000\n0 isend p2p 20000 21000\n"
              "1 irecv end blocked wait 30000 40000\n");
    EXPECT_EQ(Ask(kMessages), "0 1 9 64 20000 21000 10000 40000\n");
    EXPECT_EQ(file().problem_count, 0u);
}

TEST_F(Picl1992, RequestsThatAreUsedAgain) {
    ImportText(
        "-3 -27 0.1 0 0 3 2 8 1 1\n-4 -27 0.1 0 0 1 2 5\n-3 -30 0.2 0 0 1 2 5\n-4 -30 0.2 0 0 0\n"
        "-3 -27 0.3 0 0 3 2 16 1 1\n-4 -27 0.3 0 0 1 2 5\n-3 -30 0.4 0 0 1 2 5\n-4 -30 0.4 0 0 0\n"
        "-3 -51 0.5 1 0 2 2 1 0\n-4 -51 0.6 1 0 3 2 8 1 0\n"
        "-3 -51 0.7 1 0 2 2 1 0\n-4 -51 0.8 1 0 3 2 16 1 0\n");
    EXPECT_EQ(Ask("select bytes, recv_bytes from message order by send_begin_ns"), "8 8\n16 16\n");
    EXPECT_EQ(Ask("select count(*) from unmatched"), "0\n");
}

TEST_F(Picl1992, EqualTimesTakeTheExitOfTheInnermostFirst) {
    ImportText(
        "-3 -402 0.5 0 0 1 2 -1\n"
        "-3 4 0.6 0 0 0 2\n"
        "-4 -402 0.6 0 0 0\n"
        "-4 4 0.6 0 0 0 2\n");
    EXPECT_EQ(Ask(kSpansByTime),
              "0 barrier collective 500000000 600000000\n"
              "0 event 4 user 600000000 600000000\n");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_TRUE(file().remarks.empty());
}

TEST_F(Picl1992, CallsWithoutLengthInARowKeepTheirData) {
    ImportText(
        "-3 -27 0.5 0 0 3 2 8 1 1\n-3 -27 0.5 0 0 3 2 16 2 1\n-4 -27 0.5 0 0 1 2 7\n"
        "-4 -27 0.5 0 0 1 2 8\n-3 -30 0.6 0 0 1 2 8\n-4 -30 0.6 0 0 0\n");
    EXPECT_EQ(Ask("select tag, bytes, request from import_point_to_point order by 1"),
              "1 8 1\n2 16 2\n");
    EXPECT_EQ(Ask("select request from import_completion"), "2\n");
}

TEST_F(Picl1992, NegativeZeroTrailingBlanksAndExponents) {
    ImportText("-2 1 -0.000001 0 0 0 2 \n-2 2 -0.000000 0 0 0 2 \n-2 3 1.5e-05 0 0 0\n");
    EXPECT_EQ(Ask("select time_ns, name from mark order by 1"),
              "0 event 1\n1000 event 2\n16000 event 3\n");
}

TEST_F(Picl1992, ProcessMinusOneIsTheFirst) {
    ImportText("-2 1 0.1 3 0 0\n-2 1 0.2 3 -1 0\n-2 1 0.3 3 2 0\n");
    EXPECT_EQ(Ask("select rank, thread, count(*) from mark group by all order by all"),
              "3 0 2\n3 2 1\n");
}

TEST_F(Picl1992, SumsOfTheFileAreCompared) {
    const std::string records =
        "-3 -21 0.1 0 0 3 2 64 9 1\n-4 -21 0.2 0 0 0\n-3 -21 0.3 0 0 3 2 36 9 1\n-4 -21 0.5 0 0 "
        "0\n";
    ImportText(records +
               "-101 -1 0.6 0 0 1 \"%d%lf\" -21 0.300000\n-102 -1 0.6 0 0 1 \"%d%d\" -21 2\n"
               "-103 -1 0.6 0 0 1 \"%d%d\" -21 100\n");
    ASSERT_EQ(file().remarks.size(), 1u);
    EXPECT_EQ(file().remarks[0], "3 sums in the file agree with its records");
    ImportText(records + "-102 -1 0.6 0 0 1 \"%d%d\" -21 3\n", "cut");
    ASSERT_EQ(file().remarks.size(), 1u);
    EXPECT_EQ(
        file().remarks[0],
        "1 of 1 sum in the file differing from its records; count of event -21 on processor 0: "
        "3 in the file, 2 counted");
}

TEST_F(Picl1992, BadLinesAreToldWithTheirPlace) {
    ImportText(
        "-2 1 0.1 0 0 0\n-2 1 soon 0 0 0\n-3 4 0.1 0 0 3 2 1 2\n-3\n-4 9 0.2 0 0 0\n"
        "-2 1 0.3 0 0 1 \"%d 1\n");
    EXPECT_EQ(file().illegal, 4u);
    ASSERT_EQ(file().problems.size(), 5u);
    const auto place = [&](size_t i) { return ProblemPlace("f", file().problems[i]); };
    EXPECT_EQ(place(0), "f:2:6");
    EXPECT_EQ(file().problems[0].text, "soon is not a time");
    EXPECT_EQ(place(1), "f:3:21");
    EXPECT_EQ(file().problems[1].text, "3 data fields are announced, 2 are there");
    EXPECT_EQ(place(2), "f:4:3");
    EXPECT_EQ(place(3), "f:6:16");
    EXPECT_EQ(file().problems[3].text, "a descriptor without its last quote");
    EXPECT_EQ(place(4), "f:5:4");
    EXPECT_EQ(file().problems[4].text, "exit of event 9 that was not entered");
}

TEST_F(Picl1992, EverySumThatDiffersIsNamed) {
    ImportText(
        "-3 -21 0.1 0 0 3 2 64 9 1\n-4 -21 0.2 0 0 0\n"
        "-101 -1 0.6 0 0 1 \"%d%lf\" -21 7.5\n-102 -1 0.6 0 0 1 \"%d%d\" -21 3\n"
        "-103 -1 0.6 0 0 1 \"%d%d\" -21 100\n-104 -1 0.6 0 0 1 \"%d%d\" -51 8\n");
    ASSERT_EQ(file().remarks.size(), 1u);
    EXPECT_EQ(
        file().remarks[0],
        "4 of 4 sums in the file differing from its records; seconds of event -21 on processor "
        "0: 7.5 in the file, 0.1 counted; count of event -21 on processor 0: 3 in the file, 1 "
        "counted; bytes sent of event -21 on processor 0: 100 in the file, 64 counted; bytes "
        "received of event -51 on processor 0: 8 in the file, 0 counted");
    std::string many = "-2 1 0.1 0 0 0\n";
    for (int i = 0; i < 25; ++i)
        many += "-102 -1 0.6 0 0 1 \"%d%d\" " + std::to_string(i + 2) + " 1\n";
    ImportText(many, "many");
    const std::string& remark = file().remarks.at(0);
    EXPECT_NE(remark.find("count of event 21 "), remark.npos);
    EXPECT_EQ(remark.find("count of event 22 "), remark.npos);
    EXPECT_TRUE(remark.ends_with("; 5 more like these")) << remark;
}

TEST_F(Picl1992, MarksHaveTheFirstNumberOfTheirData) {
    ImportText(
        "-5 6 0 -1 -1 1 1 \"two words\"\n-5 7 0 -1 -1 1 \"%s\" \"quoted\"\n-5 8 0 -1 -1 1 1 plain\n"
        "-2 6 0.83 1 0 2 4 1.5e3 2\n-2 6 0.84 1 0 1 5 -0.25\n-2 7 0.85 1 0 1 \"%lf\" 2.5\n"
        "-2 8 0.86 1 0 1 \"%s%d\" word 12\n-2 8 0.87 1 0 1 1 words\n-2 8 0.88 1 0 1 2 9\n");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask("select name, value from mark order by time_ns"),
              "two words 1500\ntwo words -0.25\nquoted 2.5\nplain 12\nplain 0\nplain 9\n");
}

TEST_F(Picl1992, CollectivesOfSubsetsAreTheirOwn) {
    ImportText(
        "-3 -785 0.1 0 0 3 2 64 0 -1\n-4 -785 0.2 0 0 1 2 64\n"
        "-3 -785 0.1 1 0 3 2 -1 0 -1\n-4 -785 0.3 1 0 1 2 64\n"
        "-3 -790 0.4 1 0 3 2 8 1 5\n-4 -790 0.5 1 0 1 2 8\n");
    EXPECT_EQ(Ask("select name, root, rank, bytes_in, bytes_out, dense_rank() over (order by "
                  "instance) from collective order by instance, rank"),
              "MPI_Bcast 0 0 64 64 1\nMPI_Bcast 0 1 - 64 1\nMPI_Reduce 1 1 8 8 2\n");
}

TEST(Seconds, AreTakenExactly) {
    int64_t ns = 0;
    uint8_t decimals = 0;
    bool odd = false;
    const auto parse = [&](const char* text) {
        return picl::ParseSeconds(text, &ns, &decimals, &odd);
    };
    EXPECT_TRUE(parse("1234567.123456"));
    EXPECT_EQ(ns, 1'234'567'123'456'000);
    EXPECT_EQ(decimals, 6);
    EXPECT_FALSE(odd);
    EXPECT_TRUE(parse("-0.5"));
    EXPECT_EQ(ns, -500'000'000);
    EXPECT_TRUE(parse("3"));
    EXPECT_EQ(ns, 3'000'000'000);
    EXPECT_FALSE(odd);
    EXPECT_TRUE(parse("2.5e-3"));
    EXPECT_EQ(ns, 2'500'000);
    EXPECT_TRUE(odd);
    for (const char* bad : {"", "-", ".", "1.2.3", "1e999", "nan", "12x", "99999999999999999999"})
        EXPECT_FALSE(parse(bad)) << bad;
}

}  // namespace
}  // namespace comshu::format
