// The .live file of this process, as its writer sees it (core/live_layout.h has the layout).
#ifndef COMSHU_REC_LIVE_FILE_H_
#define COMSHU_REC_LIVE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comshu/core/live_layout.h"
#include "comshu/rec/options.h"

namespace comshu::rec {

// A slot as it is mapped: the ring, what its owner says of itself, the stack, and addresses that are kept
// free for more of it.
struct LiveSlot {
    std::byte* ring = nullptr;
    core::ThreadSlot* thread = nullptr;
    std::byte* stack_end = nullptr;
    uint64_t mapped_bytes = 0;  // From `ring` on, free addresses included.
    uint32_t index = 0;         // In the file.

    uint32_t StackEntries() const {
        const auto* stack = reinterpret_cast<const std::byte*>(thread->stack());
        return static_cast<uint32_t>(static_cast<size_t>(stack_end - stack) /
                                     sizeof(core::SpanEntry));
    }
};

// Problem: what lies in the rings must survive the death of the process, yet a store into a mapped
// file may raise SIGBUS (no space left) or stall (network file systems). Idea: space is taken before
// it is mapped, and the file goes to the capture folder only on file systems known to be local,
// else to /dev/shm. Not thread-safe: callers hold the engine's lock of slots.
class LiveFile {
public:
    // Makes `base`.live in the folder of the stream or elsewhere. False: no space anywhere.
    bool Create(const Options& options, const char* folder, const char* base);

    core::LiveHeader* header() const { return header_; }
    std::byte* definitions() const { return definitions_; }
    uint32_t chunk_bytes() const { return header_->chunk_bytes; }
    uint32_t chunks() const { return header_->chunks_per_ring; }

    // Adds a slot, which this object owns; null when there is no space for one.
    LiveSlot* MakeSlot();
    // Makes the stack of a slot larger, where it is; false: there is no space.
    bool GrowStack(LiveSlot* slot);

    const char* path() const { return path_; }
    // Not in the folder of the stream: the stream must name it.
    bool is_elsewhere() const { return elsewhere_; }

    void Remove();
    // In a forked child: unmaps all but `keep` and its stack, which become a private copy at the same
    // address: an open call of the parent may still end there, to no effect.
    void LeaveToParent(core::ThreadSlot* keep);
    void Unmap();

private:
    bool CreateIn(const char* folder, const char* base, bool elsewhere);
    // At a place of the system's choice where `at` is null.
    std::byte* Map(void* at, uint64_t offset, uint64_t bytes);
    // Where the next slot lies, its space taken; 0: there is none.
    uint64_t TakeSlot();
    void PublishSlot();
    uint64_t RingBytes() const { return header_->slot_bytes - core::kThreadBytes; }
    bool HasOwnFile();

    char path_[4200] = {};
    int fd_ = -1;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
    bool elsewhere_ = false;
    core::LiveHeader* header_ = nullptr;
    std::byte* definitions_ = nullptr;
    std::vector<std::unique_ptr<LiveSlot>> slots_;
    uint32_t largest_slots_ = 0;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_LIVE_FILE_H_
