// Numbers the instances of collective operations.
#ifndef COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_
#define COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_

#include <cstdint>
#include <vector>

#include "matching/flat_map.h"
#include "matching/match_rows.h"

namespace comshu::read {

// The collectives of a communicator whose order tells which belong together.
struct CollectiveLane {
    uint64_t comm = 0;
    uint64_t count = 0;  // Instances.
    int64_t first_begin = kNoTime;
    uint32_t pass = 0;
    uint32_t lane = 0;
};

// Problem: an instance needs a number that does not depend on the order in which processes are read, nor
// on how many read them. MPI has all members of a communicator call its collectives in the same order,
// so the k-th of each member is one instance; those of a persistent request count among themselves
// (`lane`: which MPI_*_init of the communicator it was, from 1; 0 for all others). Idea: while a capture is
// matched an instance is its lane and k; when all lanes are known InstanceNumbers gives the numbers.
// Serves one pass after the other. Not thread-safe.
class CollectiveTable {
public:
    // What follows is of this pass.
    void SetPass(uint32_t pass);
    // The instance that the next collective of `rank` on `comm` belongs to, as lane and k.
    uint64_t Next(uint64_t comm, uint32_t lane, int32_t rank, int64_t begin);
    // `count` collectives of `rank` were not recorded.
    void Skip(uint64_t comm, uint32_t lane, int32_t rank, uint64_t count);

    const std::vector<CollectiveLane>& lanes() const { return lanes_; }

private:
    struct LaneKey {
        uint64_t comm = 0;
        uint32_t lane = 0;
        uint32_t pass = 0;
        bool operator==(const LaneKey&) const = default;
    };
    struct LaneHash {
        uint64_t operator()(const LaneKey& key) const {
            return MixBits(key.comm ^ (uint64_t{key.lane} << 32) ^ (uint64_t{key.pass} << 56));
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
    uint64_t Count(uint32_t lane, int32_t rank, uint64_t more);

    std::vector<CollectiveLane> lanes_;
    FlatMap<LaneKey, uint32_t, LaneHash> by_key_;
    FlatMap<MemberKey, uint64_t, MemberHash> counts_;  // Collectives that a member has done.
    uint32_t pass_ = 0;
    // Most collectives are on the communicator of the one before.
    static constexpr uint32_t kNoLane = ~uint32_t{0};
    LaneKey last_key_;
    uint32_t last_lane_ = kNoLane;
};

// Numbers from 1: the instances of one lane follow each other, the lane that began first comes first.
class InstanceNumbers {
public:
    // `own`: the lanes of the table that the instances are of; `all`: those of all tables that matched
    // parts of the capture.
    InstanceNumbers(const std::vector<CollectiveLane>& own, const std::vector<CollectiveLane>& all);

    uint64_t Of(uint64_t instance) const;

private:
    std::vector<uint64_t> before_;  // By lane of the table: instances of the lanes before it.
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_COLLECTIVE_TABLE_H_
