#include "openmp/thread_times.h"

#include <algorithm>
#include <map>

namespace comshu::read {

bool IsLookedAt(OmpFunction function) {
    switch (function) {
        case OmpFunction::implicit_task:
        case OmpFunction::loop:
        case OmpFunction::taskloop:
        case OmpFunction::sequential_loop:
        case OmpFunction::sections:
        case OmpFunction::workshare:
        case OmpFunction::single:
            return true;
        default:
            return false;
    }
}

OmpFunction ShownAs(OmpFunction function) {
    return function == OmpFunction::implicit_task ? OmpFunction::parallel : function;
}

bool IsWaitInWork(OmpFunction function) {
    switch (function) {
        case OmpFunction::barrier_wait:
        case OmpFunction::implicit_barrier_wait:
        case OmpFunction::critical_wait:
        case OmpFunction::ordered_wait:
        case OmpFunction::taskwait_wait:
        case OmpFunction::taskgroup_wait:
            return true;
        default:
            return false;
    }
}

std::vector<int64_t> TasksInside(const OpenmpLane& lane) {
    std::vector<int64_t> tasks(lane.spans.size(), 0);
    for (const OpenmpSpan& span : lane.spans) {
        if (span.is_openmp && span.function == OmpFunction::task && span.parent != kNoSpan)
            tasks[span.parent] += span.duration();
    }
    return tasks;
}

TasksBehind::TasksBehind(const OpenmpSpans& spans, const OpenmpLane& lane)
    : time_(lane.spans.size(), 0), around_(lane.spans.size(), kNoSpan) {
    std::map<uint32_t, uint32_t> last;  // The last part of a region in each span.
    for (uint32_t i = 0; i < lane.spans.size(); ++i) {
        const OpenmpSpan& span = lane.spans[i];
        around_[i] = span.parent;
        if (!span.is_openmp) continue;
        if (span.function == OmpFunction::implicit_task) last[span.parent] = i;
        if (span.function != OmpFunction::task) continue;
        uint32_t around = span.parent;
        if (around != kNoSpan && lane.spans[around].is_openmp &&
            lane.spans[around].function == OmpFunction::implicit_barrier_wait)
            around = lane.spans[around].parent;
        const auto part = last.find(around);
        if (part == last.end() || span.begin_ns < lane.spans[part->second].end_ns) continue;
        const SpanPlace region = spans.Region(lane.process, lane.spans[part->second].region);
        if (region.span == kNoSpan || span.begin_ns >= spans.At(region).end_ns) continue;
        around_[i] = part->second;
        time_[part->second] += span.duration();
    }
}

namespace {

int64_t* WaitOf(OmpFunction function, ThreadTime* time) {
    switch (function) {
        case OmpFunction::barrier_wait:
        case OmpFunction::implicit_barrier_wait:
            return &time->barrier_wait_ns;
        case OmpFunction::critical_wait:
            return &time->critical_wait_ns;
        case OmpFunction::critical:
            return &time->critical_hold_ns;
        case OmpFunction::ordered_wait:
            return &time->ordered_wait_ns;
        case OmpFunction::taskwait_wait:
        case OmpFunction::taskgroup_wait:
            return &time->task_wait_ns;
        case OmpFunction::io:
            return &time->io_ns;
        default:
            return nullptr;
    }
}

// Tasks that run while their thread waits are no waiting.
int64_t OwnTime(const OpenmpSpan& span, int64_t in_tasks) {
    return std::max<int64_t>(0, span.duration() - in_tasks);
}

class LaneTimes {
public:
    LaneTimes(const OpenmpSpans& spans, const OpenmpLane& lane)
        : spans_(spans), lane_(lane), tasks_(TasksInside(lane)), behind_(spans, lane) {}

    void AddTo(std::vector<ThreadTime>* out) {
        for (uint32_t i = 0; i < lane_.spans.size(); ++i) {
            const OpenmpSpan& span = lane_.spans[i];
            if (!span.is_openmp) continue;
            if (IsLookedAt(span.function)) AddConstruct(i);
            ThreadTime none;
            if (WaitOf(span.function, &none) != nullptr) AddInside(i);
        }
        for (auto& [key, time] : times_) out->push_back(time);
    }
    void AddChunk(uint64_t construct, OmpFunction function, uint64_t iterations) {
        ThreadTime& time = Time(construct, function);
        time.iterations += iterations;
        ++time.chunks;
    }

private:
    ThreadTime& Time(uint64_t construct, OmpFunction function) {
        ThreadTime& time = times_[{construct, ShownAs(function)}];
        time.process_id = lane_.process;
        time.thread = lane_.thread;
        time.construct = construct;
        time.function = ShownAs(function);
        return time;
    }

    bool IsInsideItself(const OpenmpSpan& span) const {
        for (uint32_t i = span.parent; i != kNoSpan; i = lane_.spans[i].parent) {
            if (lane_.spans[i].is_openmp && lane_.spans[i].construct == span.construct &&
                lane_.spans[i].function == span.function)
                return true;
        }
        return false;
    }

    void AddConstruct(uint32_t index) {
        const OpenmpSpan& span = lane_.spans[index];
        ThreadTime& time = Time(span.construct, span.function);
        ++time.calls;
        if (!IsInsideItself(span)) time.time_ns += span.duration() + behind_.After(index);
        if (span.function != OmpFunction::implicit_task) return;
        const SpanPlace region = spans_.Region(lane_.process, span.region);
        if (region.span != kNoSpan)
            time.end_wait_ns +=
                std::max<int64_t>(0, spans_.At(region).end_ns - span.end_ns - behind_.After(index));
    }

    // Adds a wait to every construct around it, each once.
    void AddInside(uint32_t index) {
        const OpenmpSpan& span = lane_.spans[index];
        std::vector<ThreadTime*> seen;
        for (uint32_t i = span.parent; i != kNoSpan; i = behind_.Around(i)) {
            const OpenmpSpan& around = lane_.spans[i];
            if (!around.is_openmp || !IsLookedAt(around.function)) continue;
            ThreadTime& time = Time(around.construct, around.function);
            if (std::find(seen.begin(), seen.end(), &time) != seen.end()) continue;
            seen.push_back(&time);
            *WaitOf(span.function, &time) += OwnTime(span, tasks_[index]);
        }
    }

    const OpenmpSpans& spans_;
    const OpenmpLane& lane_;
    std::map<std::pair<uint64_t, OmpFunction>, ThreadTime> times_;
    const std::vector<int64_t> tasks_;
    const TasksBehind behind_;
};

// Calls `visit(loop, iterations)` for each chunk of a lane.
template <typename Visit>
void ForEachChunk(const OpenmpLane& lane, Visit visit) {
    struct Run {
        int64_t last = 0;
        int64_t multiple = 0;
        uint64_t iterations = 0;
    };
    std::map<uint32_t, Run> runs;  // Of each loop that is met, by index of its span.
    for (const OpenmpIteration& iteration : lane.iterations) {
        const uint32_t at = lane.Find(iteration.loop);
        if (at == kNoSpan || !lane.spans[at].is_openmp) continue;
        const OpenmpSpan& loop = lane.spans[at];
        if (iteration.chunk_iterations != 0) {
            visit(loop, iteration.chunk_iterations);
            continue;
        }
        if (loop.function != OmpFunction::loop || loop.step == 0) continue;
        const int64_t number = (iteration.index - loop.first) / loop.step;
        const int64_t multiple = loop.chunk > 0 ? number / loop.chunk : 0;
        Run& run = runs[at];
        if (run.iterations > 0 && (number != run.last + 1 || multiple != run.multiple)) {
            visit(loop, run.iterations);
            run.iterations = 0;
        }
        run.last = number;
        run.multiple = multiple;
        ++run.iterations;
    }
    for (const auto& [at, run] : runs) {
        if (run.iterations > 0) visit(lane.spans[at], run.iterations);
    }
}

}  // namespace

std::vector<ThreadTime> ThreadTimes(const OpenmpSpans& spans) {
    std::vector<ThreadTime> times;
    for (const OpenmpLane& lane : spans.lanes()) {
        LaneTimes of_lane(spans, lane);
        ForEachChunk(lane, [&](const OpenmpSpan& loop, uint64_t iterations) {
            of_lane.AddChunk(loop.construct, loop.function, iterations);
        });
        of_lane.AddTo(&times);
    }
    return times;
}

std::vector<RegionTime> RegionTimes(const OpenmpSpans& spans) {
    std::vector<RegionTime> regions;
    for (const OpenmpLane& lane : spans.lanes()) {
        int64_t since = lane.spans.empty() ? 0 : lane.spans.front().begin_ns;
        for (const OpenmpSpan& span : lane.spans) {
            if (!span.is_openmp || span.function != OmpFunction::parallel) continue;
            bool is_outermost = true;
            for (uint32_t i = span.parent; i != kNoSpan; i = lane.spans[i].parent) {
                is_outermost =
                    is_outermost && (!lane.spans[i].is_openmp ||
                                     lane.spans[i].function != OmpFunction::implicit_task);
            }
            RegionTime region{lane.process, lane.thread, span.construct, span.begin_ns,
                              span.end_ns,  0,           is_outermost};
            if (is_outermost) {
                region.serial_before_ns = std::max<int64_t>(0, span.begin_ns - since);
                since = span.end_ns;
            }
            regions.push_back(region);
        }
    }
    return regions;
}

std::vector<ChunkCount> ChunkCounts(const OpenmpSpans& spans) {
    std::vector<ChunkCount> counts;
    for (const OpenmpLane& lane : spans.lanes()) {
        std::map<std::pair<uint64_t, uint64_t>, uint64_t> of_lane;
        ForEachChunk(lane, [&](const OpenmpSpan& loop, uint64_t iterations) {
            ++of_lane[{loop.construct, iterations}];
        });
        for (const auto& [key, chunks] : of_lane)
            counts.push_back({lane.process, lane.thread, key.first, key.second, chunks});
    }
    return counts;
}

}  // namespace comshu::read
