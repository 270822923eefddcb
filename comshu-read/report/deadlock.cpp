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

std::set<int32_t> FreeRanks(const std::vector<Report::Stand>& stands) {
    std::set<int32_t> free;
    for (const Report::Stand& stand : stands) {
        if (stand.waits_for.empty()) free.insert(stand.rank);
    }
    return free;
}

Waits StuckRanks(const std::vector<Report::Stand>& stands) {
    Waits waits;
    for (const Report::Stand& stand : stands) {
        for (const int32_t other : stand.waits_for) waits[stand.rank].emplace(other, &stand);
    }
    for (const int32_t rank : FreeRanks(stands)) waits.erase(rank);
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

// "waits in MPI_Recv (from 1, tag 7) for"
std::string WaitText(const Report::Stand& stand) {
    return fmt::format("waits in {}{} for", stand.name,
                       stand.detail.empty() ? "" : fmt::format(" ({})", stand.detail));
}

std::string BehindText(const std::vector<int32_t>& behind, size_t of) {
    if (behind.empty()) return "";
    return fmt::format("; {} {} stuck behind {}", RanksInWords(behind),
                       behind.size() == 1 ? "is" : "are", of == 1 ? "it" : "them");
}

// Without the waits for a rank of the other kind: gone or not.
Waits AmongAlike(const Waits& waits, const GoneRanks& gone) {
    Waits alike;
    for (const auto& [rank, others] : waits) {
        for (const auto& [other, stand] : others) {
            if (gone.count(rank) == gone.count(other)) alike[rank].emplace(other, stand);
        }
    }
    return alike;
}

// Of the stuck ranks that nothing was said of, those that wait for `rank`, directly or not; of ranks that
// are gone only where it is so itself.
std::vector<int32_t> TakeBehind(const Waits& waits, const GoneRanks& gone, int32_t rank,
                                std::set<int32_t>* told) {
    std::vector<int32_t> behind;
    for (const auto& [other, ignored] : waits) {
        if (gone.count(other) <= gone.count(rank) && told->count(other) == 0 &&
            Reachable(waits, other).count(rank) != 0) {
            behind.push_back(other);
        }
    }
    told->insert(behind.begin(), behind.end());
    return behind;
}

std::string InWords(const Waits& waits, const std::vector<int32_t>& circle) {
    std::string text;
    for (size_t i = 0; i < circle.size(); ++i) {
        const int32_t next = circle[(i + 1) % circle.size()];
        const Report::Stand& stand = *waits.at(circle[i]).at(next);
        text += fmt::format("{} {} {}", i == 0 ? fmt::format("rank {}", circle[i]) : ", which",
                            WaitText(stand),
                            circle.size() == 1 ? "itself" : fmt::format("rank {}", next));
    }
    return text;
}

}  // namespace

StuckWaits FindStuckWaits(const std::vector<Report::Stand>& stands, const GoneRanks& gone) {
    const Waits waits = StuckRanks(stands);
    const Waits alike = AmongAlike(waits, gone);
    StuckWaits found;
    std::set<int32_t> told;
    for (const auto& [rank, others] : waits) {
        if (told.count(rank) != 0) continue;
        const std::vector<int32_t> circle = Circle(alike, rank);
        if (circle.empty()) continue;
        told.insert(circle.begin(), circle.end());
        found.circles.push_back(InWords(waits, circle) +
                                BehindText(TakeBehind(waits, gone, rank, &told), circle.size()));
    }
    for (const auto& [rank, others] : waits) {
        if (gone.count(rank) != 0) continue;
        for (const auto& [other, stand] : others) {
            const auto how = gone.find(other);
            if (how == gone.end() || !told.insert(rank).second) continue;
            found.for_gone.push_back(fmt::format("rank {} {} rank {}, which {}", rank,
                                                 WaitText(*stand), other, how->second) +
                                     BehindText(TakeBehind(waits, gone, rank, &told), 1));
        }
    }
    return found;
}

std::vector<std::string> KeepHopeless(const std::vector<NearMiss>& near_misses,
                                      const std::vector<Report::Stand>& stands,
                                      const GoneRanks& gone) {
    const Waits waits = StuckRanks(stands);
    std::vector<std::string> kept;
    for (const NearMiss& near_miss : near_misses) {
        if (waits.count(near_miss.sender) != 0 || gone.count(near_miss.sender) != 0) {
            kept.push_back(near_miss.text);
        }
    }
    return kept;
}

}  // namespace comshu::read
