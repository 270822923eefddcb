#include "openmp/thread_times.h"

#include <algorithm>
#include <map>
#include <tuple>

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

// What a team shares, whichever level its region was told at.
bool IsWorksharing(OmpFunction function) {
    return function == OmpFunction::loop || function == OmpFunction::sections ||
           function == OmpFunction::single || function == OmpFunction::workshare;
}

// Tasks that run while their thread waits are no waiting.
int64_t OwnTime(const OpenmpSpan& span, int64_t in_tasks) {
    return std::max<int64_t>(0, span.duration() - in_tasks);
}

class LaneTimes {
public:
    LaneTimes(const OpenmpSpans& spans, const Teams& teams, uint32_t lane)
        : spans_(spans),
          teams_(teams),
          number_(lane),
          lane_(spans.lanes()[lane]),
          tasks_(TasksInside(lane_)),
          behind_(spans, lane_),
          parts_(PartsAround(lane_, behind_)) {}

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
    void AddChunks(uint32_t loop, uint64_t iterations, uint64_t chunks) {
        ThreadTime& time = Time(loop);
        time.iterations += iterations * chunks;
        time.chunks += chunks;
    }

private:
    // Construct, function, team, member.
    using Key = std::tuple<uint64_t, OmpFunction, uint32_t, uint32_t>;

    ThreadTime& Time(uint32_t index) {
        const OpenmpSpan& span = lane_.spans[index];
        const Membership& is = parts_[index] == kNoSpan && IsWorksharing(span.function)
                                   ? teams_.Unseen(number_)
                                   : teams_.Of(number_, parts_[index]);
        ThreadTime& time = times_[Key(span.construct, ShownAs(span.function), is.team, is.member)];
        time.process_id = lane_.process;
        time.thread = lane_.thread;
        time.omp_thread = lane_.omp_thread;
        time.team = is.team;
        time.member = is.member;
        time.construct = span.construct;
        time.function = ShownAs(span.function);
        return time;
    }

    // The innermost span around one that is the same construct.
    uint32_t SameAround(uint32_t index) const {
        const OpenmpSpan& span = lane_.spans[index];
        uint32_t i = span.parent;
        while (i != kNoSpan &&
               !(lane_.spans[i].is_openmp && lane_.spans[i].construct == span.construct &&
                 lane_.spans[i].function == span.function))
            i = lane_.spans[i].parent;
        return i;
    }

    void AddConstruct(uint32_t index) {
        const OpenmpSpan& span = lane_.spans[index];
        ThreadTime& time = Time(index);
        ++time.calls;
        const int64_t ns = span.duration() + behind_.After(index);
        const uint32_t around = SameAround(index);
        if (around == kNoSpan) time.time_ns += ns;
        if (around == kNoSpan || parts_[around] != parts_[index]) time.member_work_ns += ns;
        if (span.function != OmpFunction::implicit_task) return;
        const SpanPlace region = spans_.Region(lane_.process, span.region);
        if (region.span != kNoSpan)
            time.end_wait_ns +=
                std::max<int64_t>(0, spans_.At(region).end_ns - span.end_ns - behind_.After(index));
    }

    // Adds a wait to every construct around it, each once, and in each place of a team once.
    void AddInside(uint32_t index) {
        const OpenmpSpan& span = lane_.spans[index];
        const int64_t own = OwnTime(span, tasks_[index]);
        seen_.clear();
        for (uint32_t i = span.parent; i != kNoSpan; i = behind_.Around(i)) {
            const OpenmpSpan& around = lane_.spans[i];
            if (!around.is_openmp || !IsLookedAt(around.function)) continue;
            ThreadTime& time = Time(i);
            bool is_again = false, is_here_again = false;
            for (const ThreadTime* seen : seen_) {
                is_again = is_again ||
                           (seen->construct == time.construct && seen->function == time.function);
                is_here_again = is_here_again || seen == &time;
            }
            if (is_here_again) continue;
            seen_.push_back(&time);
            if (IsWaitInWork(span.function)) time.member_work_ns -= own;
            if (!is_again) *WaitOf(span.function, &time) += own;
        }
    }

    const OpenmpSpans& spans_;
    const Teams& teams_;
    const uint32_t number_;
    const OpenmpLane& lane_;
    std::map<Key, ThreadTime> times_;
    const std::vector<int64_t> tasks_;
    const TasksBehind behind_;
    const std::vector<uint32_t> parts_;
    std::vector<const ThreadTime*> seen_;
};

// The chunks of a static schedule that a thread was told of in one loop. Where the program works them out
// itself that is the first alone: number `thread` of those of the loop, as if there were that many. From
// there it gets each that is as many further as there are threads. Without a chunk size the first is all,
// and the loop ends before the next.
struct StaticChunks {
    int64_t first = 0;
    uint64_t size = 0;
    uint64_t told = 0;
};

template <typename Visit>
void VisitStatic(const StaticChunks& of, uint64_t all, const OpenmpSpan& part, Visit visit) {
    const uint64_t thread = part.thread_num;
    const uint64_t threads = part.team_size;
    const uint64_t size = of.size;
    if (of.told > 1 || thread >= threads || static_cast<uint64_t>(of.first) != thread * size)
        return visit(size, 1);
    if (thread * size >= all) return;
    const uint64_t chunks = (all - 1) / size + 1;
    const uint64_t own = (chunks - 1 - thread) / threads + 1;
    const uint64_t rest = (chunks - 1) % threads == thread ? all % size : 0;
    if (rest != 0) visit(rest, 1);
    if (own > (rest != 0 ? 1 : 0)) visit(size, own - (rest != 0 ? 1 : 0));
}

// Calls `visit(loop, iterations, chunks)` for the chunks of a lane; loops by the index of their span.
template <typename Visit>
void ForEachChunk(const OpenmpLane& lane, Visit visit) {
    struct Run {
        int64_t last = 0;
        int64_t multiple = 0;
        uint64_t iterations = 0;
    };
    std::map<uint32_t, Run> runs;  // Of each loop that is met, by index of its span.
    std::map<uint32_t, StaticChunks> statics;
    for (const OpenmpIteration& iteration : lane.iterations) {
        const uint32_t at = lane.Find(iteration.loop);
        if (at == kNoSpan || !lane.spans[at].is_openmp) continue;
        const OpenmpLoop* loop = lane.FindLoop(iteration.loop);
        if (iteration.chunk_iterations != 0) {
            const bool is_static = loop != nullptr && loop->iterations != 0;
            if (is_static && statics[at].told++ == 0) {
                statics[at].first = iteration.index;
                statics[at].size = iteration.chunk_iterations;
            } else {
                visit(at, iteration.chunk_iterations, 1);
            }
            continue;
        }
        if (lane.spans[at].function != OmpFunction::loop || loop == nullptr || loop->step == 0)
            continue;
        const int64_t number = (iteration.index - loop->first) / loop->step;
        const int64_t multiple = loop->chunk > 0 ? number / loop->chunk : 0;
        Run& run = runs[at];
        if (run.iterations > 0 && (number != run.last + 1 || multiple != run.multiple)) {
            visit(at, run.iterations, 1);
            run.iterations = 0;
        }
        run.last = number;
        run.multiple = multiple;
        ++run.iterations;
    }
    for (const auto& [at, run] : runs) {
        if (run.iterations > 0) visit(at, run.iterations, 1);
    }
    for (const auto& [loop, chunks] : statics) {
        const uint32_t at = loop;
        const uint32_t part = OpenmpSpans::PartAround(lane, at);
        VisitStatic(chunks, lane.FindLoop(lane.spans[at].number)->iterations,
                    part == kNoSpan ? OpenmpSpan() : lane.spans[part],
                    [&](uint64_t size, uint64_t times) { visit(at, size, times); });
    }
}

}  // namespace

std::vector<ThreadTime> ThreadTimes(const OpenmpSpans& spans, const Teams& teams) {
    std::vector<ThreadTime> times;
    for (uint32_t lane = 0; lane < spans.lanes().size(); ++lane) {
        LaneTimes of_lane(spans, teams, lane);
        ForEachChunk(spans.lanes()[lane], [&](uint32_t loop, uint64_t iterations, uint64_t chunks) {
            of_lane.AddChunks(loop, iterations, chunks);
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
        ForEachChunk(lane, [&](uint32_t loop, uint64_t iterations, uint64_t chunks) {
            of_lane[{lane.spans[loop].construct, iterations}] += chunks;
        });
        for (const auto& [key, chunks] : of_lane)
            counts.push_back(
                {lane.process, lane.thread, lane.omp_thread, key.first, key.second, chunks});
    }
    return counts;
}

}  // namespace comshu::read
