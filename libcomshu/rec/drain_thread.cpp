// The thread that drains: when it sleeps, when it wakes, what else it looks after.
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "clock_source.h"
#include "engine_impl.h"
#include "process.h"

namespace comshu::rec {
namespace {

constexpr size_t kStackBytes = 256 * 1024;
constexpr int kLowestPriority = 19;
constexpr uint64_t kSliceNs = 100'000;
constexpr useconds_t kPoliteUs = 50;

// The smallest share of a CPU, in the shortest slices there are: where the kernel has such (6.12), who
// asks for short ones waits less for each, and a program is kept from its CPU for less at a time.
void TakeLowestPriority() {
    struct {
        uint32_t size = 48;
        uint32_t policy = SCHED_OTHER;
        uint64_t flags = 0;
        int32_t nice = kLowestPriority;
        uint32_t priority = 0;
        uint64_t runtime = kSliceNs;
        uint64_t deadline = 0;
        uint64_t period = 0;
    } attributes;
    static_assert(sizeof attributes == 48);
    if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0)
        setpriority(PRIO_PROCESS, ThreadId(), kLowestPriority);
}

const char* AdviceFor(int error) {
    switch (error) {
        case EFBIG:
            return "raise the limit of file sizes (ulimit -f)";
        case EMFILE:
        case ENFILE:
            return "raise the limit of open files (ulimit -n)";
        case ENOENT:
        case ESTALE:
            return "the capture folder was removed or changed while the program ran";
        default:
            return "make room in the capture folder";
    }
}

}  // namespace

void Engine::StartDrainThread() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    // Signals are blocked here (SlowPath), hence in the new thread.
    has_drain_thread_ = pthread_create(&drain_thread_, &attributes, &RunDrain, this) == 0;
    pthread_attr_destroy(&attributes);
    if (!has_drain_thread_) {
        definitions_.Note("no_drain_thread",
                          "The recorder could not start its thread (limit of threads or memory): "
                          "the program's own threads write what they record.");
    }
}

void Engine::DismissDrain() {
    drain_stop_.store(1, std::memory_order_seq_cst);
    live_.header()->drain_sleeps.store(0, std::memory_order_seq_cst);
    FutexWakeAllShared(&live_.header()->drain_sleeps);
}

void Engine::AwaitDrainThread(std::chrono::nanoseconds most) {
    if (!has_drain_thread_) return;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t ns = until.tv_nsec + most.count();
    until.tv_sec += static_cast<time_t>(ns / 1'000'000'000);
    until.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    if (pthread_timedjoin_np(drain_thread_, nullptr, &until) == 0) has_drain_thread_ = false;
}

void Engine::WakeDrain() {
    std::atomic<uint32_t>& sleeps = live_.header()->drain_sleeps;
    if (sleeps.load(std::memory_order_seq_cst) == 0 || drain_.is_failing()) return;
    if (sleeps.exchange(0, std::memory_order_seq_cst) != 0) FutexWakeAllShared(&sleeps);
}

void* Engine::RunDrain(void* engine) {
    static_cast<Engine*>(engine)->DrainLoop();
    return nullptr;
}

// Away from the CPUs to which the ranks of this host are bound. They may start later than this one.
void Engine::PlaceDrain() {
    const CpuMask given = ParseCpuList(options_.drain_cpus);
    if (!given.IsEmpty()) {
        BindThread(given);
        return;
    }
    if (cgroup_cpus_.IsEmpty()) {
        cgroup_cpus_ = CpusOfCgroup();
        if (!(program_cpus_ == cgroup_cpus_)) {
            std::memcpy(live_.header()->bound_cpus, program_cpus_.words,
                        sizeof program_cpus_.words);
        }
    }
    CpuMask bound;
    std::memcpy(bound.words, live_.header()->bound_cpus, sizeof bound.words);
    char prefix[sizeof options_.host + 40];
    snprintf(prefix, sizeof prefix, "%s.", options_.host);
    AddBoundOfOthers(stream_.folder(), prefix, &bound);
    if (live_.is_elsewhere()) {
        char folder[sizeof options_.live_folder + 8];
        snprintf(folder, sizeof folder, "%s",
                 options_.live_folder[0] != '\0' ? options_.live_folder : "/dev/shm");
        snprintf(prefix, sizeof prefix, "comshu-%u-%s.", static_cast<unsigned>(getuid()),
                 options_.host);
        AddBoundOfOthers(folder, prefix, &bound);
    }
    BindThread(ChooseDrainCpus(cgroup_cpus_, bound));
}

bool Engine::HasOrder() {
    const core::LiveHeader& header = *live_.header();
    return header.order.load(std::memory_order_seq_cst) !=
           header.order_done.load(std::memory_order_relaxed);
}

// What comshu ctl has written into the .live file.
void Engine::ObeyOrder() {
    if (!HasOrder()) return;
    core::LiveHeader& header = *live_.header();
    const uint32_t order = header.order.load(std::memory_order_seq_cst);
    switch (static_cast<core::LiveOrder>(order & ((1u << core::kLiveOrderBits) - 1))) {
        case core::LiveOrder::kStop:
            Pause(schema::PauseReason::asked);
            break;
        case core::LiveOrder::kStart:
            Resume(schema::PauseReason::asked);
            break;
        case core::LiveOrder::kFlush:
            Flush();
            break;
        case core::LiveOrder::kNone:
            break;
    }
    header.order_done.store(order, std::memory_order_release);
    FutexWakeAllShared(&header.order_done);
}

// Until there is something to do it keeps the priority of its program: a process ends when all its
// threads have, and one of the lowest priority is long in coming to its end where the CPUs are full.
void Engine::DrainLoop() {
    prctl(PR_SET_NAME, "comshu-drain");
    const sched_param parameters{};
    sched_setscheduler(0, SCHED_OTHER, &parameters);
    const int64_t period = int64_t{options_.block_ms} * 1'000'000;
    int64_t next_full = core::ReadClockNs(CLOCK_MONOTONIC) + period;
    SleepUntil(next_full);
    if (!has_ended()) {
        TakeLowestPriority();
        PlaceDrain();
    }
    while (!has_ended()) {
        ObeyOrder();
        const bool full = core::ReadClockNs(CLOCK_MONOTONIC) >= next_full;
        if (full) next_full = core::ReadClockNs(CLOCK_MONOTONIC) + period;
        const bool everything = full && options_.on_full != OnFull::kNewest;
        for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
            if (drain_.lock().IsWanted()) usleep(kPoliteUs);
            const Locked locked(&drain_.lock());
            if (has_ended()) break;
            drain_.Look(slot, everything, Drain::Pace::kHandsOver);
        }
        if (full) {
            {
                const Locked locked(&drain_.lock());
                if (!has_ended()) definitions_.Write();
            }
            Chores();
        }
        SleepUntil(next_full);
    }
}

// Wakes earlier when somebody asks for it, or a ring fills.
void Engine::SleepUntil(int64_t ns) {
    std::atomic<uint32_t>& sleeps = live_.header()->drain_sleeps;
    sleeps.store(1, std::memory_order_seq_cst);
    const int64_t now = core::ReadClockNs(CLOCK_MONOTONIC);
    if (now < ns && !HasOrder() && (!drain_.HasWork() || drain_.is_failing()) && !has_ended()) {
        FutexWaitShared(&sleeps, 1, static_cast<uint64_t>(ns - now));
    }
    sleeps.store(0, std::memory_order_seq_cst);
}

void Engine::NoteWriteError() {
    int error;
    {
        const Locked locked(&drain_.lock());
        error = drain_.TakeWriteError();
    }
    if (error != 0) {
        const char* reason = strerrordesc_np(error);
        char text[300];
        snprintf(text, sizeof text,
                 "The stream could not be written (%s): what does not fit in the rings is lost and "
                 "counted; %s.",
                 reason == nullptr ? "unknown error" : reason, AdviceFor(error));
        definitions_.Note("write_failed", text);
    }
    if (leaves_out_.load(std::memory_order_relaxed)) {
        definitions_.Note("max_size",
                          "The stream has the size that --max-size allows: what came later is not "
                          "recorded. Allow more, choose ranks (--ranks), or keep what came last "
                          "(--window).");
    }
}

void Engine::Chores() {
    if (has_ended()) return;
    const core::Calibration now = Calibrate();
    live_.header()->ticks_per_second.store(TicksPerSecond(start_, now), std::memory_order_relaxed);
    live_.header()->last_alive.store(now.ticks, std::memory_order_relaxed);
    NoteWriteError();
    // Ranks that start later are seen soon, and rarely looked for after that.
    if (std::has_single_bit(++full_passes_)) PlaceDrain();
    const Locked locked(&slots_lock_);
    if (has_ended()) return;
    ReclaimDeadSlots(Drain::Pace::kHandsOver);
    if (!slots_lock_.IsWanted()) modules_.Refresh(&definitions_);
}

}  // namespace comshu::rec
