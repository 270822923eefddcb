#include "openmp/execution_imbalance.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "openmp/thread_times.h"

namespace comshu::read {
namespace {

// A construct as one thread met it once.
struct Part {
    uint32_t process;
    OmpFunction function;
    uint64_t construct;
    uint64_t region;
    uint64_t number;  // On this thread in this region.
    int64_t work_ns;

    auto Construct() const { return std::tie(process, construct, function); }
    auto Execution() const { return std::tie(process, construct, function, region, number); }
};

class LaneParts {
public:
    LaneParts(const OpenmpSpans& spans, const OpenmpLane& lane)
        : lane_(lane), behind_(spans, lane), waits_(lane.spans.size(), 0) {}

    void AddTo(std::vector<Part>* parts) {
        const std::vector<int64_t> tasks = TasksInside(lane_);
        for (uint32_t i = 0; i < lane_.spans.size(); ++i) {
            const OpenmpSpan& span = lane_.spans[i];
            if (!span.is_openmp || !IsWaitInWork(span.function)) continue;
            const int64_t own = std::max<int64_t>(0, span.duration() - tasks[i]);
            for (uint32_t a = span.parent; a != kNoSpan; a = behind_.Around(a)) waits_[a] += own;
        }
        std::map<std::tuple<uint32_t, uint64_t, OmpFunction>, uint64_t> met;
        for (uint32_t i = 0; i < lane_.spans.size(); ++i) {
            const OpenmpSpan& span = lane_.spans[i];
            if (!span.is_openmp || !IsLookedAt(span.function)) continue;
            const uint32_t part_of = PartOfRegion(i);
            if (part_of == kNoSpan || lane_.spans[part_of].region == 0) continue;
            const uint64_t number = met[{part_of, span.construct, span.function}]++;
            parts->push_back({lane_.process, ShownAs(span.function), span.construct,
                              lane_.spans[part_of].region, number,
                              span.duration() + behind_.After(i) - waits_[i]});
        }
    }

private:
    uint32_t PartOfRegion(uint32_t i) const {
        while (i != kNoSpan &&
               !(lane_.spans[i].is_openmp && lane_.spans[i].function == OmpFunction::implicit_task))
            i = behind_.Around(i);
        return i;
    }

    const OpenmpLane& lane_;
    const TasksBehind behind_;
    std::vector<int64_t> waits_;  // Inside of each span.
};

}  // namespace

std::vector<ExecutionImbalance> ExecutionImbalances(const OpenmpSpans& spans) {
    std::vector<Part> parts;
    for (const OpenmpLane& lane : spans.lanes()) LaneParts(spans, lane).AddTo(&parts);
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.Execution() < b.Execution(); });
    std::vector<ExecutionImbalance> all;
    const Part* before = nullptr;
    for (size_t begin = 0; begin < parts.size();) {
        size_t end = begin;
        int64_t most = parts[begin].work_ns, sum = 0;
        for (; end < parts.size() && parts[end].Execution() == parts[begin].Execution(); ++end) {
            most = std::max(most, parts[end].work_ns);
            sum += parts[end].work_ns;
        }
        const Part& part = parts[begin];
        if (before == nullptr || before->Construct() != part.Construct())
            all.push_back({part.process, part.construct, part.function, 0, 0, 0});
        const auto threads = static_cast<int64_t>(end - begin);
        all.back().imbalance_ns += most * threads - sum;
        all.back().work_max_ns += most;
        all.back().work_avg_ns += static_cast<double>(sum) / static_cast<double>(threads);
        before = &part;
        begin = end;
    }
    return all;
}

}  // namespace comshu::read
