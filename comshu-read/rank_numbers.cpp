#include "rank_numbers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "comshu/core/option.h"

namespace comshu::read {
namespace {

constexpr size_t kNamedRanks = 8;

struct World {
    uint64_t id = 0;
    bool spawned = false;
    int64_t begin_ns = 0;
    int32_t size = 0;
    int32_t first_rank = 0;
};

int64_t BeginNs(const Process& process, uint64_t tick) {
    return process.scale.ToNs(tick);
}

// Worlds in the order of their numbers: those that were started before those that were spawned.
std::vector<World> FindWorlds(const std::vector<Process*>& processes) {
    std::map<uint64_t, World> by_id;
    for (const Process* process : processes) {
        for (const WorldRank& place : process->worlds) {
            const int64_t begin = BeginNs(*process, place.tick);
            const auto [found, is_new] = by_id.try_emplace(place.world);
            World& world = found->second;
            world.begin_ns = is_new ? begin : std::min(world.begin_ns, begin);
            world.id = place.world;
            world.spawned |= place.parent_world != 0 || !place.parent_job.empty();
            world.size = std::max({world.size, place.size, place.rank + 1});
        }
    }
    std::vector<World> worlds;
    for (const auto& [id, world] : by_id) worlds.push_back(world);
    std::sort(worlds.begin(), worlds.end(), [](const World& a, const World& b) {
        if (a.spawned != b.spawned) return b.spawned;
        if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
        return a.id < b.id;
    });
    int32_t next = 0;
    for (World& world : worlds) {
        world.first_rank = next;
        next += world.size;
    }
    return worlds;
}

// The rank of the process that this one continues or comes from.
int32_t InheritedRank(const Process& process, const std::vector<Process*>& processes) {
    for (const uint32_t pid : {process.pid, process.parent_pid}) {
        for (const Process* other : processes) {
            if (other != &process && pid != 0 && other->pid == pid && other->host == process.host &&
                other->boot_id == process.boot_id && other->rank != kNoRank) {
                return other->rank;
            }
        }
    }
    return kNoRank;
}

// The only rank of the only world that no process says it is; kNoRank: there are more, or none.
int32_t OnlyMissingRank(const std::vector<World>& worlds, const std::vector<Process*>& processes) {
    if (worlds.size() != 1) return kNoRank;
    std::set<int32_t> missing;
    for (int32_t rank = 0; rank < worlds.front().size; ++rank) missing.insert(rank);
    for (const Process* process : processes) missing.erase(process->rank);
    return missing.size() == 1 ? *missing.begin() : kNoRank;
}

void NumberPass(std::vector<Process*> processes) {
    const std::vector<World> worlds = FindWorlds(processes);
    int32_t next = 0;
    for (const World& world : worlds) next = world.first_rank + world.size;
    for (Process* process : processes) {
        if (process->worlds.empty()) {
            process->rank = process->own_rank;
            next = std::max(next, process->own_rank + 1);
            continue;
        }
        const WorldRank& place = process->worlds.front();
        const auto world = std::find_if(worlds.begin(), worlds.end(),
                                        [&](const World& w) { return w.id == place.world; });
        process->rank = world->first_rank + place.rank;
    }
    std::stable_sort(processes.begin(), processes.end(), [](const Process* a, const Process* b) {
        return BeginNs(*a, a->begin) < BeginNs(*b, b->begin);
    });
    // Until nothing changes: a chain of forks may be listed in any order.
    for (bool changed = true; changed;) {
        changed = false;
        for (Process* process : processes) {
            if (process->rank != kNoRank) continue;
            process->rank = InheritedRank(*process, processes);
            changed |= process->rank != kNoRank;
        }
        if (changed) continue;
        const auto left = std::find_if(processes.begin(), processes.end(),
                                       [](const Process* p) { return p->rank == kNoRank; });
        if (left == processes.end()) break;
        // The description of a rank may be damaged, but not what it did.
        const int32_t missing = (*left)->described ? kNoRank : OnlyMissingRank(worlds, processes);
        (*left)->rank = missing != kNoRank ? missing : next++;
        changed = true;
    }
}

}  // namespace

std::vector<Problem> MissingRanks(const std::vector<std::unique_ptr<Process>>& processes) {
    struct Members {
        std::set<int32_t> ranks;
        int32_t size = 0;
        std::string chosen;
        bool imported = false;
    };
    std::map<std::pair<std::string, uint64_t>, Members> worlds;
    for (const auto& process : processes) {
        for (const WorldRank& place : process->worlds) {
            Members& members = worlds[{process->pass, place.world}];
            members.ranks.insert(place.rank);
            members.size = std::max(members.size, place.size);
            members.chosen = process->chosen_ranks;
            members.imported = members.imported || process->imported;
        }
    }
    for (const auto& process : processes) {
        if (process->described || !process->worlds.empty()) continue;
        for (auto& [world, members] : worlds)
            if (world.first == process->pass) members.ranks.insert(process->rank);
    }
    std::vector<Problem> problems;
    for (const auto& [world, members] : worlds) {
        std::string missing;
        size_t count = 0;
        for (int32_t rank = 0; rank < members.size; ++rank) {
            if (members.ranks.contains(rank)) continue;
            if (!members.chosen.empty() &&
                !core::ListHolds(members.chosen, static_cast<uint64_t>(rank))) {
                continue;
            }
            if (++count <= kNamedRanks) missing += (count > 1 ? ", " : "") + std::to_string(rank);
        }
        if (count == 0) continue;
        if (count > kNamedRanks) missing += fmt::format(" and {} more", count - kNamedRanks);
        const bool is_one = count == 1;
        const std::string what = fmt::format("{}: rank{} {} of {}", world.first, is_one ? "" : "s",
                                             missing, members.size);
        if (members.imported) {
            problems.push_back(
                {ProblemKind::kInput,
                 fmt::format("{} {} not here: the imported trace has nothing of {}, or "
                             "{} removed from the capture",
                             what, is_one ? "is" : "are", is_one ? "it" : "them",
                             is_one ? "its stream was" : "their streams were")});
        } else {
            problems.push_back(
                {ProblemKind::kMissing,
                 fmt::format(
                     "{} not in the capture: {} stream is on another host, or unreadable, or "
                     "nothing was recorded",
                     what, is_one ? "its" : "their")});
        }
    }
    return problems;
}

void NumberRanks(std::vector<std::unique_ptr<Process>>* processes) {
    std::map<std::string, std::vector<Process*>> passes;
    for (const auto& process : *processes) passes[process->pass].push_back(process.get());
    for (auto& [name, members] : passes) NumberPass(members);
}

}  // namespace comshu::read
