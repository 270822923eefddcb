// What each request of the program stands for, so that the call that completes it can name it.
//
// A request is known to MPI by a handle that is reused as soon as it is complete; here it has a number
// that never is. An entry is made by the call that makes the request and leaves with the call that
// completes or frees it; a persistent request keeps its entry until it is freed.
//
// Operations that are complete when they are started get one and the same handle from both MPIs. Such
// requests are told apart by where the program keeps the handle (the address that MPI wrote it to);
// where it moved the handle, the oldest is taken: all of them are complete, and in arrays that is
// their order.
//
// Threads: any, under MPI_THREAD_MULTIPLE a lock per shard; otherwise no lock. Another thread may get
// the handle of a request as soon as MPI has completed it, so the completing thread looks its requests
// up before the call and removes by number, not by handle.
// Cost: one probe per call on a request. Handles that are not known are no error: id 0.
#ifndef COMSHU_PROVIDERS_MPI_REQUEST_TABLE_H_
#define COMSHU_PROVIDERS_MPI_REQUEST_TABLE_H_

#include <atomic>
#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/handle_table.h"
#include "mpi/lock.h"

namespace comshu::provider::mpi {

struct Group;

struct RequestEntry {
    uint64_t id = 0;
    uint64_t comm = 0;             // Id of the communicator; 0: none.
    const Group* peers = nullptr;  // Turns ranks of the communicator into world ranks.
    int32_t peer = INT32_MIN;      // As posted.
    int32_t tag = INT32_MIN;
    uint64_t buffer_bytes = UINT64_MAX;  // Room for what is received; max: not known.
    schema::MpiRequestKind kind = schema::MpiRequestKind::unknown;
    bool persistent = false;
    bool active = false;            // An operation is under way; always so unless persistent.
    bool cancel_requested = false;  // The status will tell whether it was cancelled.

    bool IsReceiving() const {
        return kind == schema::MpiRequestKind::receive ||
               kind == schema::MpiRequestKind::send_receive;
    }
    // Whether the status of its completion holds something that is recorded.
    bool NeedsStatus() const {
        return IsReceiving() || kind == schema::MpiRequestKind::io || cancel_requested;
    }
};

// A handle as the program holds it. `shared`: other requests may have the same (dialect.h).
struct RequestKey {
    uint64_t handle;
    const void* address;
    bool shared;
};

// Requests with shared handles, in order of creation.
class SharedRequests {
public:
    constexpr SharedRequests() = default;
    SharedRequests(const SharedRequests&) = delete;
    SharedRequests& operator=(const SharedRequests&) = delete;
    void Release();

    bool Add(uint64_t handle, const void* address, const RequestEntry& entry);
    RequestEntry* Find(uint64_t handle, const void* address);
    bool Remove(uint64_t handle, uint64_t id);

private:
    struct Item {
        uint64_t handle;  // 0: removed.
        const void* address;
        RequestEntry entry;
    };
    // Addresses are looked for this far from either end, so that a call never costs more.
    static constexpr uint64_t kReach = 32;

    Item& At(uint64_t number) { return ring_[number & mask_]; }
    bool Grow();
    void Trim();

    Item* ring_ = nullptr;
    uint64_t mask_ = 0;
    uint64_t begin_ = 0;
    uint64_t end_ = 0;
};

// The single-threaded way through each call is inlined into the wrappers.
class RequestTable {
public:
    // Of anything that a request may have its number from.
    uint64_t TakeId() { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; }

    // Returns the new request's number: the next one, where `entry` has none.
    uint64_t Add(const RequestKey& key, const RequestEntry& entry) {
        if (key.shared || IsThreadMultiple()) [[unlikely]]
            return AddSlow(key, entry);
        uint64_t id = entry.id;
        if (id == 0) {
            id = last_id_.load(std::memory_order_relaxed) + 1;
            last_id_.store(id, std::memory_order_relaxed);
        }
        RequestEntry* place = ShardOf(key.handle).table.InsertPlace(key.handle);
        if (place != nullptr) {
            *place = entry;
            place->id = id;
        }
        return id;
    }

    // The entry as it is now; id 0: unknown.
    RequestEntry Find(const RequestKey& key) {
        if (key.shared || IsThreadMultiple()) [[unlikely]]
            return FindSlow(key);
        const RequestEntry* entry = ShardOf(key.handle).table.Find(key.handle);
        return entry == nullptr ? RequestEntry{} : *entry;
    }

    // Forgets the request `id` if the handle still stands for it.
    void Remove(const RequestKey& key, uint64_t id) {
        if (id == 0) return;
        if (key.shared || IsThreadMultiple()) [[unlikely]]
            return RemoveSlow(key, id);
        HandleTable<RequestEntry>& table = ShardOf(key.handle).table;
        RequestEntry* entry = table.Find(key.handle);
        if (entry != nullptr && entry->id == id) table.EraseFound(entry);
    }

    // Writes back the state of the request `entry.id`, if the handle still stands for it.
    void Update(const RequestKey& key, const RequestEntry& entry);

    // In a forked child: locks of the parent's threads are void.
    void ResetLocks();
    void Release();

private:
    static constexpr uint32_t kShards = 16;
    struct alignas(64) Shard {
        Mutex mutex;
        HandleTable<RequestEntry> table;
    };
    Shard& ShardOf(uint64_t handle) { return shards_[MixKey(handle) >> 60]; }
    uint64_t AddSlow(const RequestKey& key, const RequestEntry& entry);
    RequestEntry FindSlow(const RequestKey& key);
    void RemoveSlow(const RequestKey& key, uint64_t id);

    Shard shards_[kShards];
    Mutex shared_mutex_;
    SharedRequests shared_;
    std::atomic<uint64_t> last_id_{0};
};

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_REQUEST_TABLE_H_
