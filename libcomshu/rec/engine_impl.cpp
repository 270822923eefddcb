#include "engine_impl.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include <sys/prctl.h>

#include "clock_source.h"
#include "comshu/schema/schema_data.h"
#include "process_info.h"
#include "record_schema.h"
#include "ring.h"

namespace comshu::rec {
namespace {

constexpr std::chrono::seconds kDrainLeavesWithin{1};

void FindOwnStack(Slot* slot) {
    slot->stack_low = slot->stack_high = 0;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* low = nullptr;
    size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        slot->stack_low = reinterpret_cast<uint64_t>(low);
        slot->stack_high = slot->stack_low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

}  // namespace

Engine::Engine(const Options& options)
    : options_(options),
      pid_(static_cast<uint32_t>(getpid())),
      start_(Calibrate()),
      drain_(this),
      program_cpus_(CpusOfThread()) {}

Engine::~Engine() {
    if (has_drain_thread_) {
        DismissDrain();
        pthread_join(drain_thread_, nullptr);
    }
    stream_.Close();
    for (Slot* slot = first_slot_; slot != nullptr;) {
        Slot* next = slot->next;
        delete slot;
        slot = next;
    }
    live_.Unmap();
}

Engine* Engine::Make(const Options& options) {
    PlayClock(options.other_host);
    auto* engine = new (std::nothrow) Engine(options);
    if (engine != nullptr && !engine->Open()) {
        delete engine;
        engine = nullptr;
    }
    return engine;
}

bool Engine::Open() {
    char* host = options_.host;
    if (host[0] == '\0') HostName(host, sizeof options_.host);
    if (!stream_.Create(options_, host, pid_)) return false;
    core::FrameHeader schema;
    schema.kind = core::FrameKind::kSchema;
    if (!stream_.Append(&schema, schema::kPackedSchema, schema::kPackedSchemaBytes) ||
        !live_.Create(options_, stream_.folder(), stream_.base())) {
        unlink(stream_.path());
        return false;
    }
    if (live_.is_elsewhere()) {
        core::FrameHeader live;
        live.kind = core::FrameKind::kLive;
        stream_.Append(&live, live_.path(), std::strlen(live_.path()));
    }
    core::LiveHeader& header = *live_.header();
    header.pid = pid_;
    header.start_time = ProcessStartTime(pid_);
    header.calibration = start_;
    header.ticks_per_second = MeasureTicksPerSecond(start_);
    header.magic.store(core::kLiveMagic, std::memory_order_release);

    definitions_.Attach(&live_, &stream_, &drain_.lock());
    definitions_.Define(DescribeProcess(options_, host, stream_.exec_number(),
                                        header.ticks_per_second, &definitions_));
    providers().ForEach([&](const comshu_provider& provider) { Welcome(provider); });
    providers().NoteRefused(&definitions_);
    if (options_.rank_unknown) {
        definitions_.Note(
            "ranks",
            "Some ranks were chosen (--ranks), and no launcher told this process which "
            "one it is: it is recorded.");
    }
    modules_.Refresh(&definitions_);
    if (options_.drain_thread) StartDrainThread();
    return true;
}

void Engine::Welcome(const comshu_provider& provider) {
    if (HasSchema(provider)) {
        std::string error;
        bool known;
        {
            const Locked locked(&drain_.lock());
            known = AddToRecordSchema(provider, &error);
            core::FrameHeader schema;
            schema.kind = core::FrameKind::kSchema;
            schema.flags = core::kAddedSchema;
            if (known) stream_.Append(&schema, provider.schema, provider.schema_bytes);
        }
        if (!known) {
            definitions_.Note("provider_schema",
                              ("Records of provider " + Providers::NameOf(provider) +
                               " cannot be read: its schema is " + error +
                               ". Build it again with flatc --schema -b.")
                                  .c_str());
        }
    }
    Providers::Define(provider, &definitions_);
}

Slot* Engine::FindFreeSlot() {
    for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
        if (slot->shared->state.load(std::memory_order_acquire) == core::SlotState::kFree)
            return slot;
    }
    return nullptr;
}

Slot* Engine::MakeSlot() {
    LiveSlot* live = live_.MakeSlot();
    if (live == nullptr) return nullptr;
    auto* slot = new (std::nothrow) Slot();
    if (slot == nullptr) return nullptr;
    slot->live = live;
    slot->shared = live->thread;
    slot->engine = this;
    slot->ring = live->ring;
    slot->thread.stack_entries = live->StackEntries();
    slot->chunk_bytes = live_.chunk_bytes();
    slot->chunks = live_.chunks();
    if (last_slot_ == nullptr)
        first_slot_.store(slot, std::memory_order_release);
    else
        last_slot_->next.store(slot, std::memory_order_release);
    last_slot_ = slot;
    return slot;
}

bool Engine::GrowStack(Slot* slot) {
    const Locked locked(&slots_lock_);
    if (has_ended() || !live_.GrowStack(slot->live)) return false;
    slot->thread.stack_entries = slot->live->StackEntries();
    return true;
}

Slot* Engine::Attach(uint32_t* thread) {
    const uint32_t tid = ThreadId();
    char name[17] = {};
    prctl(PR_GET_NAME, name);
    Slot* slot;
    {
        const Locked locked(&slots_lock_);
        *thread = next_thread_++;
        slot = FindFreeSlot();
        if (slot == nullptr) {
            ReclaimDeadSlots(Drain::Pace::kToTheEnd);
            slot = FindFreeSlot();
        }
        if (slot == nullptr) slot = MakeSlot();
        if (slot != nullptr) ResetSlot(slot, *thread, tid);
    }
    definitions_.Define(schema::Thread(ReadTicks(), definitions_.InternText(name), *thread, tid));
    if (slot != nullptr) {
        FindOwnStack(slot);
    } else {
        definitions_.Note("no_space",
                          "A thread got no space for its records (its calls are counted as lost): "
                          "make room in the capture folder or in /dev/shm, or set COMSHU_RING_KIB "
                          "lower.");
    }
    return slot;
}

void Engine::CountUnslotted(uint32_t records) {
    unslotted_lost_.fetch_add(records, std::memory_order_relaxed);
    live_.header()->unslotted_lost.fetch_add(records, std::memory_order_relaxed);
}

void Engine::DefineThreadEnd(uint32_t thread, uint64_t tick, uint64_t recorded, uint64_t lost) {
    definitions_.Define(schema::ThreadEnd(tick, recorded, lost, thread));
}

// Dead threads whose records are written make room for new ones. The caller holds slots_lock_.
void Engine::ReclaimDeadSlots(Drain::Pace pace) {
    for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
        if (pace == Drain::Pace::kHandsOver && slots_lock_.IsWanted()) return;
        if (slot->shared->state.load(std::memory_order_acquire) != core::SlotState::kDead) continue;
        {
            const Locked locked(&drain_.lock());
            // What cannot be written stays in the ring.
            if (!drain_.Finish(slot)) continue;
        }
        const uint64_t lost = slot->shared->lost.load(std::memory_order_relaxed);
        DefineThreadEnd(slot->thread.thread, slot->retired, slot->written, lost);
        ended_recorded_.fetch_add(slot->written, std::memory_order_relaxed);
        ended_lost_.fetch_add(lost, std::memory_order_relaxed);
        ended_waited_.fetch_add(slot->waited_ticks.load(std::memory_order_relaxed),
                                std::memory_order_relaxed);
        // Not while the drain looks at it: the next owner resets what the drain keeps of a slot.
        const Locked locked(&drain_.lock());
        slot->shared->state.store(core::SlotState::kFree, std::memory_order_release);
    }
}

// A flight recorder that keeps a time.
void Engine::DropOld() {
    if (options_.keep_ns == 0) return;
    const uint64_t now = ReadTicks();
    const double per_ns =
        static_cast<double>(live_.header()->ticks_per_second.load(std::memory_order_relaxed)) / 1e9;
    const auto keep = static_cast<uint64_t>(static_cast<double>(options_.keep_ns) * per_ns);
    if (keep >= now) return;
    const Locked locked(&slots_lock_);
    for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
        if (slot->shared->state.load(std::memory_order_acquire) != core::SlotState::kFree)
            LoseOlder(slot, now - keep);
    }
}

void Engine::Flush() {
    DropOld();
    const Locked locked(&drain_.lock());
    if (has_ended()) return;
    drain_.Pass(true);
}

void Engine::RefreshModules() {
    const Locked locked(&slots_lock_);
    modules_.Refresh(&definitions_);
}

void Engine::Sums::Add(const Slot& slot) {
    recorded += slot.written;
    lost += slot.shared->lost.load(std::memory_order_relaxed);
    waited += slot.waited_ticks.load(std::memory_order_relaxed);
}

Engine::Sums Engine::SumOfEnded() const {
    return {ended_recorded_.load(std::memory_order_relaxed),
            ended_lost_.load(std::memory_order_relaxed) +
                unslotted_lost_.load(std::memory_order_relaxed),
            ended_waited_.load(std::memory_order_relaxed)};
}

void Engine::BeforeExec() {
    RefreshModules();
    DropOld();
    const Locked slots_locked(&slots_lock_);
    ReclaimDeadSlots(Drain::Pace::kToTheEnd);
    Sums sums = SumOfEnded();
    {
        const Locked locked(&drain_.lock());
        drain_.Pass(true);
        for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
            if (slot->shared->state.load(std::memory_order_acquire) != core::SlotState::kFree)
                sums.Add(*slot);
        }
    }
    definitions_.Define(schema::ProcessEnd(ReadTicks(), sums.recorded, sums.lost, sums.waited,
                                           INT32_MIN, schema::EndReason::exec));
    definitions_.WriteWaiting();
    const Locked locked(&drain_.lock());
    definitions_.Write();
}

void Engine::Finish(schema::EndReason reason, int32_t exit_code) {
    // Nobody else writes from now on: the sums are final.
    DismissDrain();
    WriteEnd(reason, exit_code);
    // The last thread of a process gives its memory back, which takes the lowest priority long.
    AwaitDrainThread(kDrainLeavesWithin);
}

void Engine::WriteEnd(schema::EndReason reason, int32_t exit_code) {
    DropOld();
    const Locked slots_locked(&slots_lock_);
    ReclaimDeadSlots(Drain::Pace::kToTheEnd);
    Sums sums = SumOfEnded();
    bool all_written = true;
    for (Slot* slot = first_slot(); slot != nullptr; slot = slot->next) {
        const core::SlotState state = slot->shared->state.load(std::memory_order_acquire);
        if (state == core::SlotState::kFree) continue;
        const bool is_dead = state == core::SlotState::kDead;
        ReportLoss(slot);
        uint64_t in_ring = 0;
        {
            const Locked locked(&drain_.lock());
            // What cannot be written stays, and counts, in the ring.
            if (!drain_.Finish(slot)) {
                all_written = false;
                in_ring = drain_.Unwritten(slot);
            }
        }
        DefineThreadEnd(slot->thread.thread, is_dead ? slot->retired : ReadTicks(),
                        slot->written + in_ring,
                        slot->shared->lost.load(std::memory_order_relaxed));
        sums.Add(*slot);
        sums.recorded += in_ring;
    }
    NoteWriteError();
    definitions_.Define(
        schema::ProcessEnd(ReadTicks(), sums.recorded, sums.lost, sums.waited, exit_code, reason));
    all_written = definitions_.WriteWaiting() && all_written;
    {
        const Locked locked(&drain_.lock());
        all_written = definitions_.Write() && all_written;
    }
    core::LiveHeader& header = *live_.header();
    if (!all_written) return;
    header.ended.store(1, std::memory_order_release);
    live_.Remove();
}

void Engine::LeaveToParent(Slot* keep) {
    stream_.Close();
    live_.LeaveToParent(keep == nullptr ? nullptr : keep->shared);
}

}  // namespace comshu::rec
