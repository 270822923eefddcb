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

// The original instrumentor passes default integers where the interface has long ones: what lies behind
// them does not count.
int64_t LongOf(Handle h, const int64_t* value) {
    const int64_t all = *value;
    const auto low = static_cast<int32_t>(all);
    if (all == low || !library.constructs.FactsOf(*h).is_single) [[likely]]
        return all;
    return low;
}

void Iteration(Handle h, const int64_t* index, schema::OmpIterationKind kind) {
    rec::Instant(schema::OmpIteration(schema::EventHead(), LongOf(h, index), kind));
}

// Of a loop that is not known everything is wanted.
bool IsFirstOrLast(const schema::OmpLoop* loop, int64_t index) {
    constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::min();
    if (loop == nullptr || index == loop->first() || loop->step() == 0 || loop->last() == kNotKnown)
        return true;
    int64_t left = 0;
    if (__builtin_sub_overflow(loop->last(), index, &left)) return false;
    return loop->step() > 0 ? left < loop->step() : left > loop->step();
}

// Decides whether the program tells the data of an iteration.
void AskedIteration(Handle h, Id t, const int64_t* index, int64_t* traced, OmpFunction function) {
    *traced = 1;
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    const bool wanted =
        library.wants_all_iterations ||
        IsFirstOrLast(FindOpen<schema::OmpLoop>(thread, h, function), LongOf(h, index));
    *traced = wanted ? 1 : 0;
    Iteration(h, index,
              wanted ? schema::OmpIterationKind::told : schema::OmpIterationKind::left_out);
}

// A member of a team that still stands in a region of before: programs of some levels do not tell its end.
void EndStale(rec::ThreadState* thread) {
    core::ThreadSlot* slot = thread->slot;
    const uint32_t depth = slot->stack_depth.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < depth && !thread->busy; ++i) {
        if (RecordIn<schema::OmpImplicitTask>(slot->stack()[i]) == nullptr) continue;
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

// Entries that begin or end a span of their construct, and nothing else.
#define COMSHU_OMP_ENTRY(entry, does, record, function)    \
    void On_##entry(Handle h, Id t) {                      \
        does<schema::record>(h, t, OmpFunction::function); \
    }
COMSHU_OMP_ENTRY(after_omp_loop, EndOf, OmpLoop, loop)
COMSHU_OMP_ENTRY(after_taskloop, EndOf, OmpLoop, taskloop)
COMSHU_OMP_ENTRY(end_sl, EndOf, OmpLoop, sequential_loop)
COMSHU_OMP_ENTRY(before_sections, BeginOf, OmpBlock, sections)
COMSHU_OMP_ENTRY(section_event_end, EndOf, OmpBlock, section)
COMSHU_OMP_ENTRY(before_single, BeginOf, OmpBlock, single)
COMSHU_OMP_ENTRY(single_event, BeginOf, OmpBlock, single_body)
COMSHU_OMP_ENTRY(single_event_end, EndOf, OmpBlock, single_body)
COMSHU_OMP_ENTRY(before_workshare, BeginOf, OmpBlock, workshare)
COMSHU_OMP_ENTRY(after_workshare, EndOf, OmpBlock, workshare)
COMSHU_OMP_ENTRY(master_begin, BeginOf, OmpBlock, master)
COMSHU_OMP_ENTRY(master_end, EndOf, OmpBlock, master)
COMSHU_OMP_ENTRY(before_critical, BeginOf, OmpWait, critical_wait)
COMSHU_OMP_ENTRY(critical_event_end, EndOf, OmpBlock, critical)
COMSHU_OMP_ENTRY(before_ordered, BeginOf, OmpWait, ordered_wait)
COMSHU_OMP_ENTRY(after_ordered, EndOf, OmpBlock, ordered)
COMSHU_OMP_ENTRY(before_flush, BeginOf, OmpBlock, flush)
COMSHU_OMP_ENTRY(before_atomic, BeginOf, OmpBlock, atomic)
COMSHU_OMP_ENTRY(after_atomic, EndOf, OmpBlock, atomic)
COMSHU_OMP_ENTRY(before_task, BeginOf, OmpBlock, task_create)
COMSHU_OMP_ENTRY(task_event, BeginOf, OmpBlock, task)
COMSHU_OMP_ENTRY(task_event_end, EndOf, OmpBlock, task)
COMSHU_OMP_ENTRY(after_task, EndOf, OmpBlock, task_create)
COMSHU_OMP_ENTRY(before_taskwait, BeginOf, OmpWait, taskwait_wait)
COMSHU_OMP_ENTRY(after_taskwait, EndOf, OmpWait, taskwait_wait)
COMSHU_OMP_ENTRY(before_taskgroup, BeginOf, OmpBlock, taskgroup)
COMSHU_OMP_ENTRY(taskgroup_event_end, BeginOf, OmpWait, taskgroup_wait)
COMSHU_OMP_ENTRY(teams_event, BeginOf, OmpBlock, team)
COMSHU_OMP_ENTRY(teams_event_end, EndOf, OmpBlock, team)
COMSHU_OMP_ENTRY(after_teams, EndOf, OmpRegion, teams)
COMSHU_OMP_ENTRY(after_target, EndOf, OmpRegion, target)
COMSHU_OMP_ENTRY(before_func_call, BeginOf, OmpProcedure, call)
COMSHU_OMP_ENTRY(before_io, BeginOf, OmpBlock, io)
COMSHU_OMP_ENTRY(after_io, EndOf, OmpBlock, io)
#undef COMSHU_OMP_ENTRY

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
void On_omp_iter(Handle h, Id t, const int64_t* index) {
    if (Enter(t) != nullptr) Iteration(h, index, schema::OmpIterationKind::told);
}
void On_omp_if_iter(Handle h, Id t, const int64_t* index, int64_t* traced) {
    AskedIteration(h, t, index, traced, OmpFunction::loop);
}
void On_before_taskloop(Handle h, Id t, const int64_t* first, const int64_t* last,
                        const int64_t* step) {
    BeginLoop(h, t, OmpFunction::taskloop, first, last, step, kNoInt);
}
void On_beg_sl(Handle h, Id t, const int64_t* first, const int64_t* last, const int64_t* step) {
    BeginLoop(h, t, OmpFunction::sequential_loop, first, last, step, kNoInt);
}
void On_s_iter(Handle h, Id t, const int64_t* index) {
    if (Enter(t) != nullptr) Iteration(h, index, schema::OmpIterationKind::told);
}
void On_s_if_iter(Handle h, Id t, const int64_t* index, int64_t* traced) {
    AskedIteration(h, t, index, traced, OmpFunction::sequential_loop);
}

void On_section_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndOpenSection(thread);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::section);
}
void On_after_sections(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndOpenSection(thread);
    EndSpan<schema::OmpBlock>(thread, h, OmpFunction::sections);
}

void On_after_single(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndIfOpen<schema::OmpBlock>(thread, h, OmpFunction::single_body);
    EndSpan<schema::OmpBlock>(thread, h, OmpFunction::single);
}

void On_critical_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndSpan<schema::OmpWait>(thread, h, OmpFunction::critical_wait);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::critical);
}
void On_after_critical(Handle h, Id t) {
    if (rec::ThreadState* thread = Enter(t))
        EndIfOpen<schema::OmpBlock>(thread, h, OmpFunction::critical);
}

void On_ordered_event(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    EndSpan<schema::OmpWait>(thread, h, OmpFunction::ordered_wait);
    BeginSpan<schema::OmpBlock>(thread, h, OmpFunction::ordered);
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

void On_taskgroup_event(Handle, Id t) {
    Enter(t);
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
void On_before_target(Handle h, Id t) {
    BeginRegion(h, t, OmpFunction::target);
}

void On_func_begin(Handle h, Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    if (library.constructs.FactsOf(*h).has_no_end) {
        Point(h, t, schema::OmpPointKind::begin_of_procedure);
    } else {
        BeginSpan<schema::OmpProcedure>(thread, h, OmpFunction::procedure);
    }
}

void On_func_end(Handle h, Id t) {
    if (rec::ThreadState* thread = Enter(t)) EndProcedure(thread, h, OmpFunction::procedure);
}
void On_after_func_call(Handle h, Id t) {
    if (rec::ThreadState* thread = Enter(t)) EndProcedure(thread, h, OmpFunction::call);
}

void On_before_interval(Handle h, Id t, const int64_t* index) {
    rec::ThreadState* thread = Enter(t);
    if (thread == nullptr) return;
    auto* interval = OpenSpan<schema::OmpInterval>(thread, h, OmpFunction::interval);
    if (interval == nullptr) return;
    interval->mutate_index(LongOf(h, index));
    rec::Begin(interval);
}
void On_after_interval(Handle h, Id t, const int64_t*) {
    EndOf<schema::OmpInterval>(h, t, OmpFunction::interval);
}

}  // namespace comshu::provider::openmp
