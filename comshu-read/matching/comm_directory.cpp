#include "matching/comm_directory.h"

#include <algorithm>

#include "definitions.h"

namespace comshu::read {

CommDirectory::CommDirectory(const Capture& capture, const std::vector<const Process*>& processes) {
    for (const Block& block : capture.blocks()) {
        if (!block.definitions()) continue;
        const Process* process = capture.processes()[block.process].get();
        if (std::find(processes.begin(), processes.end(), process) == processes.end()) continue;
        core::BlockDecoder decoder = capture.DecoderFor(block);
        if (!capture.OpenBlock(block, &decoder)) continue;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (layout == nullptr || layout->name != "MpiComm") continue;
            Fields fields(&decoder, type);
            for (size_t row = 0; row < fields.rows(); ++row) {
                Add(*process, capture.CommNumber(fields.Get(row, "comm")),
                    fields.Get(row, "members"), fields.Get(row, "remote_members"),
                    static_cast<int32_t>(fields.Get(row, "rank")));
            }
        }
    }
}

void CommDirectory::Add(const Process& process, uint64_t id, uint64_t members,
                        uint64_t remote_members, int32_t rank) {
    if (rank < 0) return;
    Comm& comm = comms_[id];
    comm.is_inter = remote_members != 0;
    Side mine;
    if (comm.is_inter) {
        mine.world = process.worlds.empty() ? 0 : process.worlds.front().world;
        mine.members = members;
    }
    auto side = std::find_if(comm.sides.begin(), comm.sides.end(), [&](const Side& other) {
        return other.world == mine.world && other.members == mine.members;
    });
    if (side == comm.sides.end()) side = comm.sides.insert(side, mine);
    const auto index = static_cast<size_t>(rank);
    if (side->ranks.size() <= index) side->ranks.resize(index + 1, kNoNumber);
    side->ranks[index] = process.rank;
}

int32_t CommDirectory::FindPeer(const Process& process, uint64_t comm_id, int32_t peer) const {
    const bool is_world = !process.worlds.empty() && process.worlds.front().world == comm_id;
    if (is_world) return WorldBase(process) + peer;
    const auto comm = comms_.find(comm_id);
    if (comm == comms_.end()) return kNoNumber;
    const std::vector<Side>& sides = comm->second.sides;
    const Side* found = nullptr;
    for (const Side& side : sides) {
        const bool is_mine =
            std::find(side.ranks.begin(), side.ranks.end(), process.rank) != side.ranks.end();
        if (is_mine != comm->second.is_inter) found = &side;
    }
    const auto index = static_cast<size_t>(peer);
    return found == nullptr || index >= found->ranks.size() ? kNoNumber : found->ranks[index];
}

int32_t CommDirectory::RankIn(const Process& process, uint64_t comm_id) const {
    if (!process.worlds.empty() && process.worlds.front().world == comm_id) {
        return process.worlds.front().rank;
    }
    const auto comm = comms_.find(comm_id);
    if (comm == comms_.end() || comm->second.is_inter) return kNoNumber;
    for (const Side& side : comm->second.sides) {
        const auto found = std::find(side.ranks.begin(), side.ranks.end(), process.rank);
        if (found != side.ranks.end()) return static_cast<int32_t>(found - side.ranks.begin());
    }
    return kNoNumber;
}

}  // namespace comshu::read
