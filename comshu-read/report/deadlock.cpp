#include "report/deadlock.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/core.h>

#include "report/rank_text.h"

namespace comshu::read {
namespace {

// Whom each stuck rank waits for, and in which call.
using Waits = std::map<int32_t, std::map<int32_t, const Report::Stand*>>;

Waits StuckRanks(const std::vector<Report::Stand>& stands) {
    Waits waits;
    std::set<int32_t> free;
    for (const Report::Stand& stand : stands) {
        if (stand.waits_for.empty()) free.insert(stand.rank);
        for (const int32_t other : stand.waits_for) waits[stand.rank].emplace(other, &stand);
    }
    for (const int32_t rank : free) waits.erase(rank);
    return waits;
}

// A shortest way from `start` back to it; empty if there is none.
std::vector<int32_t> Circle(const Waits& waits, int32_t start) {
    std::map<int32_t, int32_t> came_from;
    std::deque<int32_t> queue = {start};
    while (!queue.empty()) {
        const int32_t at = queue.front();
        queue.pop_front();
        const auto found = waits.find(at);
        if (found == waits.end()) continue;
        for (const auto& [next, stand] : found->second) {
            if (next == start) {
                std::vector<int32_t> circle;
                for (int32_t rank = at; rank != start; rank = came_from.at(rank)) {
                    circle.push_back(rank);
                }
                circle.push_back(start);
                std::reverse(circle.begin(), circle.end());
                return circle;
            }
            if (came_from.emplace(next, at).second) queue.push_back(next);
        }
    }
    return {};
}

std::set<int32_t> Reachable(const Waits& waits, int32_t start) {
    std::set<int32_t> seen = {start};
    std::deque<int32_t> queue = {start};
    while (!queue.empty()) {
        const auto found = waits.find(queue.front());
        queue.pop_front();
        if (found == waits.end()) continue;
        for (const auto& [next, stand] : found->second) {
            if (seen.insert(next).second) queue.push_back(next);
        }
    }
    return seen;
}

std::string InWords(const Waits& waits, const std::vector<int32_t>& circle) {
    std::string text;
    for (size_t i = 0; i < circle.size(); ++i) {
        const int32_t next = circle[(i + 1) % circle.size()];
        const Report::Stand& stand = *waits.at(circle[i]).at(next);
        text += fmt::format("{} waits in {}{} for {}",
                            i == 0 ? fmt::format("rank {}", circle[i]) : ", which", stand.name,
                            stand.detail.empty() ? "" : fmt::format(" ({})", stand.detail),
                            circle.size() == 1 ? "itself" : fmt::format("rank {}", next));
    }
    return text;
}

}  // namespace

std::vector<std::string> FindDeadlocks(const std::vector<Report::Stand>& stands) {
    const Waits waits = StuckRanks(stands);
    std::vector<std::string> sentences;
    std::set<int32_t> told;
    for (const auto& [rank, others] : waits) {
        if (told.count(rank) != 0) continue;
        const std::vector<int32_t> circle = Circle(waits, rank);
        if (circle.empty()) continue;
        std::string text = InWords(waits, circle);
        std::vector<int32_t> behind;
        for (const auto& [other, ignored] : waits) {
            if (std::find(circle.begin(), circle.end(), other) != circle.end()) {
                told.insert(other);
            } else if (Reachable(waits, other).count(rank) != 0) {
                behind.push_back(other);
                told.insert(other);
            }
        }
        if (!behind.empty()) {
            text +=
                fmt::format("; {} {} stuck behind {}", RanksInWords(behind),
                            behind.size() == 1 ? "is" : "are", circle.size() == 1 ? "it" : "them");
        }
        sentences.push_back(text);
    }
    return sentences;
}

}  // namespace comshu::read
