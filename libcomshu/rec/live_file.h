// The .live file of this process, as its writer sees it (core/live_layout.h has the layout).
#ifndef COMSHU_REC_LIVE_FILE_H_
#define COMSHU_REC_LIVE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/core/live_layout.h"
#include "comshu/rec/options.h"

namespace comshu::rec {

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

    // Adds a slot; null when there is no space for one.
    core::ThreadSlot* MakeSlot();

    const char* path() const { return path_; }
    // Not in the folder of the stream: the stream must name it.
    bool is_elsewhere() const { return elsewhere_; }

    void Remove();
    // In a forked child: unmaps all but the head of `keep`, which becomes a private copy at the same
    // address: an open call of the parent may still end there, to no effect.
    void LeaveToParent(core::ThreadSlot* keep);
    void Unmap();

private:
    bool CreateIn(const char* folder, const char* base, bool elsewhere);
    std::byte* Map(uint64_t offset, uint64_t bytes);
    bool HasOwnFile();

    char path_[4200] = {};
    int fd_ = -1;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
    bool elsewhere_ = false;
    core::LiveHeader* header_ = nullptr;
    std::byte* definitions_ = nullptr;
    std::vector<core::ThreadSlot*> slots_;
    uint32_t largest_slots_ = 0;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_LIVE_FILE_H_
