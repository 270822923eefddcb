// What each thread did in each construct.
#ifndef COMSHU_READ_OPENMP_THREAD_TIMES_H_
#define COMSHU_READ_OPENMP_THREAD_TIMES_H_

#include <cstdint>
#include <vector>

#include "openmp/openmp_spans.h"
#include "openmp/teams.h"

namespace comshu::read {

// Constructs whose threads are looked at one by one. A region is known by its implicit tasks.
bool IsLookedAt(OmpFunction function);
OmpFunction ShownAs(OmpFunction function);
// Whether its time is taken off the work of what is around it.
bool IsWaitInWork(OmpFunction function);
// Time of the tasks that run directly inside of each span: those that run while their thread waits are no
// waiting.
std::vector<int64_t> TasksInside(const OpenmpLane& lane);

// Members run what tasks are left while they wait at the end of their region: behind their part of it.
// Of the thread that started the region these lie in its wait, of the others in nothing.
class TasksBehind {
public:
    TasksBehind(const OpenmpSpans& spans, const OpenmpLane& lane);

    // Time of the tasks behind a part.
    int64_t After(uint32_t part) const { return time_[part]; }
    // What a span is in: its parent, and of a task behind a part, that part.
    uint32_t Around(uint32_t span) const { return around_[span]; }

private:
    std::vector<int64_t> time_;
    std::vector<uint32_t> around_;
};

// Sums over all executions of one construct by one thread in one place of a team. Waiting is what lies
// anywhere inside; a construct that is met again inside of itself counts once.
struct ThreadTime {
    uint32_t process_id = 0;
    uint32_t thread = 0;
    uint32_t omp_thread = kNoTeamNumber;
    uint32_t team = 0;  // See Membership.
    uint32_t member = 0;
    uint64_t construct = 0;
    OmpFunction function = OmpFunction::parallel;
    uint64_t calls = 0;
    int64_t time_ns = 0;  // Of a region: of the thread's part, without waiting at its end.
    int64_t barrier_wait_ns = 0;
    int64_t critical_wait_ns = 0;
    int64_t critical_hold_ns = 0;
    int64_t ordered_wait_ns = 0;
    int64_t task_wait_ns = 0;
    int64_t io_ns = 0;
    int64_t end_wait_ns = 0;  // At the end of a region.
    uint64_t iterations = 0;
    uint64_t chunks = 0;
    // The work of what was met in this place: also in a region that its own construct is around.
    int64_t member_work_ns = 0;

    int64_t work_ns() const {
        return time_ns - barrier_wait_ns - critical_wait_ns - ordered_wait_ns - task_wait_ns;
    }
};
std::vector<ThreadTime> ThreadTimes(const OpenmpSpans& spans, const Teams& teams);

// One execution of a parallel region.
struct RegionTime {
    uint32_t process_id = 0;
    uint32_t thread = 0;
    uint64_t construct = 0;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t serial_before_ns =
        0;  // Since the region before on this thread ended, or since its first event.
    bool is_outermost = false;  // Not inside another region.
};
std::vector<RegionTime> RegionTimes(const OpenmpSpans& spans);

// How often a thread got a chunk of so many iterations.
struct ChunkCount {
    uint32_t process_id = 0;
    uint32_t thread = 0;
    uint32_t omp_thread = kNoTeamNumber;
    uint64_t construct = 0;
    uint64_t iterations = 0;
    uint64_t chunks = 0;
};
// Chunks are told by the runtime (ompt), or follow from iterations: where a chunk size was given, those
// of one multiple of it; else runs without a gap.
std::vector<ChunkCount> ChunkCounts(const OpenmpSpans& spans);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_THREAD_TIMES_H_
