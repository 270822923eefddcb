// Size of a datatype at the cost of one probe: a direct-mapped cache over MPI_Type_size_x.
//
// Threads: readers take no lock; an entry carries a version that is odd while it is written. A handle
// is forgotten before it is freed, since another thread may be given it the moment it is.
#ifndef COMSHU_PROVIDERS_MPI_DATATYPE_SIZES_H_
#define COMSHU_PROVIDERS_MPI_DATATYPE_SIZES_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/dialect.h"
#include "mpi/handle_table.h"
#include "mpi/lock.h"

namespace comshu::provider::mpi {

class DatatypeSizes {
public:
    // kNoBytes: no valid datatype, or MPI may not be asked.
    uint64_t Size(MPI_Datatype datatype) {
        const uint64_t key = Key(datatype);
        Entry& entry = EntryOf(key);
        const uint32_t version = entry.version.load(std::memory_order_acquire);
        if (entry.key.load(std::memory_order_relaxed) == key) [[likely]] {
            const uint64_t size = entry.size.load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            if ((version & 1) == 0 && entry.version.load(std::memory_order_relaxed) == version)
                [[likely]]
                return size;
        }
        return SizeSlow(datatype);
    }

    void Forget(MPI_Datatype datatype);
    void ResetLocks() { mutex_.Reset(); }

private:
    struct Entry {
        std::atomic<uint64_t> key{0};
        std::atomic<uint64_t> size{0};
        std::atomic<uint32_t> version{0};
    };
    static constexpr int kBits = 8;

    Entry& EntryOf(uint64_t key) { return entries_[MixKey(key) >> (64 - kBits)]; }
    void Write(Entry& entry, uint64_t key, uint64_t size);
    uint64_t SizeSlow(MPI_Datatype datatype);

    Entry entries_[1 << kBits];
    Mutex mutex_;
};

extern DatatypeSizes datatype_sizes;

inline uint64_t TypeSize(MPI_Datatype datatype) {
    return datatype_sizes.Size(datatype);
}

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_DATATYPE_SIZES_H_
