// The engine of one process: its files, its threads, its drain.
#ifndef COMSHU_REC_ENGINE_IMPL_H_
#define COMSHU_REC_ENGINE_IMPL_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "comshu/rec/options.h"
#include "cpus.h"
#include "definitions.h"
#include "drain.h"
#include "live_file.h"
#include "modules.h"
#include "providers.h"
#include "slot.h"
#include "stream_file.h"

namespace comshu::rec {

// Records of the engine itself (core.fbs) are not counted as recorded.
constexpr bool IsToolRecord(uint16_t type) {
    return type < 100;
}

// Made by the first traced call of a process, in memory that is never given back: threads may record
// until the process is gone. A forked child leaves its parent's engine behind and makes its own.
//
// Locks, in the order in which they may be taken: slots, definitions, drain. All are held only in a
// SlowPath.
class Engine {
public:
    // Null: there is nowhere to write.
    static Engine* Make(const Options& options);
    ~Engine();

    const Options& options() const { return options_; }
    int64_t start_ns() const { return start_.monotonic_ns; }
    uint32_t pid() const { return pid_; }
    LiveFile& live() { return live_; }
    StreamFile& stream() { return stream_; }
    Definitions& definitions() { return definitions_; }
    Drain& drain() { return drain_; }
    Providers& providers() { return Providers::OfProcess(); }
    Slot* first_slot() const { return first_slot_.load(std::memory_order_acquire); }
    // The end is being written or is: nothing more goes to the stream.
    bool has_ended() const { return drain_stop_.load(std::memory_order_seq_cst) != 0; }

    // See comshu_engine_keep_all.
    bool keeps_all() const { return keeps_all_.load(std::memory_order_relaxed); }
    // A call is not recorded since the stream has the size that it may have.
    void LeaveOut() { leaves_out_.store(true, std::memory_order_relaxed); }
    void KeepAll() { keeps_all_.store(true, std::memory_order_relaxed); }

    // A slot for the calling thread; null when there is no space (then the thread's number is in
    // `thread` all the same).
    Slot* Attach(uint32_t* thread);
    void CountUnslotted(uint32_t records);
    bool has_unslotted() const { return unslotted_lost_.load(std::memory_order_relaxed) != 0; }
    // For the calling thread, whose slot it is; false: there is no space.
    bool GrowStack(Slot* slot);
    void DefineThreadEnd(uint32_t thread, uint64_t tick, uint64_t recorded, uint64_t lost);

    void Flush();
    void DropOld();

    // Defines a provider; its schema, if it brings one, goes to the stream before its records.
    void Welcome(const comshu_provider& provider);
    void WakeDrain();
    void RefreshModules();

    // All is written that can be, with an end in case there is no later one; recording goes on. The
    // .live file stays: what other threads record until the image is replaced is there.
    void BeforeExec();

    // The process ends.
    void Finish(schema::EndReason reason, int32_t exit_code);

    // In a forked child.
    void LeaveToParent(Slot* keep);

    Mutex& slots_lock() { return slots_lock_; }

private:
    explicit Engine(const Options& options);
    bool Open();
    // Sums over all threads so far.
    struct Sums {
        uint64_t recorded;
        uint64_t lost;
        uint64_t waited;
        void Add(const Slot& slot);
    };
    Sums SumOfEnded() const;
    void WriteEnd(schema::EndReason reason, int32_t exit_code);
    void StartDrainThread();
    // Nothing more is for the thread to do; it leaves what it has not begun.
    void DismissDrain();
    void AwaitDrainThread(std::chrono::nanoseconds most);
    static void* RunDrain(void* engine);
    void DrainLoop();
    void SleepUntil(int64_t ns);
    void PlaceDrain();
    bool HasOrder();
    void ObeyOrder();
    void Chores();
    void NoteWriteError();
    void ReclaimDeadSlots(Drain::Pace pace);
    Slot* FindFreeSlot();
    Slot* MakeSlot();

    Options options_;
    uint32_t pid_;
    core::Calibration start_;
    StreamFile stream_;
    LiveFile live_;
    Drain drain_;
    Definitions definitions_;
    Modules modules_;

    Mutex slots_lock_;
    std::atomic<Slot*> first_slot_{nullptr};
    Slot* last_slot_ = nullptr;
    uint32_t next_thread_ = 0;
    // Sums over threads whose slots have new owners.
    std::atomic<uint64_t> ended_recorded_{0};
    std::atomic<uint64_t> ended_lost_{0};
    std::atomic<uint64_t> ended_waited_{0};
    std::atomic<uint64_t> unslotted_lost_{0};

    // The CPUs of the thread that recorded first, and of the cgroup.
    CpuMask program_cpus_;
    CpuMask cgroup_cpus_;
    uint64_t full_passes_ = 0;
    bool has_drain_thread_ = false;
    pthread_t drain_thread_{};
    std::atomic<bool> keeps_all_{false};
    std::atomic<bool> leaves_out_{false};
    std::atomic<uint32_t> drain_stop_{0};
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_ENGINE_IMPL_H_
