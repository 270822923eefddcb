#include "report/rank_text.h"

#include <algorithm>

#include <fmt/core.h>

namespace comshu::read {

std::string RankList(std::vector<int32_t> ranks, size_t limit) {
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string text;
    size_t runs = 0;
    for (size_t i = 0; i < ranks.size();) {
        size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
        if (!text.empty()) text += ", ";
        if (runs++ == limit) return text + "...";
        text += std::to_string(ranks[i]);
        if (end - i > 1) text += fmt::format("{}{}", end - i > 2 ? "-" : ", ", ranks[end - 1]);
        i = end;
    }
    return text;
}

std::string RanksInWords(const std::vector<int32_t>& ranks) {
    const bool one = std::all_of(ranks.begin(), ranks.end(),
                                 [&](int32_t rank) { return rank == ranks.front(); });
    return fmt::format("{} {}", one ? "rank" : "ranks", RankList(ranks));
}

}  // namespace comshu::read
