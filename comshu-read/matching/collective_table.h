// Numbers the instances of collective operations.
#ifndef COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_
#define COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_

#include <cstdint>
#include <vector>

#include "matching/flat_map.h"
#include "matching/match_rows.h"

namespace comshu::read {

// MPI has all members of a communicator call its collectives in the same order, so the k-th of each
// member is one instance. Those of a persistent request count among themselves (`lane`: which
// MPI_*_init of the communicator it was, from 1; 0 for all others). Not thread-safe.
class CollectiveTable {
public:
    explicit CollectiveTable(uint64_t last_instance = 0) : last_instance_(last_instance) {}

    uint64_t last_instance() const { return last_instance_; }
    // The instance that the next collective of `rank` on `comm` belongs to; unique in the capture.
    uint64_t Next(uint64_t comm, uint32_t lane, int32_t rank);
    // `count` collectives of `rank` were not recorded.
    void Skip(uint64_t comm, uint32_t lane, int32_t rank, uint64_t count);

private:
    struct LaneKey {
        uint64_t comm = 0;
        uint32_t lane = 0;
        bool operator==(const LaneKey&) const = default;
    };
    struct LaneHash {
        uint64_t operator()(const LaneKey& key) const {
            return MixBits(key.comm ^ (uint64_t{key.lane} << 32));
        }
    };
    struct MemberKey {
        uint32_t lane = 0;  // Index into lanes_.
        int32_t rank = 0;
        bool operator==(const MemberKey&) const = default;
    };
    struct MemberHash {
        uint64_t operator()(const MemberKey& key) const {
            return MixBits(uint64_t{key.lane} << 32 | static_cast<uint32_t>(key.rank));
        }
    };

    uint32_t FindLane(uint64_t comm, uint32_t lane);
    uint64_t* FindCount(uint32_t lane, int32_t rank);

    std::vector<std::vector<uint64_t>>
        lanes_;  // Instances of each lane, in order; 0: not yet seen.
    FlatMap<LaneKey, uint32_t, LaneHash> by_key_;
    FlatMap<MemberKey, uint64_t, MemberHash> counts_;  // Collectives that a member has done.
    uint64_t last_instance_;
    // Most collectives are on the communicator of the one before.
    static constexpr uint32_t kNoLane = ~uint32_t{0};
    LaneKey last_key_;
    uint32_t last_lane_ = kNoLane;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_
