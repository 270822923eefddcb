// Moves what threads have recorded from their rings to the stream.
#ifndef COMSHU_REC_DRAIN_H_
#define COMSHU_REC_DRAIN_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/core/block_encoder.h"
#include "slot.h"

namespace comshu::rec {

class Engine;

// Problem: rings are small and must be emptied faster than they fill, at the least cost to the
// program. Idea: blocks of a quarter of a ring or more, encoded; when a thread has filled more than
// half of its ring, the faster of encoding and writing as it is, by what each took last. A chunk is
// free again only when write() has returned, so that it is in the ring or in the stream at any time.
//
// Everything here needs lock() held: by the drain's thread, by Flush and by the end of the process,
// whoever it is that writes.
class Drain {
public:
    explicit Drain(Engine* engine);

    // kHandsOver: whoever waits for lock() is let in after the block under way.
    enum class Pace { kToTheEnd, kHandsOver };

    Mutex& lock() { return lock_; }

    // Writes what is worth a block (`everything`: all that is published) of all threads.
    void Pass(bool everything);

    // The same for one thread.
    void Look(Slot* slot, bool everything, Pace pace = Pace::kToTheEnd);

    // Writes one block of this thread.
    void WritePart(Slot* slot);

    // True when some ring is a quarter full.
    bool HasWork() const;

    // The last word of a thread: all its records, then a gap for what was lost since the last one.
    // A thread that still runs leaves its open calls as records without an end. False: not all of it
    // could be written.
    bool Finish(Slot* slot);
    // Records that are published and not written, without the engine's own.
    uint64_t Unwritten(const Slot* slot) const;

    // The stream cannot be written at present: rings keep what they hold, and nobody waits for room.
    // Any thread may ask.
    bool is_failing() const { return failing_.load(std::memory_order_relaxed); }
    // The first error of a write, once; 0: none since.
    int TakeWriteError();

private:
    struct Speed {
        double ns_per_byte = 0;  // 0: not measured yet.
        double best = 0;         // The least so far: without what else the CPU had to do.
        uint32_t age = 0;        // Blocks since it was measured.
        void Measured(int64_t ns, uint64_t bytes);
    };

    // Both: true when all is written that was published before the call.
    bool DrainSlot(Slot* slot, Pace pace = Pace::kToTheEnd);
    bool WriteBlocks(Slot* slot, Pace pace);
    static void SeeRate(Slot* slot, uint64_t chunk, uint32_t used);
    bool WriteBlock(Slot* slot);
    void ReleaseWritten(Slot* slot);
    std::vector<uint64_t> LastWritten(const Slot* slot) const;
    bool WriteEncoded(Slot* slot, bool* refused);
    bool WriteRaw(Slot* slot);  // False: nothing was written.
    bool ChooseRaw(const Slot* slot) const;
    bool FindExtent(const Slot* slot, uint64_t* chunk, uint32_t* offset, uint32_t* used) const;
    bool WriteExtra(Slot* slot, const std::vector<std::byte>& records, uint32_t count,
                    uint16_t flags);
    bool Append(Slot* slot, core::FrameHeader* header, const void* payload, size_t bytes,
                uint32_t records);
    void Advance(Slot* slot, uint64_t chunk, uint32_t offset);

    Mutex lock_;
    Engine& engine_;
    core::BlockEncoder encoder_;
    std::vector<uint8_t> payload_;
    Speed encoded_;
    Speed raw_;
    int write_error_ = 0;
    std::atomic<bool> failing_{false};
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_DRAIN_H_
