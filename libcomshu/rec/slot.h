// One thread's recording memory as this process sees it: the mapped slot and what is private.
#ifndef COMSHU_REC_SLOT_H_
#define COMSHU_REC_SLOT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "comshu/core/live_layout.h"
#include "comshu/rec/thread_state.h"
#include "stack_cache.h"
#include "system.h"

namespace comshu::rec {

class Engine;
struct LiveSlot;

// Owned by the engine, never freed while it runs. Three parties: the owning thread (first part), the
// drain under its lock (last part), and `oldest`, which both take before they move `drained` under
// the policy `newest`. A slot changes owner only through SlotState.
struct Slot {
    ThreadState thread;  // First: SlotOf depends on it.
    LiveSlot* live = nullptr;
    core::ThreadSlot* shared = nullptr;
    Engine* engine = nullptr;
    std::byte* ring = nullptr;
    uint32_t chunk_bytes = 0;
    uint32_t chunks = 0;
    bool open = false;  // The chunk `shared->chunk` takes records.
    // Losses not yet in a gap record: ticks of the first and the last.
    std::atomic<uint64_t> gap_begin{0};
    std::atomic<uint64_t> gap_end{0};
    std::atomic<uint8_t> gap_reason{0};
    std::atomic<uint64_t> lost_in_gaps{0};  // Losses that gap records tell of.
    // Losses that providers have not been asked for.
    std::atomic<uint64_t> report_begin{0};
    uint64_t lost_in_reports = 0;
    // Of what thread.recorded counts, written over before it came to the stream.
    std::atomic<uint64_t> overwritten{0};
    // Calls left out of a pause, in all and in Pause records; ticks of when this one began.
    std::atomic<uint64_t> skipped{0};
    std::atomic<uint64_t> skipped_told{0};
    std::atomic<uint64_t> pause_begin{0};
    uint64_t skipped_in_reports = 0;
    uint64_t waited_ns = 0;
    uint64_t retired = 0;    // Ticks of when the thread ended; published by the state kDead.
    int exit_rounds = 0;     // Times that the thread's destructor came by.
    uint64_t stack_low = 0;  // The thread's own stack; 0: not known.
    uint64_t stack_high = 0;
    std::atomic<Slot*> next{nullptr};

    std::unique_ptr<StackCache> stacks;  // Of the owning thread; null until the first call stack.

    Mutex oldest;
    std::atomic<uint32_t> waiting{0};   // The thread sleeps on `released`.
    std::atomic<uint32_t> released{0};  // Changes whenever chunks become free.
    std::atomic<uint64_t> waited_ticks{0};

    // The drain's place: all records before (chunk, offset) are written or counted as lost.
    alignas(64) uint64_t chunk = 1;
    uint32_t offset = 0;
    bool touched = false;        // Every page of the ring has been written to once.
    uint64_t written = 0;        // Spans and instants in the stream.
    uint64_t reported_lost = 0;  // Of shared->lost, in frame headers.
    // How fast the thread records, as the drain last saw it.
    int64_t seen_ns = 0;
    uint64_t seen_bytes = 0;
    double ns_per_byte = 0;

    core::ChunkHeader* Chunk(uint64_t number) const {
        return reinterpret_cast<core::ChunkHeader*>(ring + number % chunks * chunk_bytes);
    }
    uint32_t Capacity() const {
        return chunk_bytes - static_cast<uint32_t>(sizeof(core::ChunkHeader));
    }
    // True when chunk `number` may be used.
    bool IsFree(uint64_t number) const {
        return number - shared->drained.load(std::memory_order_acquire) < chunks;
    }
    // Closed or open, not yet released.
    uint64_t PendingChunks() const {
        return shared->chunk.load(std::memory_order_acquire) + 1 -
               shared->drained.load(std::memory_order_acquire);
    }
};

inline Slot* SlotOf(ThreadState* thread) {
    return reinterpret_cast<Slot*>(thread);
}

inline const std::byte* Records(const core::ChunkHeader* chunk) {
    return reinterpret_cast<const std::byte*>(chunk + 1);
}

}  // namespace comshu::rec

#endif  // COMSHU_REC_SLOT_H_
