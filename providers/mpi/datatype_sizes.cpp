#include "mpi/datatype_sizes.h"

#include "mpi/library.h"
#include "mpi/real_mpi.h"

namespace comshu::provider::mpi {

DatatypeSizes datatype_sizes;

void DatatypeSizes::Write(Entry& entry, uint64_t key, uint64_t size) {
    const uint32_t version = entry.version.load(std::memory_order_relaxed);
    entry.version.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    entry.key.store(key, std::memory_order_relaxed);
    entry.size.store(size, std::memory_order_relaxed);
    entry.version.store(version + 2, std::memory_order_release);
}

void DatatypeSizes::Forget(MPI_Datatype datatype) {
    const uint64_t key = Key(datatype);
    Guard guard(mutex_);
    Entry& entry = EntryOf(key);
    if (entry.key.load(std::memory_order_relaxed) == key) Write(entry, 0, 0);
}

uint64_t DatatypeSizes::SizeSlow(MPI_Datatype datatype) {
    if (IsNull(datatype) || !MayCallMpi()) return kNoBytes;
    MPI_Count size = MPI_UNDEFINED;
    if (real.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) return kNoBytes;
    Guard guard(mutex_);
    Write(EntryOf(Key(datatype)), Key(datatype), static_cast<uint64_t>(size));
    return static_cast<uint64_t>(size);
}

}  // namespace comshu::provider::mpi
