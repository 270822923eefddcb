// Numbers the ranks of a capture.
#ifndef COMSHU_READ_RANK_NUMBERS_H_
#define COMSHU_READ_RANK_NUMBERS_H_

#include <memory>
#include <string>
#include <vector>

#include "comshu/read/problem.h"
#include "comshu/read/process.h"

namespace comshu::read {

// Sets Process::rank: the first world keeps its numbers, other worlds follow in order of time; each
// pass is numbered on its own, since passes run the same program again. A process without MPI has the
// rank of the process that it was made of (exec) or by (fork); failing that a number after the
// worlds', from 0 where there is no world.
void NumberRanks(std::vector<std::unique_ptr<Process>>* processes);

// One for each world that ranks are missing of: their streams lie elsewhere or never were. A trace that was
// imported may have no such ranks.
std::vector<Problem> MissingRanks(const std::vector<std::unique_ptr<Process>>& processes);

}  // namespace comshu::read

#endif  // COMSHU_READ_RANK_NUMBERS_H_
