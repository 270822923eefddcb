// The hot path of recording, inlined into providers: one clock read, a copy, one release store.
//
// A call is recorded like this (see providers/mpi for real use):
//
//     auto* args = rec::Open<schema::MpiPointToPoint>(__builtin_frame_address(0));
//     if (args != nullptr) { args->mutate_bytes(n); ... rec::Begin(args); }
//     result = the_real_call(...);
//     if (args != nullptr) { rec::Stop(args); args->mutate_request(...); rec::End(args); }
//
// Open makes an entry on this thread's span stack, in mapped memory, and returns the record struct in
// it with its head set and every other byte zero (so fields whose "not known" is not zero must be
// set). Begin stamps the time and makes the entry visible: from there on a killed or hung process
// shows the call with its arguments. Stop stamps the end; End moves the record to the ring.
// Records that belong to the call (completions) are written by EndWith, in one step with it: a call
// is recorded whole or lost whole.
//
// Threads: everything here concerns the calling thread alone. Signals: a handler that interrupts a
// recording step and records itself finds `busy` set; its records are counted as lost.
// Cost: two clock reads and about 2 ns per span; 1 ns when recording is off.
#ifndef COMSHU_REC_THREAD_STATE_H_
#define COMSHU_REC_THREAD_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "comshu/core/clock.h"
#include "comshu/core/live_layout.h"
#include "comshu/core/record.h"
#include "comshu/schema/core_generated.h"
#include "comshu/schema/record_traits.h"

namespace comshu::rec {

// Recording state of one thread. Ordinary memory; `slot` and the chunk are in the .live file.
struct ThreadState {
    std::byte* cursor = nullptr;       // Where the next record goes.
    std::byte* chunk_end = nullptr;    // End of the chunk; cursor == chunk_end: take the slow path.
    std::byte* chunk_begin = nullptr;  // First record of the chunk.
    core::ChunkHeader* chunk = nullptr;
    core::ThreadSlot* slot = nullptr;
    uint64_t next_span = 0;  // SpanId of the next span to open.
    uint32_t thread = 0;
    uint32_t stack_entries = 0;  // That the stack in `slot` has room for.
    bool busy = false;           // Inside a recording step.
    uint64_t recorded = 0;
};

// Values of comshu_recording.
constexpr uint32_t kRecordingOn = 1;     // Recording, or asleep until the first traced call.
constexpr uint32_t kMonotonicTicks = 2;  // Ticks are ns of CLOCK_MONOTONIC: no constant counter.
// Instead of kRecordingOn: calls go through all steps, so that providers know what happens, and
// nothing comes to the ring.
constexpr uint32_t kPaused = 4;
constexpr uint32_t kStacks = 8;  // The call stack of each call is recorded.

// What the engine exports for the inlined code. `comshu_thread` is null until the thread's first
// record and while recording is off for it; the slow paths then decide.
#pragma GCC visibility push(default)
extern "C" {
extern __thread ThreadState* comshu_thread __attribute__((tls_model("initial-exec")));
// Read relaxed.
extern std::atomic<uint32_t> comshu_recording;
// First record of a thread, or of a forked child. Null: nothing is to be recorded.
ThreadState* comshu_rec_attach(void);
// While recording is paused: sees to it that the thread's next record finds no room. Null: nothing is
// to be recorded, as in attach.
ThreadState* comshu_rec_paused(void);
// Makes room for `bytes` more in the ring: next chunk, waiting, losing as the policy says. Null: lost
// (counted as `records`) or left out.
std::byte* comshu_rec_make_room(ThreadState* thread, uint32_t bytes, uint32_t records);
// Closes entries whose frames are gone: those of this stack that lie at or below `frame`.
void comshu_rec_unwind(ThreadState* thread, uint64_t frame);
// Closes entries from the innermost down to `depth`: they were left without an end.
void comshu_rec_close_above(ThreadState* thread, uint32_t depth);
// Records the calls that led to this one, between Open and Begin: see PutStack.
void comshu_rec_stack(ThreadState* thread, const core::SpanEntry* entry, uint64_t caller);
// Makes room for more entries on the stack, which is full. False: there is none.
bool comshu_rec_grow_stack(ThreadState* thread);
// Counts a record that cannot be made (stack full, busy).
void comshu_rec_count_lost(ThreadState* thread, uint32_t records, uint8_t reason);
}
#pragma GCC visibility pop

inline uint64_t ReadTicks() {
    if ((comshu_recording.load(std::memory_order_relaxed) & kMonotonicTicks) != 0) [[unlikely]]
        return static_cast<uint64_t>(core::ReadClockNs(CLOCK_MONOTONIC));
    return core::ReadCounter();
}

inline ThreadState* Current() {
    const uint32_t recording = comshu_recording.load(std::memory_order_relaxed);
    if ((recording & (kRecordingOn | kPaused)) == 0) return nullptr;
    if ((recording & kPaused) != 0) [[unlikely]]
        return comshu_rec_paused();
    ThreadState* thread = comshu_thread;
    if (thread == nullptr) [[unlikely]]
        thread = comshu_rec_attach();
    return thread;
}

// Marks a recording step for signal handlers: compiler order is all that is needed on one thread.
inline void Enter(ThreadState* thread) {
    thread->busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}
inline void Leave(ThreadState* thread) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread->busy = false;
}

inline core::SpanEntry* EntryOf(void* record_struct) {
    return reinterpret_cast<core::SpanEntry*>(static_cast<std::byte*>(record_struct) -
                                              sizeof(core::RecordPrefix));
}

// The innermost open span of this thread; 0: none.
inline uint64_t InnermostSpan(const ThreadState* thread) {
    const uint32_t depth = thread->slot->stack_depth.load(std::memory_order_relaxed);
    if (depth == 0) return 0;
    uint64_t span;
    std::memcpy(&span, thread->slot->stack()[depth - 1].image + sizeof(core::RecordPrefix) + 16,
                sizeof span);
    return span;
}

template <typename Record>
inline Record* Open(void* frame) {
    static_assert(schema::RecordTraits<Record>::kIsSpan);
    constexpr uint32_t kBytes = core::RecordBytes(sizeof(Record));
    static_assert(kBytes <= core::kSpanImageBytes);
    ThreadState* thread = Current();
    if (thread == nullptr) return nullptr;
    if (thread->busy) [[unlikely]] {
        comshu_rec_count_lost(thread, 1,
                              static_cast<uint8_t>(schema::LossReason::in_signal_handler));
        return nullptr;
    }
    Enter(thread);
    const uint64_t address = reinterpret_cast<uint64_t>(frame);
    uint32_t depth = thread->slot->stack_depth.load(std::memory_order_relaxed);
    uint64_t parent = 0;
    if (depth > 0) {
        // Stacks grow down: an entry whose frame is not above ours is of a call that was left.
        if (thread->slot->stack()[depth - 1].frame <= address) [[unlikely]] {
            comshu_rec_unwind(thread, address);
            depth = thread->slot->stack_depth.load(std::memory_order_relaxed);
        }
        parent = InnermostSpan(thread);
        if (depth == thread->stack_entries && !comshu_rec_grow_stack(thread)) [[unlikely]] {
            comshu_rec_count_lost(thread, 1, static_cast<uint8_t>(schema::LossReason::stack_full));
            Leave(thread);
            return nullptr;
        }
    }
    core::SpanEntry& entry = thread->slot->stack()[depth];
    const core::RecordPrefix prefix{kBytes, schema::RecordTraits<Record>::kType, 0};
    std::memcpy(entry.image, &prefix, sizeof prefix);
    auto* record = reinterpret_cast<Record*>(entry.image + sizeof prefix);
    std::memset(static_cast<void*>(record), 0, kBytes - sizeof prefix);
    schema::SpanHead& head = record->mutable_head();
    const uint64_t span = thread->next_span++;
    head.mutate_span(span);
    head.mutate_parent_distance(parent == 0 ? 0 : static_cast<uint32_t>(span - parent));
    entry.frame = address;
    return record;
}

// Before Begin, for calls whose stacks are worth having: `caller` is the address that the call returns
// to; frames inside of it are left out.
template <typename Record>
inline void PutStack(Record* record, uint64_t caller) {
    if ((comshu_recording.load(std::memory_order_relaxed) & kStacks) != 0) [[unlikely]]
        comshu_rec_stack(comshu_thread, EntryOf(record), caller);
}

template <typename Record>
inline void Begin(Record* record) {
    ThreadState* thread = comshu_thread;
    core::ThreadSlot* slot = thread->slot;
    record->mutable_head().mutate_begin(ReadTicks());
    slot->stack_depth.store(slot->stack_depth.load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
    Leave(thread);
}

template <typename Record>
inline void Stop(Record* record) {
    record->mutable_head().mutate_end(ReadTicks());
}

// Room for the records of one call; null: lost.
inline std::byte* Reserve(ThreadState* thread, uint32_t bytes, uint32_t records) {
    if (static_cast<size_t>(thread->chunk_end - thread->cursor) >= bytes) [[likely]]
        return thread->cursor;
    return comshu_rec_make_room(thread, bytes, records);
}

inline void Publish(ThreadState* thread, std::byte* end, uint32_t records) {
    thread->cursor = end;
    thread->recorded += records;
    thread->chunk->used.store(static_cast<uint32_t>(end - thread->chunk_begin),
                              std::memory_order_release);
}

// Ends the innermost span. `write_more(std::byte* at)` writes `more_bytes` of further whole records
// behind it (PutInstant helps) and is not called when the call is lost. True: recorded.
template <typename Record, typename WriteMore>
inline bool EndWith(Record* record, uint32_t more_bytes, uint32_t more_records,
                    WriteMore write_more) {
    constexpr uint32_t kBytes = core::RecordBytes(sizeof(Record));
    ThreadState* thread = comshu_thread;
    if (thread == nullptr) [[unlikely]]  // A forked child leaves a call of its parent.
        return false;
    Enter(thread);
    core::ThreadSlot* slot = thread->slot;
    core::SpanEntry* entry = EntryOf(record);
    const size_t index = static_cast<size_t>(entry - slot->stack());
    const uint32_t depth = slot->stack_depth.load(std::memory_order_relaxed);
    if (depth != index + 1) [[unlikely]] {
        // Closed already (its frame seemed gone), or never on this stack: there is nothing to end.
        if (index >= depth) {
            Leave(thread);
            return false;
        }
        // Entries above ours are of calls that never came back.
        comshu_rec_close_above(thread, static_cast<uint32_t>(index) + 1);
    }
    std::byte* at = Reserve(thread, kBytes + more_bytes, 1 + more_records);
    if (at != nullptr) [[likely]] {
        std::memcpy(at, entry->image, kBytes);
        if (more_bytes != 0) write_more(at + kBytes);
        Publish(thread, at + kBytes + more_bytes, 1 + more_records);
    }
    slot->stack_depth.store(static_cast<uint32_t>(index), std::memory_order_release);
    Leave(thread);
    return at != nullptr;
}

template <typename Record>
inline bool End(Record* record) {
    return EndWith(record, 0, 0, [](std::byte*) {});
}

// Writes the prefix of a record at `at` and the zeros behind its struct.
template <typename Record>
inline void PutFrame(std::byte* at) {
    constexpr uint32_t kBytes = core::RecordBytes(sizeof(Record));
    const core::RecordPrefix prefix{kBytes, schema::RecordTraits<Record>::kType, 0};
    std::memcpy(at, &prefix, sizeof prefix);
    if constexpr (kBytes != sizeof prefix + sizeof(Record)) {
        std::memset(at + sizeof prefix + sizeof(Record), 0,
                    kBytes - sizeof prefix - sizeof(Record));
    }
}

// Writes one record at `at` and returns the place behind it.
template <typename Record>
inline std::byte* Put(std::byte* at, const Record& record) {
    PutFrame<Record>(at);
    std::memcpy(at + sizeof(core::RecordPrefix), static_cast<const void*>(&record), sizeof record);
    return at + core::RecordBytes(sizeof(Record));
}

// Records an instant, now, inside the innermost open span.
template <typename Record>
inline bool Instant(const Record& record) {
    static_assert(schema::RecordTraits<Record>::kIsInstant);
    ThreadState* thread = Current();
    if (thread == nullptr) return false;
    if (thread->busy) [[unlikely]] {
        comshu_rec_count_lost(thread, 1,
                              static_cast<uint8_t>(schema::LossReason::in_signal_handler));
        return false;
    }
    Enter(thread);
    std::byte* at = Reserve(thread, core::RecordBytes(sizeof(Record)), 1);
    if (at != nullptr) [[likely]] {
        // The head goes straight to its place: copied with the rest in wide loads it would have to
        // wait for its own narrow stores.
        constexpr size_t kHead = sizeof(schema::EventHead);
        const uint64_t head[2] = {ReadTicks(), InnermostSpan(thread)};
        PutFrame<Record>(at);
        std::memcpy(at + sizeof(core::RecordPrefix), &head[0], sizeof head[0]);
        std::memcpy(at + sizeof(core::RecordPrefix) + sizeof head[0], &head[1], sizeof head[1]);
        std::memcpy(at + sizeof(core::RecordPrefix) + kHead,
                    reinterpret_cast<const std::byte*>(&record) + kHead, sizeof record - kHead);
        Publish(thread, at + core::RecordBytes(sizeof(Record)), 1);
    }
    Leave(thread);
    return at != nullptr;
}

}  // namespace comshu::rec

#endif  // COMSHU_REC_THREAD_STATE_H_
