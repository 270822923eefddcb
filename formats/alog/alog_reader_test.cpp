#include "testing_import.h"

namespace comshu::format {
namespace {

using Alog = testing::ImportTest;

constexpr const char* kHeader =
    "-1 0 0 0 0 0 Me\n-2 0 0 9 0 0\n-3 0 0 2 0 0\n-4 0 0 1 0 0\n-5 0 0 4 0 0\n-6 0 0 0 0 100\n"
    "-7 0 0 0 0 900\n-8 0 0 1 0 0\n-11 0 0 0 0 1000\n-9 0 0 5 0 0 a thing happened\n"
    "-13 0 1 2 0 0 red:boxes a state with blanks\n-13 0 3 4 0 0 blue:gray MPI_Recv\n";

TEST_F(Alog, StatesEventsAndMessages) {
    ImportText(std::string(kHeader) +
               "1 0 0 0 0 100\n-101 0 0 1 0 120 7 64\n2 0 0 0 0 200\n3 1 0 0 0 50\n"
               "-102 1 0 0 1 0 7 64\n4 1 0 0 1 10\n5 0 0 42 0 300\n");
    EXPECT_EQ(file().format, "ALOG");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask("select rank, name, layer, begin_ns, end_ns from span order by begin_ns"),
              "1 MPI_Recv mpi 50000 1010000\n0 a state with blanks user 100000 200000\n"
              "0 send mpi 120000 120000\n");
    EXPECT_EQ(
        Ask("select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_begin_ns, recv_end_ns "
            "from message"),
        "0 1 7 64 120000 50000 1010000\n");
    EXPECT_EQ(Ask("select name, value, time_ns from mark"), "a thing happened 42 300000\n");
}

// States that end in the order in which they began, of two kinds, one of them twice at once.
TEST_F(Alog, StatesMayEndInAnyOrder) {
    ImportText(std::string(kHeader) +
               "1 0 0 0 0 100\n3 0 0 0 0 110\n1 0 0 0 0 120\n4 0 0 0 0 200\n2 0 0 0 0 210\n"
               "3 0 0 0 0 220\n2 0 0 0 0 230\n4 0 0 0 0 240\n2 0 0 0 0 250\n");
    EXPECT_EQ(file().problem_count, 1u);
    EXPECT_EQ(Ask("select s.name, s.begin_ns, s.end_ns, p.begin_ns from span s "
                  "left join span p on p.span_id = s.parent_id order by s.begin_ns"),
              "a state with blanks 100000 230000 -\nMPI_Recv 110000 200000 100000\n"
              "a state with blanks 120000 210000 100000\nMPI_Recv 220000 240000 -\n");
}

// Time in proportion to the events, however many are open and whichever of them ends.
TEST_F(Alog, ManyStatesAreOpenAtOnce) {
    constexpr int kStates = 200'000;
    std::string text = kHeader;
    for (int i = 0; i < kStates; ++i) text += "1 0 0 0 0 100\n";
    text += "3 0 0 0 0 100\n";
    for (int i = 0; i < kStates + 1; ++i) text += "2 0 0 0 0 200\n";
    ImportText(text);
    EXPECT_EQ(file().problem_count, 2u);
    EXPECT_EQ(Ask("select count(*), count(end_ns) from span"), "200001 200000\n");
}

TEST_F(Alog, BadLinesAreTold) {
    ImportText(std::string(kHeader) +
               "2 0 0 0 0 100\n1 0 0 x 0 100\n-101 0 0 1 0 120 7\n5 0 0 1 0 1\n");
    EXPECT_EQ(file().illegal, 2u);
    ASSERT_EQ(file().problems.size(), 3u);
    EXPECT_EQ(file().problems[0].text, "event 2 ends a state that has not begun");
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:13:1");
    EXPECT_EQ(ProblemPlace("f", file().problems[1]), "f:14:7");
    EXPECT_EQ(file().problems[1].text, "x 0 100 is not a number");
}

}  // namespace
}  // namespace comshu::format
