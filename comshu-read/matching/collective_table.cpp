#include "matching/collective_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace comshu::read {
namespace {

// Lane and k in one number.
constexpr int kIndexBits = 40;
constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;

using LaneKey = std::tuple<uint32_t, uint64_t, uint32_t>;

LaneKey KeyOf(const CollectiveLane& lane) {
    return {lane.pass, lane.comm, lane.lane};
}

bool IsEarlier(int64_t a, int64_t b) {
    return a != kNoTime && (b == kNoTime || a < b);
}

}  // namespace

void CollectiveTable::SetPass(uint32_t pass) {
    pass_ = pass;
    last_lane_ = kNoLane;
}

uint32_t CollectiveTable::FindLane(uint64_t comm, uint32_t lane) {
    const LaneKey key{comm, lane, pass_};
    if (last_lane_ != kNoLane && last_key_ == key) return last_lane_;
    const auto fresh = static_cast<uint32_t>(lanes_.size());
    const uint32_t found = *by_key_.Insert(key, fresh);
    if (found == fresh) lanes_.push_back(CollectiveLane{comm, 0, kNoTime, pass_, lane});
    last_key_ = key;
    last_lane_ = found;
    return found;
}

// How many there were before these.
uint64_t CollectiveTable::Count(uint32_t lane, int32_t rank, uint64_t more) {
    uint64_t& count = *counts_.Insert(MemberKey{lane, rank}, 0);
    const uint64_t before = count;
    count += more;
    lanes_[lane].count = std::max(lanes_[lane].count, count);
    return before;
}

uint64_t CollectiveTable::Next(uint64_t comm, uint32_t lane, int32_t rank, int64_t begin) {
    const uint32_t index = FindLane(comm, lane);
    CollectiveLane& found = lanes_[index];
    if (IsEarlier(begin, found.first_begin)) found.first_begin = begin;
    return uint64_t{index} << kIndexBits | Count(index, rank, 1);
}

void CollectiveTable::Skip(uint64_t comm, uint32_t lane, int32_t rank, uint64_t count) {
    Count(FindLane(comm, lane), rank, count);
}

InstanceNumbers::InstanceNumbers(const std::vector<CollectiveLane>& own,
                                 const std::vector<CollectiveLane>& all) {
    std::map<LaneKey, CollectiveLane> merged;
    for (const CollectiveLane& part : all) {
        CollectiveLane& lane = merged.emplace(KeyOf(part), part).first->second;
        lane.count = std::max(lane.count, part.count);
        if (IsEarlier(part.first_begin, lane.first_begin)) lane.first_begin = part.first_begin;
    }
    std::vector<const CollectiveLane*> lanes;
    for (const auto& [key, lane] : merged) lanes.push_back(&lane);
    std::stable_sort(lanes.begin(), lanes.end(), [](const auto* a, const auto* b) {
        return a->pass != b->pass ? a->pass < b->pass : IsEarlier(a->first_begin, b->first_begin);
    });
    std::map<LaneKey, uint64_t> before;
    uint64_t total = 0;
    for (const CollectiveLane* lane : lanes) {
        before[KeyOf(*lane)] = total;
        total += lane->count;
    }
    for (const CollectiveLane& lane : own) before_.push_back(before.at(KeyOf(lane)));
}

uint64_t InstanceNumbers::Of(uint64_t instance) const {
    return before_[instance >> kIndexBits] + (instance & kIndexMask) + 1;
}

}  // namespace comshu::read
