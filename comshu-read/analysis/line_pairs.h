// Which source line of one run is which of another.
#ifndef COMSHU_READ_ANALYSIS_LINE_PAIRS_H_
#define COMSHU_READ_ANALYSIS_LINE_PAIRS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace comshu::analysis {

// `after` kNoLine: the line is gone. `sure`: it is the same call, wherever it stands now.
struct LinePair {
    size_t after;
    bool sure;
};
constexpr size_t kNoLine = static_cast<size_t>(-1);

// Lines are named "MPI_Recv solver.c:41". Problem: a line added at the top of a file moves all others, and
// then each would be compared with a stranger. Idea: the calls of one function in one file keep their
// order; where there are as many in both runs, the k-th is the k-th. Otherwise calls came or went, and
// those on lines of the same number are paired, but not for sure. One pair per element of `before`.
std::vector<LinePair> PairLines(const std::vector<std::string>& before,
                                const std::vector<std::string>& after);

}  // namespace comshu::analysis

#endif  // COMSHU_READ_ANALYSIS_LINE_PAIRS_H_
