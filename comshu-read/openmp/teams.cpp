#include "openmp/teams.h"

#include <algorithm>

#include "openmp/thread_times.h"

namespace comshu::read {
namespace {

// Apart from numbers in a team.
constexpr uint64_t kOfThread = uint64_t{1} << 32;
constexpr uint64_t kOfTeam = uint64_t{1} << 33;
constexpr uint64_t kOfProcess = uint64_t{1} << 34;
// Spans nest less deep; what is deeper is damaged.
constexpr uint32_t kDeepestTeam = 128;

bool IsPart(const OpenmpSpan& span) {
    return span.is_openmp && span.function == OmpFunction::implicit_task;
}

}  // namespace

Teams::Teams(const OpenmpSpans& spans) : spans_(spans), lanes_(spans.lanes().size()) {
    for (uint32_t l = 0; l < lanes_.size(); ++l) {
        const OpenmpLane& lane = spans.lanes()[l];
        Part& outside = lanes_[l].outside;
        outside.place = Number(Number(0, kOfProcess | lane.process), kOfThread | lane.thread);
        outside.is = {Number(outside.place, kOfTeam | 1), 0, outside.place};
        lanes_[l].unseen = {Number(Number(0, kOfProcess | lane.process), kOfTeam), lane.thread,
                            outside.place};
        for (uint32_t i = 0; i < lane.spans.size(); ++i) {
            if (IsPart(lane.spans[i])) lanes_[l].parts.push_back({i, 0, {}});
        }
    }
    for (uint32_t l = 0; l < lanes_.size(); ++l) {
        for (size_t i = 0; i < lanes_[l].parts.size(); ++i) Find(l, static_cast<uint32_t>(i), 0);
    }
}

const Membership& Teams::Of(uint32_t lane, uint32_t part) const {
    if (part == kNoSpan) return lanes_[lane].outside.is;
    const std::vector<Part>& parts = lanes_[lane].parts;
    return std::lower_bound(parts.begin(), parts.end(), part,
                            [](const Part& p, uint32_t wanted) { return p.span < wanted; })
        ->is;
}

Teams::Part Teams::Around(uint32_t lane, uint32_t span, uint32_t depth) {
    const OpenmpLane& of = spans_.lanes()[lane];
    while (span != kNoSpan && !IsPart(of.spans[span])) span = of.spans[span].parent;
    if (span == kNoSpan) return lanes_[lane].outside;
    const std::vector<Part>& parts = lanes_[lane].parts;
    const auto found =
        std::lower_bound(parts.begin(), parts.end(), span,
                         [](const Part& p, uint32_t wanted) { return p.span < wanted; });
    return Find(lane, static_cast<uint32_t>(found - parts.begin()), depth);
}

const Teams::Part& Teams::Find(uint32_t lane, uint32_t index, uint32_t depth) {
    Part& part = lanes_[lane].parts[index];
    if (part.place != 0) return part;
    const OpenmpLane& of = spans_.lanes()[lane];
    const OpenmpSpan& span = of.spans[part.span];
    const SpanPlace region = spans_.Region(of.process, span.region);
    const Part& outside = lanes_[lane].outside;
    if (region.span == kNoSpan || depth > kDeepestTeam) {
        part.place = outside.place;
        part.is = {0, of.thread, outside.is.worker};
        return part;
    }
    const Part starter = Around(region.lane, region.span, depth + 1);
    const bool is_starter = region.lane == lane && region.span < part.span;
    uint64_t number = span.thread_num;
    if (is_starter) number = 0;
    if (number == kNoTeamNumber) number = kOfThread | of.thread;
    part.place = Number(starter.place, number);
    part.is.team = Number(starter.place, kOfTeam | span.team_size);
    part.is.member = static_cast<uint32_t>(number);
    part.is.worker = number == 0 ? starter.is.worker : part.place;
    return part;
}

uint32_t Teams::Number(uint32_t of, uint64_t key) {
    return numbers_.try_emplace({of, key}, static_cast<uint32_t>(numbers_.size() + 1))
        .first->second;
}

std::vector<uint32_t> PartsAround(const OpenmpLane& lane, const TasksBehind& behind) {
    std::vector<uint32_t> parts(lane.spans.size(), kNoSpan);
    for (uint32_t i = 0; i < parts.size(); ++i) {
        const uint32_t around = behind.Around(i);
        parts[i] = IsPart(lane.spans[i]) ? i : around < i ? parts[around] : kNoSpan;
    }
    return parts;
}

}  // namespace comshu::read
