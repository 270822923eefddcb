#include "world_links.h"

#include <algorithm>
#include <limits>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "definitions.h"

namespace comshu::read {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint64_t kUnknownRank = static_cast<uint64_t>(std::numeric_limits<int32_t>::min());

struct LinkedWorld {
    std::string job;
    std::string parent_job;
    int32_t first_rank = std::numeric_limits<int32_t>::max();
    int64_t begin_ns = kNever;
};

// A communicator across worlds, as one world sees it.
struct WorldSide {
    uint64_t comm = 0;
    uint64_t world = 0;
    uint64_t parent = 0;
    uint64_t place = 0;
    int64_t made_ns = kNever;
    std::vector<int32_t> members;
    size_t remote_size = 0;
    std::string port;
    int32_t spawner = kNoRank;
    bool of_parent = false;
    bool across = false;
    bool linked = false;

    bool Faces(const WorldSide& other) const {
        return world != other.world && members.size() == other.remote_size &&
               remote_size == other.members.size();
    }
};

class Linker {
public:
    Linker(const Capture& capture, const std::string& pass) : capture_(capture) {
        for (const auto& process : capture.processes()) {
            if (process->pass != pass || process->worlds.empty()) continue;
            const WorldRank& place = process->worlds.front();
            LinkedWorld& world = worlds_[place.world];
            world.job = place.job;
            world.parent_job = place.parent_job;
            world.first_rank = std::min(world.first_rank, process->rank - place.rank);
            world.begin_ns = std::min(world.begin_ns, process->scale.ToNs(process->begin));
        }
        for (const Block& block : capture.blocks()) {
            const Process& process = *capture.processes()[block.process];
            if (block.definitions() && process.pass == pass && !process.worlds.empty())
                ReadDefinitions(block, process);
        }
        for (auto& [comm, side] : by_comm_) {
            if (side.across) sides_.push_back(&side);
        }
        std::sort(sides_.begin(), sides_.end(), [this](const WorldSide* a, const WorldSide* b) {
            const int32_t first = worlds_[a->world].first_rank;
            const int32_t second = worlds_[b->world].first_rank;
            return std::tie(first, a->made_ns, a->comm) < std::tie(second, b->made_ns, b->comm);
        });
    }

    void Unite(std::unordered_map<uint64_t, uint64_t>* numbers) {
        LinkSpawned();
        LinkPorts();
        for (const WorldSide* side : sides_) {
            const uint64_t number = Number(side->comm);
            if (number != side->comm) numbers->emplace(side->comm, number);
        }
    }

private:
    void ReadDefinitions(const Block& block, const Process& process) {
        core::BlockDecoder decoder = capture_.DecoderFor(block);
        if (!capture_.OpenBlock(block, &decoder)) return;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (layout == nullptr) continue;
            const bool across = layout->name == "MpiCommAcross";
            if (!across && layout->name != "MpiComm") continue;
            Fields fields(&decoder, type);
            for (size_t row = 0; row < fields.rows(); ++row) {
                WorldSide& side = by_comm_[fields.Get(row, "comm")];
                side.comm = fields.Get(row, "comm");
                side.world = process.worlds.front().world;
                if (across)
                    AddAcross(&fields, row, &side);
                else
                    AddComm(&fields, row, process, &side);
            }
        }
    }

    void AddComm(Fields* fields, size_t row, const Process& process, WorldSide* side) const {
        const Artifacts& artifacts = capture_.artifacts();
        side->parent = fields->Get(row, "parent");
        side->made_ns = std::min(side->made_ns, process.scale.ToNs(fields->Get(row, "tick")));
        side->members = artifacts.Int32List(fields->Get(row, "members"));
        side->remote_size = artifacts.Int32List(fields->Get(row, "remote_members")).size();
    }

    void AddAcross(Fields* fields, size_t row, WorldSide* side) const {
        const std::string& port = capture_.artifacts().Text(fields->Get(row, "port"));
        if (!port.empty()) side->port = port;
        side->place = fields->Get(row, "place");
        side->spawner = static_cast<int32_t>(fields->Get(row, "spawner", kUnknownRank));
        side->of_parent = fields->Get(row, "of_parent") != 0;
        side->across = true;
    }

    void Link(WorldSide* first, WorldSide* second) {
        first->linked = second->linked = true;
        numbers_[second->comm] = first->comm;
    }

    bool IsSpawnOf(const WorldSide& spawn, const WorldSide& child) {
        const LinkedWorld& world = worlds_[child.world];
        return !spawn.linked && !spawn.of_parent && spawn.port.empty() && spawn.Faces(child) &&
               worlds_[spawn.world].job == world.parent_job && spawn.made_ns > world.begin_ns &&
               (child.spawner == kNoRank || std::find(spawn.members.begin(), spawn.members.end(),
                                                      child.spawner) != spawn.members.end());
    }

    void LinkSpawned() {
        std::vector<WorldSide*> children;
        std::copy_if(sides_.begin(), sides_.end(), std::back_inserter(children),
                     [](const WorldSide* side) { return side->of_parent; });
        std::sort(children.begin(), children.end(), [this](const WorldSide* a, const WorldSide* b) {
            return worlds_[a->world].begin_ns < worlds_[b->world].begin_ns;
        });
        for (WorldSide* child : children) {
            WorldSide* found = nullptr;
            for (WorldSide* side : sides_) {
                if (IsSpawnOf(*side, *child) && (!found || side->made_ns < found->made_ns))
                    found = side;
            }
            if (found != nullptr) Link(found, child);
        }
    }

    void LinkPorts() {
        std::map<std::string, std::vector<WorldSide*>> ports;
        for (WorldSide* side : sides_) {
            if (!side->port.empty()) ports[side->port].push_back(side);
        }
        for (auto& [port, met] : ports) {
            std::sort(met.begin(), met.end(), [](const WorldSide* a, const WorldSide* b) {
                return a->made_ns < b->made_ns;
            });
            for (auto side = met.begin(); side != met.end(); ++side) {
                if ((*side)->linked) continue;
                const auto other =
                    std::find_if(side + 1, met.end(), [&](const WorldSide* candidate) {
                        return !candidate->linked && candidate->Faces(**side);
                    });
                if (other == met.end()) continue;
                const bool in_order =
                    worlds_[(*side)->world].first_rank < worlds_[(*other)->world].first_rank;
                if (in_order)
                    Link(*side, *other);
                else
                    Link(*other, *side);
            }
        }
    }

    // Of those that were made of one parent and have the same place there, that of the first side.
    uint64_t Number(uint64_t comm) {
        const auto [known, is_new] = numbers_.try_emplace(comm, comm);
        if (!is_new) return known->second;
        const auto side = by_comm_.find(comm);
        if (side == by_comm_.end() || side->second.place == 0) return comm;
        const std::pair key(Number(side->second.parent), side->second.place);
        return numbers_[comm] = by_place_.try_emplace(key, comm).first->second;
    }

    const Capture& capture_;
    std::map<uint64_t, LinkedWorld> worlds_;
    std::map<uint64_t, WorldSide> by_comm_;
    std::vector<WorldSide*> sides_;  // By world, then time.
    std::map<uint64_t, uint64_t> numbers_;
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> by_place_;
};

}  // namespace

std::unordered_map<uint64_t, uint64_t> UniteComms(const Capture& capture) {
    std::map<std::string, std::set<uint64_t>> worlds;
    for (const auto& process : capture.processes()) {
        for (const WorldRank& place : process->worlds) worlds[process->pass].insert(place.world);
    }
    std::unordered_map<uint64_t, uint64_t> numbers;
    for (const auto& [pass, of_pass] : worlds) {
        if (of_pass.size() > 1) Linker(capture, pass).Unite(&numbers);
    }
    return numbers;
}

}  // namespace comshu::read
