// Which process of the capture a rank of a communicator is.
#ifndef COMSHU_READ_MATCHING_COMM_DIRECTORY_H_
#define COMSHU_READ_MATCHING_COMM_DIRECTORY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

// First rank of the process's world in the capture.
inline int32_t WorldBase(const Process& process) {
    if (process.worlds.empty() || process.rank == kNoRank) return 0;
    return process.rank - process.worlds.front().rank;
}

// Problem: a call names its peer by a rank of the communicator; where the peer is of another world
// the process could not say more. Idea: every member of a communicator says which rank it has itself,
// so all members together are the table. The two groups of an intercommunicator are told apart by
// their members and their world. Holds a row per communicator and member; read-only once made.
class CommDirectory {
public:
    // Of the processes of one pass.
    CommDirectory(const Capture& capture, const std::vector<const Process*>& processes);

    // The rank in the capture of `peer`, a rank of `comm`, as `process` sees it: `world_peer` is the
    // same process in the process's own world, or kNoNumber. Wildcards and MPI_PROC_NULL stay as they
    // are; kNoNumber: not known.
    int32_t PeerRank(const Process& process, uint64_t comm, int32_t peer,
                     int32_t world_peer) const {
        if (peer < 0 && peer != kNoNumber) return peer;
        if (world_peer >= 0) return WorldBase(process) + world_peer;
        return peer == kNoNumber ? kNoNumber : FindPeer(process, comm, peer);
    }

    // The rank of the process itself in `comm`; kNoNumber: not known, or an intercommunicator.
    int32_t RankIn(const Process& process, uint64_t comm) const;

private:
    struct Side {
        uint64_t world = 0;
        uint64_t members = 0;
        std::vector<int32_t> ranks;  // In the capture, by rank in the group; kNoNumber: not seen.
    };
    struct Comm {
        bool is_inter = false;
        std::vector<Side> sides;
    };

    int32_t FindPeer(const Process& process, uint64_t comm, int32_t peer) const;
    void Add(const Process& process, uint64_t comm, uint64_t members, uint64_t remote_members,
             int32_t rank);

    std::map<uint64_t, Comm> comms_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_COMM_DIRECTORY_H_
