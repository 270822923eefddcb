// Sets of ranks in words.
#ifndef COMSHU_READ_REPORT_RANK_TEXT_H_
#define COMSHU_READ_REPORT_RANK_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace comshu::read {

// "0-3, 7" of ranks in any order; repeated ones count once. What goes beyond `limit` runs is "...".
std::string RankList(std::vector<int32_t> ranks, size_t limit = 8);
// "rank 3", "ranks 0-3, 7".
std::string RanksInWords(const std::vector<int32_t>& ranks);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_RANK_TEXT_H_
