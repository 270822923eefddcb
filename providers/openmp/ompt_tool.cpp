// The provider ompt: the records of provider openmp, from the tools interface of an OpenMP runtime (LLVM's
// libomp and its relatives), without instrumented sources.
//
// What it calls a construct is the address in the program that the runtime was called from. Callbacks come
// on the thread they are about.
#include <omp-tools.h>

#include <new>

#include "comshu/provider/provider.h"
#include "openmp/regions.h"
#include "openmp/spans.h"

namespace comshu::provider::openmp {
namespace {

class OmptProvider final : public IProvider {
public:
    static constexpr const char* kName = "ompt";
    // The records of provider openmp: one of the two records.
    static constexpr uint16_t kFirstType = 100;
    static constexpr uint16_t kLastType = 199;
};

constexpr int32_t kNoInt = std::numeric_limits<int32_t>::min();

std::atomic<uint64_t> next_region{1};
std::atomic<uint64_t> next_task{1};

// Of a region, from its begin to its end.
struct RegionData {
    uint64_t region;
    uint64_t construct;
};

rec::ThreadState* Enter() {
    static const bool accepted = comshu_engine_declare_provider(TableOf<OmptProvider>()) == 0;
    rec::ThreadState* thread = rec::Current();
    return thread == nullptr || !accepted || thread->busy ? nullptr : thread;
}

int64_t Place(const void* address) {
    return static_cast<int64_t>(reinterpret_cast<uint64_t>(address));
}

template <typename Record>
Record* OpenAt(rec::ThreadState* thread, int64_t place, OmpFunction function) {
    auto* record = OpenSpan<Record>(thread, &place, function);
    if (record != nullptr) record->mutate_caller(static_cast<uint64_t>(place));
    return record;
}

template <typename Record>
void BeginAt(rec::ThreadState* thread, const void* address, OmpFunction function) {
    if (auto* record = OpenAt<Record>(thread, Place(address), function)) rec::Begin(record);
}

// The end may be told from another address than the begin: what counts is what it is.
template <typename Record>
void EndOf(rec::ThreadState* thread, OmpFunction function) {
    if (WasNotOpened(thread)) return;
    for (uint32_t i = thread->slot->stack_depth.load(std::memory_order_relaxed); i > 0; --i) {
        auto* record = RecordIn<Record>(thread->slot->stack()[i - 1]);
        if (record == nullptr || record->function() != function) continue;
        rec::Stop(record);
        rec::End(record);
        return;
    }
}

template <typename Record>
void Scope(ompt_scope_endpoint_t endpoint, const void* address, OmpFunction function) {
    rec::ThreadState* thread = Enter();
    if (thread == nullptr) return;
    if (endpoint == ompt_scope_end) {
        EndOf<Record>(thread, function);
    } else {
        BeginAt<Record>(thread, address, function);
    }
}

// The part of a region that the thread is in, whatever is open inside of it.
const schema::OmpImplicitTask* InnermostPart(rec::ThreadState* thread) {
    for (uint32_t i = thread->slot->stack_depth.load(std::memory_order_relaxed); i > 0; --i) {
        const auto* part = RecordIn<schema::OmpImplicitTask>(thread->slot->stack()[i - 1]);
        if (part != nullptr) return part;
    }
    return nullptr;
}

// Of combined constructs compatibility layers tell members no address: it is that of the region.
const void* PlaceOfWork(const void* address) {
    rec::ThreadState* thread = address == nullptr ? Enter() : nullptr;
    const auto* part = thread == nullptr ? nullptr : InnermostPart(thread);
    return part == nullptr ? address : reinterpret_cast<const void*>(part->construct());
}

// Compatibility layers tell no end of SINGLE; what cannot stand inside of it ends it.
void EndSingle(rec::ThreadState* thread) {
    const auto* block = Innermost<schema::OmpBlock>(thread);
    if (block != nullptr && block->function() == OmpFunction::single_body)
        EndOf<schema::OmpBlock>(thread, OmpFunction::single_body);
}

void OnParallelBegin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel, unsigned requested,
                     int flags, const void* address) {
    auto* data = new (std::nothrow) RegionData{next_region.fetch_add(1, std::memory_order_relaxed),
                                               static_cast<uint64_t>(Place(address))};
    parallel->ptr = data;
    rec::ThreadState* thread = Enter();
    if (thread == nullptr || data == nullptr) return;
    const bool is_league = (flags & ompt_parallel_league) != 0;
    auto* region = OpenAt<schema::OmpRegion>(
        thread, Place(address), is_league ? OmpFunction::teams : OmpFunction::parallel);
    if (region == nullptr) return;
    region->mutate_region(data->region);
    region->mutate_requested(static_cast<int32_t>(requested));
    region->mutate_condition(kNoInt);
    rec::Begin(region);
}

void OnParallelEnd(ompt_data_t* parallel, ompt_data_t*, int flags, const void*) {
    delete static_cast<RegionData*>(parallel->ptr);
    parallel->ptr = nullptr;
    rec::ThreadState* thread = Enter();
    if (thread == nullptr) return;
    const bool is_league = (flags & ompt_parallel_league) != 0;
    EndOf<schema::OmpRegion>(thread, is_league ? OmpFunction::teams : OmpFunction::parallel);
}

void OnImplicitTask(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t*,
                    unsigned team_size, unsigned index, int flags) {
    if ((flags & ompt_task_initial) != 0) return;
    rec::ThreadState* thread = Enter();
    if (thread == nullptr) return;
    if (endpoint == ompt_scope_end) {
        EndSingle(thread);
        // Members hear of it when they are needed again; their part ended with the wait before.
        if (Innermost<schema::OmpImplicitTask>(thread) != nullptr)
            EndOf<schema::OmpImplicitTask>(thread, OmpFunction::implicit_task);
        return;
    }
    const auto* data = parallel == nullptr ? nullptr : static_cast<RegionData*>(parallel->ptr);
    auto* region = Innermost<schema::OmpRegion>(thread);
    auto* task = OpenAt<schema::OmpImplicitTask>(
        thread, data == nullptr ? 0 : static_cast<int64_t>(data->construct),
        OmpFunction::implicit_task);
    if (task == nullptr) return;
    task->mutate_region(data == nullptr ? 0 : data->region);
    task->mutate_thread_num(index);
    task->mutate_team_size(team_size);
    if (region != nullptr && data != nullptr && region->region() == data->region)
        region->mutate_team_size(team_size);
    rec::Begin(task);
}

// Of OpenMP 5.2: headers of before do not have them, runtimes of today tell them.
constexpr int kWorkLoopStatic = 10;
constexpr int kWorkLoopOther = 13;
constexpr int kDispatchLoopChunk = 3;
constexpr int kDispatchTaskloopChunk = 4;
struct DispatchedChunk {
    uint64_t start;
    uint64_t iterations;
};

void OnWork(ompt_work_t told, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
            uint64_t count, const void* address) {
    if (endpoint == ompt_scope_begin) {
        rec::ThreadState* thread = told == ompt_work_taskloop ? nullptr : Enter();
        if (thread != nullptr) EndSingle(thread);
        address = PlaceOfWork(address);
    }
    const auto number = static_cast<int>(told);
    const bool has_schedule = number >= kWorkLoopStatic && number <= kWorkLoopOther;
    const ompt_work_t work = has_schedule ? ompt_work_loop : told;
    switch (work) {
        case ompt_work_loop:
        case ompt_work_taskloop: {
            const auto function =
                work == ompt_work_loop ? OmpFunction::loop : OmpFunction::taskloop;
            rec::ThreadState* thread = Enter();
            if (thread == nullptr) return;
            if (endpoint == ompt_scope_end) {
                EndOf<schema::OmpLoop>(thread, function);
                return;
            }
            auto* loop = OpenAt<schema::OmpLoop>(thread, Place(address), function);
            if (loop == nullptr) return;
            constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
            // Of a static schedule each thread hears of its first chunk alone: the others follow from
            // the number of iterations.
            const bool counts = number == kWorkLoopStatic && count > 0;
            loop->mutate_first(counts ? 0 : kNone);
            loop->mutate_last(counts ? static_cast<int64_t>(count - 1) : kNone);
            loop->mutate_step(counts ? 1 : kNone);
            loop->mutate_chunk(kNoInt);
            rec::Begin(loop);
            return;
        }
        case ompt_work_sections:
            Scope<schema::OmpBlock>(endpoint, address, OmpFunction::sections);
            return;
        case ompt_work_single_executor:
            Scope<schema::OmpBlock>(endpoint, address, OmpFunction::single_body);
            return;
        case ompt_work_workshare:
            Scope<schema::OmpBlock>(endpoint, address, OmpFunction::workshare);
            return;
        default:
            return;
    }
}

void OnDispatch(ompt_data_t*, ompt_data_t*, ompt_dispatch_t kind, ompt_data_t instance) {
    const auto what = static_cast<int>(kind);
    if (what != kDispatchLoopChunk && what != kDispatchTaskloopChunk) return;
    const auto* chunk = static_cast<const DispatchedChunk*>(instance.ptr);
    if (chunk == nullptr || chunk->iterations == 0 || Enter() == nullptr) return;
    rec::Instant(schema::OmpChunk(schema::EventHead(), static_cast<int64_t>(chunk->start),
                                  chunk->iterations));
}

void OnMasked(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, const void* address) {
    Scope<schema::OmpBlock>(endpoint, address, OmpFunction::master);
}

// Whether a barrier ends the region of this part: then the part is over when waiting begins. Runtimes of
// before OpenMP 5.1 have one kind for that and for what worksharing brings; but the end of a region is told
// from where the region was started, or, by members, from nowhere, and worksharing from where it stands.
bool EndsRegion(ompt_sync_region_t kind, const schema::OmpImplicitTask* part, const void* address) {
    if (kind == ompt_sync_region_barrier_implicit_parallel) return true;
    if (kind != ompt_sync_region_barrier_implicit || part == nullptr) return false;
    return address == nullptr || static_cast<uint64_t>(Place(address)) == part->construct();
}

OmpFunction WaitOf(ompt_sync_region_t kind) {
    switch (kind) {
        case ompt_sync_region_taskwait:
            return OmpFunction::taskwait_wait;
        case ompt_sync_region_taskgroup:
            return OmpFunction::taskgroup_wait;
        case ompt_sync_region_barrier:
        case ompt_sync_region_barrier_explicit:
            return OmpFunction::barrier_wait;
        default:
            return OmpFunction::implicit_barrier_wait;
    }
}

void OnWait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
            const void* address) {
    if (kind == ompt_sync_region_reduction) return;
    rec::ThreadState* thread = Enter();
    if (thread == nullptr) return;
    const OmpFunction function = WaitOf(kind);
    if (endpoint == ompt_scope_begin && function != OmpFunction::taskwait_wait &&
        function != OmpFunction::taskgroup_wait)
        EndSingle(thread);
    if (endpoint == ompt_scope_end) {
        const auto* wait = Innermost<schema::OmpWait>(thread);
        if (wait != nullptr && wait->function() == function)
            EndOf<schema::OmpWait>(thread, function);
        return;
    }
    const auto* part = InnermostPart(thread);
    if (EndsRegion(kind, part, address)) {
        const uint64_t construct = part == nullptr ? 0 : part->construct();
        EndOf<schema::OmpImplicitTask>(thread, OmpFunction::implicit_task);
        // The waiting of other members follows from the end of the region.
        if (Innermost<schema::OmpRegion>(thread) != nullptr)
            BeginAt<schema::OmpWait>(thread, reinterpret_cast<const void*>(construct), function);
        return;
    }
    BeginAt<schema::OmpWait>(thread, address, function);
}

struct Mutex {
    OmpFunction wait;
    OmpFunction hold;
};
Mutex MutexOf(ompt_mutex_t kind) {
    if (kind == ompt_mutex_ordered) return {OmpFunction::ordered_wait, OmpFunction::ordered};
    if (kind == ompt_mutex_atomic) return {OmpFunction::critical_wait, OmpFunction::atomic};
    return {OmpFunction::critical_wait, OmpFunction::critical};
}

void OnMutexAcquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t, const void* address) {
    if (rec::ThreadState* thread = Enter())
        BeginAt<schema::OmpWait>(thread, address, MutexOf(kind).wait);
}
void OnMutexAcquired(ompt_mutex_t kind, ompt_wait_id_t, const void* address) {
    rec::ThreadState* thread = Enter();
    if (thread == nullptr) return;
    EndOf<schema::OmpWait>(thread, MutexOf(kind).wait);
    BeginAt<schema::OmpBlock>(thread, address, MutexOf(kind).hold);
}
void OnMutexReleased(ompt_mutex_t kind, ompt_wait_id_t, const void*) {
    if (rec::ThreadState* thread = Enter()) EndOf<schema::OmpBlock>(thread, MutexOf(kind).hold);
}

// Explicit tasks have a number, others 0.
struct TaskData {
    uint64_t task;
    uint64_t construct;
};
const TaskData* TaskOf(const ompt_data_t* data) {
    return data == nullptr ? nullptr : static_cast<const TaskData*>(data->ptr);
}

void OnTaskCreate(ompt_data_t*, const ompt_frame_t*, ompt_data_t* task, int flags, int,
                  const void* address) {
    if (task == nullptr) return;
    task->ptr = (flags & ompt_task_explicit) == 0
                    ? nullptr
                    : new (std::nothrow) TaskData{next_task.fetch_add(1, std::memory_order_relaxed),
                                                  static_cast<uint64_t>(Place(address))};
}

schema::OmpBlock* OpenTask(rec::ThreadState* thread, uint64_t number) {
    for (uint32_t i = thread->slot->stack_depth.load(std::memory_order_relaxed); i > 0; --i) {
        auto* block = RecordIn<schema::OmpBlock>(thread->slot->stack()[i - 1]);
        if (block != nullptr && block->function() == OmpFunction::task && block->task() == number)
            return block;
    }
    return nullptr;
}

void OnTaskSchedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    rec::ThreadState* thread = Enter();
    const TaskData* ended = TaskOf(prior);
    const TaskData* begun = TaskOf(next);
    const bool is_over =
        status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
    if (thread != nullptr && ended != nullptr && is_over) {
        if (schema::OmpBlock* block = OpenTask(thread, ended->task)) {
            rec::Stop(block);
            rec::End(block);
        }
    }
    if (thread != nullptr && begun != nullptr && OpenTask(thread, begun->task) == nullptr) {
        auto* block = OpenAt<schema::OmpBlock>(thread, static_cast<int64_t>(begun->construct),
                                               OmpFunction::task);
        if (block != nullptr) {
            block->mutate_task(begun->task);
            rec::Begin(block);
        }
    }
    if (ended != nullptr && (status == ompt_task_complete || status == ompt_task_cancel)) {
        delete ended;
        prior->ptr = nullptr;
    }
}

int Initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
    const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    if (set == nullptr) return 0;
    const auto ask = [&](ompt_callbacks_t event, auto* callback) {
        set(event, reinterpret_cast<ompt_callback_t>(callback));
    };
    ask(ompt_callback_parallel_begin, OnParallelBegin);
    ask(ompt_callback_parallel_end, OnParallelEnd);
    ask(ompt_callback_implicit_task, OnImplicitTask);
    ask(ompt_callback_work, OnWork);
    ask(ompt_callback_dispatch, OnDispatch);
    ask(ompt_callback_masked, OnMasked);
    ask(ompt_callback_sync_region_wait, OnWait);
    ask(ompt_callback_mutex_acquire, OnMutexAcquire);
    ask(ompt_callback_mutex_acquired, OnMutexAcquired);
    ask(ompt_callback_mutex_released, OnMutexReleased);
    ask(ompt_callback_task_create, OnTaskCreate);
    ask(ompt_callback_task_schedule, OnTaskSchedule);
    return 1;
}

void Finalize(ompt_data_t*) {}

}  // namespace
}  // namespace comshu::provider::openmp

// The runtime looks for it when it starts. Nothing is recorded, and no thread is started, before the first
// parallel region.
extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(
    unsigned int, const char*) {
    static ompt_start_tool_result_t result = {
        comshu::provider::openmp::Initialize, comshu::provider::openmp::Finalize, {0}};
    return &result;
}

COMSHU_EXPORT_PROVIDER(comshu::provider::openmp::OmptProvider)
