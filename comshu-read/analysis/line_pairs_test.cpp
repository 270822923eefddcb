#include "line_pairs.h"

#include <gtest/gtest.h>

namespace comshu::analysis {
namespace {

std::string Pairs(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    std::string text;
    const std::vector<LinePair> pairs = PairLines(before, after);
    for (size_t i = 0; i < pairs.size(); ++i) {
        text += before[i] + (pairs[i].sure ? " is " : " may be ") +
                (pairs[i].after == kNoLine ? "none" : after[pairs[i].after]) + "\n";
    }
    return text;
}

TEST(PairLines, KeepTheirOrderWhereverTheyMove) {
    EXPECT_EQ(Pairs({"MPI_Recv a.c:9", "MPI_Recv a.c:14", "MPI_Send a.c:10"},
                    {"MPI_Send a.c:11", "MPI_Recv a.c:14", "MPI_Recv a.c:30"}),
              "MPI_Recv a.c:9 is MPI_Recv a.c:14\n"
              "MPI_Recv a.c:14 is MPI_Recv a.c:30\n"
              "MPI_Send a.c:10 is MPI_Send a.c:11\n");
}

TEST(PairLines, WhereCallsCameOrWentNumbersAreAGuess) {
    EXPECT_EQ(Pairs({"MPI_Recv a.c:9", "MPI_Recv a.c:14", "MPI_Recv b.c:9", "MPI_Wait a.c:9"},
                    {"MPI_Recv a.c:9", "MPI_Recv b.c:9"}),
              "MPI_Recv a.c:9 may be MPI_Recv a.c:9\n"
              "MPI_Recv a.c:14 may be none\n"
              "MPI_Recv b.c:9 is MPI_Recv b.c:9\n"
              "MPI_Wait a.c:9 may be none\n");
}

}  // namespace
}  // namespace comshu::analysis
