#include "matching/collective_table.h"

namespace comshu::read {

uint32_t CollectiveTable::FindLane(uint64_t comm, uint32_t lane) {
    if (last_lane_ != kNoLane && last_key_ == LaneKey{comm, lane}) return last_lane_;
    const auto fresh = static_cast<uint32_t>(lanes_.size());
    const uint32_t found = *by_key_.Insert(LaneKey{comm, lane}, fresh);
    if (found == fresh) lanes_.emplace_back();
    last_key_ = LaneKey{comm, lane};
    last_lane_ = found;
    return found;
}

uint64_t* CollectiveTable::FindCount(uint32_t lane, int32_t rank) {
    return counts_.Insert(MemberKey{lane, rank}, 0);
}

uint64_t CollectiveTable::Next(uint64_t comm, uint32_t lane, int32_t rank) {
    const uint32_t index = FindLane(comm, lane);
    const uint64_t at = (*FindCount(index, rank))++;
    std::vector<uint64_t>& instances = lanes_[index];
    if (instances.size() <= at) instances.resize(at + 1, 0);
    if (instances[at] == 0) instances[at] = ++last_instance_;
    return instances[at];
}

void CollectiveTable::Skip(uint64_t comm, uint32_t lane, int32_t rank, uint64_t count) {
    *FindCount(FindLane(comm, lane), rank) += count;
}

}  // namespace comshu::read
