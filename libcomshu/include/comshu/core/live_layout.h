// The .live file: the rings, span stacks and counters of one process, mapped shared, so that
// whatever kills the process, all that was published stays readable.
//
//   LiveHeader (4 KiB)
//   definitions region (definitions_bytes): records one after the other, positions modulo its size
//   slots, slot_bytes each: chunks_per_ring x (ChunkHeader | records), to whole pages;
//                           ThreadSlot | SpanEntry x kSpanEntries (the last kThreadBytes)
//
// A slot is the recording memory of one thread; a dead thread's slot serves a later thread once its
// ring has been drained. Only the owning thread writes records; only the drain releases chunks.
// A stack that outgrows its slot goes on where another slot would have its ring: such a slot is of state
// kMoreStack. The process maps the rooms of one stack one behind the other, so that it is one array.
// All counters are lock-free atomics, monotonic, and may be read from another process at any time.
#ifndef COMSHU_CORE_LIVE_LAYOUT_H_
#define COMSHU_CORE_LIVE_LAYOUT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comshu/core/clock.h"

namespace comshu::core {

constexpr uint64_t kLiveMagic = 0x314556494c4d4f43;  // "COMLIVE1" read as bytes begins "COMLIVE".
constexpr uint32_t kLiveVersion = 2;

constexpr uint32_t kSpanImageBytes = 128;

// What the process says of itself as a whole.
struct alignas(4096) LiveHeader {
    std::atomic<uint64_t> magic;  // Written last.
    uint32_t version;
    uint32_t pid;
    uint64_t start_time;                     // As in /proc/PID/stat.
    std::atomic<uint64_t> ticks_per_second;  // Measured over the run so far.
    Calibration calibration;
    uint32_t definitions_bytes;
    uint32_t slot_bytes;
    uint32_t chunk_bytes;  // ChunkHeader included.
    uint32_t chunks_per_ring;
    uint64_t slots_offset;                      // Of the first slot in the file.
    std::atomic<uint32_t> slots;                // Slots made so far.
    std::atomic<uint32_t> on_full;              // OnFull of the engine.
    std::atomic<uint64_t> definitions_head;     // Bytes of definitions ever published.
    std::atomic<uint64_t> definitions_drained;  // Bytes of them in the stream.
    std::atomic<uint64_t> unslotted_lost;       // Records lost by threads that got no slot.
    std::atomic<uint64_t> write_lost;           // Of all losses: while the stream was not writable.
    std::atomic<uint64_t> ended;                // Not 0: all is in the stream.
    uint64_t bound_cpus[16];                    // CPUs the program is bound to; all 0: not bound.
    std::atomic<uint32_t> pauses;               // Bit by PauseReason; 0: recording is on.
    // Orders from outside (comshu ctl): the order is a LiveOrder in the low byte and a number that
    // differs from the last one's above it; the process repeats it in `order_done`.
    std::atomic<uint32_t> order;
    std::atomic<uint32_t> order_done;
    // 1 while the drain sleeps (on this word, as a futex that is shared between processes).
    std::atomic<uint32_t> drain_sleeps;
    // Ticks when the process was last seen alive, by its drain, about once a second; 0: not told.
    std::atomic<uint64_t> last_alive;
};
static_assert(sizeof(LiveHeader) == 4096);

enum class LiveOrder : uint32_t { kNone = 0, kStop = 1, kStart = 2, kFlush = 3 };
constexpr uint32_t kLiveOrderBits = 8;

enum class SlotState : uint32_t {
    kFree = 0,
    kActive = 1,  // A thread owns it.
    kDead = 2,    // Its thread has ended; records may wait.
    kMoreStack =
        3,  // `owner` has its stack here, behind what it has in its own and in earlier ones.
};

// One open span: the image of its record (prefix and struct, `end` 0) as it will go to the ring.
struct SpanEntry {
    alignas(8) std::byte image[kSpanImageBytes];
    uint64_t frame;  // Frame address of the call: entries above a frame that is gone are unwound.
    uint64_t reserved;
};
static_assert(sizeof(SpanEntry) == 144);

constexpr uint32_t kThreadBytes = 12288;  // Of ThreadSlot and the entries behind it.

// Written by the owning thread unless said otherwise.
struct alignas(64) ThreadSlot {
    std::atomic<SlotState> state;
    uint32_t thread;  // Number of the thread in the process; of the last owner while free.
    uint32_t tid;
    std::atomic<uint32_t> stack_depth;  // Entries of the stack that are whole and open.
    std::atomic<uint64_t> chunk;        // Number of the chunk being written.
    std::atomic<uint64_t> recorded;     // Records published (spans and instants) ...
    std::atomic<uint64_t> lost;         // ... and issued but lost, up to the last full chunk.
    uint32_t owner;                     // Index of the slot whose stack this is, in kMoreStack.
    alignas(
        64) std::atomic<uint64_t> drained;  // Written by the drain: chunks below are free again.

    SpanEntry* stack() { return reinterpret_cast<SpanEntry*>(this + 1); }
    const SpanEntry* stack() const { return reinterpret_cast<const SpanEntry*>(this + 1); }
};
constexpr uint32_t kSpanEntries = (kThreadBytes - sizeof(ThreadSlot)) / sizeof(SpanEntry);
static_assert(sizeof(ThreadSlot) == 128 && kSpanEntries == 84);

// What a stack may grow by: nested calls of twice as much as a thread's stack of usual size has room
// for. docs/capture.md and docs/provider-openmp.md say how many entries that are.
constexpr uint64_t kMoreStackBytes = 32 << 20;
constexpr uint64_t kMostNested = kSpanEntries + kMoreStackBytes / sizeof(SpanEntry);

// Head of chunk `number`, which lies at (number mod chunks_per_ring) in its ring.
struct alignas(64) ChunkHeader {
    std::atomic<uint64_t> number;  // 0 before first use: numbers start at 1.
    uint32_t thread;
    uint32_t reserved;
    std::atomic<uint32_t> used;    // Bytes of whole records published in it.
    std::atomic<uint32_t> closed;  // Not 0: nothing more will be written to it.
    uint64_t opened;               // Ticks when the thread began to use it.
};
static_assert(sizeof(ChunkHeader) == 64);

}  // namespace comshu::core

#endif  // COMSHU_CORE_LIVE_LAYOUT_H_
