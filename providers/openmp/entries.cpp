// Constructs, waits, procedures: everything but data.
#include "openmp/entries.h"

#include "openmp/library.h"
#include "openmp/spans.h"

namespace comshu::provider::openmp {
namespace {

using Handle = const int64_t*;
using Id = int64_t*;

constexpr int32_t kNoInt = std::numeric_limits<int32_t>::min();

// What the interface passes for a clause that is not there.
int32_t Given(const int32_t* value) {
    return *value == -1 ? kNoInt : *value;
}

template <typename Record>
void BeginOf(Handle h, Id t, OmpFunction function) {
    if (rec::ThreadState* thread = Enter(t)) BeginSpan<Record>(thread, h, function);
}

template <typename Record>
void EndOf(Handle h, Id t, OmpFunction function) {
    if (rec::ThreadState* thread = Enter(t)) EndSpan<Record>(thread, h, function);
}

void BeginLoop(Handle h, Id t, OmpFunction function, const int64_t* first, const int64_t* last,
               const int64_t* step, int32_t chunk) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* loop = OpenSpan<schema::OmpLoop>(thread, h, function);
    if (loop == nullptr) return;
    loop->mutate_first(*first);
    loop->mutate_last(*last);
    loop->mutate_step(*step);
    loop->mutate_chunk(chunk);
    rec::Begin(loop);
}

void Point(Handle h, Id t, schema::OmpPointKind kind) {
    if (Enter(t) != nullptr)
        rec::Instant(schema::OmpPoint(schema::EventHead(), ConstructOf(h), kind));
}

void Iteration(Id t, const int64_t* index) {
    if (Enter(t) != nullptr) rec::Instant(schema::OmpIteration(schema::EventHead(), *index));
}

// A member of a team that still stands in a region of before: programs of some levels do not tell its end.
void EndStale(rec::ThreadState* thread) {
    core::ThreadSlot* slot = thread->slot;
    const uint32_t depth = slot->stack_depth.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < depth && !thread->busy; ++i) {
        if (RecordIn<schema::OmpImplicitTask>(slot->stack[i]) == nullptr) continue;
        comshu_rec_close_above(thread, i);
        return;
    }
}

// A barrier may not stand inside a worksharing construct: one there is the construct's own.
bool EndsWorksharing(rec::ThreadState* thread) {
    if (const auto* loop = Innermost<schema::OmpLoop>(thread))
        return loop->function() == OmpFunction::loop;
    const auto* block = Innermost<schema::OmpBlock>(thread);
    if (block == nullptr) return false;
    const OmpFunction function = block->function();
    return function == OmpFunction::sections || function == OmpFunction::single ||
           function == OmpFunction::workshare;
}

// Where the level of a program tells no end of what is inside, it ends with the construct.
template <typename Record>
void EndIfOpen(rec::ThreadState* thread, Handle h, OmpFunction function) {
    const auto* record = Innermost<Record>(thread);
    if (record != nullptr && record->construct() == ConstructOf(h) &&
        record->function() == function)
        EndSpan<Record>(thread, h, function);
}

void EndOpenSection(rec::ThreadState* thread) {
    auto* block = Innermost<schema::OmpBlock>(thread);
    if (block == nullptr || block->function() != OmpFunction::section || thread->busy) return;
    rec::Stop(block);
    rec::End(block);
}

}  // namespace

void On_init(Id t) {
    Enter(t);
}
void On_finalize() {}
void On_type_control(const int64_t*, const int64_t*, const int64_t*, const int32_t*,
                     const int32_t*) {}
void On_get_handle(int64_t* h, const char* text, int64_t length) {
    *h = library.constructs.Add({text, static_cast<size_t>(length)});
}

void On_before_parallel(Handle h, Id t, const int32_t* threads, const int32_t* condition) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* region = OpenSpan<schema::OmpRegion>(thread, h, OmpFunction::parallel);
    if (region == nullptr) return;
    region->mutate_requested(Given(threads));
    region->mutate_condition(Given(condition));
    region->mutate_region(
        library.regions.Open(Regions::Key(ConstructOf(h), library.omp.PathHash(0))));
    rec::Begin(region);
}

void On_parallel_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* region = Innermost<schema::OmpRegion>(thread);
    const bool is_master = region != nullptr && region->construct() == ConstructOf(h);
    if (!is_master) EndStale(thread);
    auto* task = OpenSpan<schema::OmpImplicitTask>(thread, h, OmpFunction::implicit_task);
    if (task == nullptr) return;
    const bool has_team = library.omp.HasTeam();
    const auto size = has_team ? static_cast<uint32_t>(library.omp.get_num_threads()) : 0;
    task->mutate_team_size(size);
    task->mutate_thread_num(has_team ? static_cast<uint32_t>(library.omp.get_thread_num())
                                     : std::numeric_limits<uint32_t>::max());
    if (is_master) {
        region->mutate_team_size(size);
        task->mutate_region(region->region());
    } else {
        task->mutate_region(
            library.regions.Find(Regions::Key(ConstructOf(h), library.omp.PathHash(1))));
    }
    rec::Begin(task);
}

void On_parallel_event_end(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndSpan<schema::OmpImplicitTask>(thread, h, OmpFunction::implicit_task);
    const auto* region = Innermost<schema::OmpRegion>(thread);
    if (region != nullptr && region->construct() == ConstructOf(h))
        BeginSpan<schema::OmpWait>(thread, h, OmpFunction::implicit_barrier_wait);
}

void On_after_parallel(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndIfOpen<schema::OmpWait>(thread, h, OmpFunction::implicit_barrier_wait);
    EndIfOpen<schema::OmpImplicitTask>(thread, h, OmpFunction::implicit_task);
    if (const auto* region = FindOpen<schema::OmpRegion>(thread, h, OmpFunction::parallel)) {
        library.regions.Close(Regions::Key(ConstructOf(h), library.omp.PathHash(0)),
                              region->region());
    }
    EndSpan<schema::OmpRegion>(thread, h, OmpFunction::parallel);
}

void On_before_omp_loop(Handle h, Id t, const int64_t* first, const int64_t* last,
                        const int64_t* step, const int32_t* chunk) {
    BeginLoop(h, t, OmpFunction::loop, first, last, step, Given(chunk));
}
void On_omp_iter(Handle, Id t, const int64_t* index) {
    Iteration(t, index);
}
void On_omp_if_iter(Handle, Id t, const int64_t* index, int64_t* traced) {
    *traced = 1;
    Iteration(t, index);
}
void On_after_omp_loop(Handle h, Id t) {
    EndOf<schema::OmpLoop>(h, t, OmpFunction::loop);
}
void On_before_taskloop(Handle h, Id t, const int64_t* first, const int64_t* last,
                        const int64_t* step) {
    BeginLoop(h, t, OmpFunction::taskloop, first, last, step, kNoInt);
}
void On_after_taskloop(Handle h, Id t) {
    EndOf<schema::OmpLoop>(h, t, OmpFunction::taskloop);
}
void On_beg_sl(Handle h, Id t, const int64_t* first, const int64_t* last, const int64_t* step) {
    BeginLoop(h, t, OmpFunction::sequential_loop, first, last, step, kNoInt);
}
void On_s_iter(Handle, Id t, const int64_t* index) {
    Iteration(t, index);
}
void On_s_if_iter(Handle, Id t, const int64_t* index, int64_t* traced) {
    *traced = 1;
    Iteration(t, index);
}
void On_end_sl(Handle h, Id t) {
    EndOf<schema::OmpLoop>(h, t, OmpFunction::sequential_loop);
}

void On_before_sections(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::sections);
}
void On_section_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndOpenSection(thread);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::section);
}
void On_section_event_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::section);
}
void On_after_sections(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndOpenSection(thread);
    EndSpan<schema::OmpBlock>(thread, h, OmpFunction::sections);
}

void On_before_single(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::single);
}
void On_single_event(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::single_body);
}
void On_single_event_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::single_body);
}
void On_after_single(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndIfOpen<schema::OmpBlock>(thread, h, OmpFunction::single_body);
    EndSpan<schema::OmpBlock>(thread, h, OmpFunction::single);
}

void On_before_workshare(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::workshare);
}
void On_after_workshare(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::workshare);
}

void On_master_begin(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::master);
}
void On_master_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::master);
}

void On_before_critical(Handle h, Id t) {
    BeginOf<schema::OmpWait>(h, t, OmpFunction::critical_wait);
}
void On_critical_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndSpan<schema::OmpWait>(thread, h, OmpFunction::critical_wait);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::critical);
}
void On_critical_event_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::critical);
}
void On_after_critical(Handle h, Id t) {
    if (rec::ThreadState* thread = Enter(t))
        EndIfOpen<schema::OmpBlock>(thread, h, OmpFunction::critical);
}

void On_before_ordered(Handle h, Id t) {
    BeginOf<schema::OmpWait>(h, t, OmpFunction::ordered_wait);
}
void On_ordered_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndSpan<schema::OmpWait>(thread, h, OmpFunction::ordered_wait);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::ordered);
}
void On_after_ordered(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::ordered);
}

void On_before_barrier(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    BeginSpan<schema::OmpWait>(
        thread, h,
        EndsWorksharing(thread) ? OmpFunction::implicit_barrier_wait : OmpFunction::barrier_wait);
}
void On_after_barrier(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    const auto* wait = Innermost<schema::OmpWait>(thread);
    EndSpan<schema::OmpWait>(thread, h,
                             wait != nullptr ? wait->function() : OmpFunction::barrier_wait);
}

void On_before_flush(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::flush);
}
// Programs of most levels tell the end alone.
void On_flush_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    const auto* block = Innermost<schema::OmpBlock>(thread);
    if (block != nullptr && block->function() == OmpFunction::flush) {
        EndSpan<schema::OmpBlock>(thread, h, OmpFunction::flush);
    } else {
        Point(h, t, schema::OmpPointKind::flush);
    }
}
void On_flush_event_end(Handle, Id t) {
    Enter(t);
}

void On_thread_private(Handle h, Id t) {
    Point(h, t, schema::OmpPointKind::threadprivate);
}
void On_cancel_event(Handle h, Id t) {
    Point(h, t, schema::OmpPointKind::cancel);
}

void On_before_atomic(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::atomic);
}
void On_after_atomic(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::atomic);
}

void On_before_task(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::task_create);
}
void On_task_event(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::task);
}
void On_task_event_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::task);
}
void On_after_task(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::task_create);
}
void On_before_taskwait(Handle h, Id t) {
    BeginOf<schema::OmpWait>(h, t, OmpFunction::taskwait_wait);
}
void On_after_taskwait(Handle h, Id t) {
    EndOf<schema::OmpWait>(h, t, OmpFunction::taskwait_wait);
}
void On_before_taskgroup(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::taskgroup);
}
void On_taskgroup_event(Handle, Id t) {
    Enter(t);
}
void On_taskgroup_event_end(Handle h, Id t) {
    BeginOf<schema::OmpWait>(h, t, OmpFunction::taskgroup_wait);
}
void On_after_taskgroup(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndIfOpen<schema::OmpWait>(thread, h, OmpFunction::taskgroup_wait);
    EndSpan<schema::OmpBlock>(thread, h, OmpFunction::taskgroup);
}

namespace {

void BeginRegion(Handle h, Id t, OmpFunction function) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* region = OpenSpan<schema::OmpRegion>(thread, h, function);
    if (region == nullptr) return;
    region->mutate_requested(kNoInt);
    region->mutate_condition(kNoInt);
    rec::Begin(region);
}

}  // namespace

void On_before_teams(Handle h, Id t) {
    BeginRegion(h, t, OmpFunction::teams);
}
void On_teams_event(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::team);
}
void On_teams_event_end(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::team);
}
void On_after_teams(Handle h, Id t) {
    EndOf<schema::OmpRegion>(h, t, OmpFunction::teams);
}
void On_before_target(Handle h, Id t) {
    BeginRegion(h, t, OmpFunction::target);
}
void On_after_target(Handle h, Id t) {
    EndOf<schema::OmpRegion>(h, t, OmpFunction::target);
}

void On_before_func_call(Handle h, Id t) {
    BeginOf<schema::OmpProcedure>(h, t, OmpFunction::call);
}
void On_after_func_call(Handle h, Id t) {
    EndOf<schema::OmpProcedure>(h, t, OmpFunction::call);
}
void On_func_begin(Handle h, Id t) {
    if (library.constructs.HasNoEnd(*h)) {
        Point(h, t, schema::OmpPointKind::begin_of_procedure);
    } else {
        BeginOf<schema::OmpProcedure>(h, t, OmpFunction::procedure);
    }
}
void On_func_end(Handle h, Id t) {
    EndOf<schema::OmpProcedure>(h, t, OmpFunction::procedure);
}
void On_before_io(Handle h, Id t) {
    BeginOf<schema::OmpBlock>(h, t, OmpFunction::io);
}
void On_after_io(Handle h, Id t) {
    EndOf<schema::OmpBlock>(h, t, OmpFunction::io);
}

void On_before_interval(Handle h, Id t, const int64_t* index) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* interval = OpenSpan<schema::OmpInterval>(thread, h, OmpFunction::interval);
    if (interval == nullptr) return;
    interval->mutate_index(*index);
    rec::Begin(interval);
}
void On_after_interval(Handle h, Id t, const int64_t*) {
    EndOf<schema::OmpInterval>(h, t, OmpFunction::interval);
}

}  // namespace comshu::provider::openmp
