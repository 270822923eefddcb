// The communicators of this process: what a handle stands for, and the definitions written for them.
//
// A call on a communicator needs its number and its size, at a cost of two loads: a direct-mapped cache
// leads from the handle to what is known of it. Groups are kept once per content, so that a duplicate
// of MPI_COMM_WORLD costs no list of ranks.
//
// Threads: look-ups without a lock, everything else under one. What a freed communicator left is given
// to another only after many later ones, so that a reader that still holds it reads sound memory.
// A handle that is not known is not asked for: it may be invalid, and asking MPI would run the
// program's error handler.
#ifndef COMSHU_PROVIDERS_MPI_COMM_TABLE_H_
#define COMSHU_PROVIDERS_MPI_COMM_TABLE_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/collective_bytes.h"
#include "mpi/comm_id.h"
#include "mpi/dialect.h"
#include "mpi/handle_table.h"
#include "mpi/lock.h"

namespace comshu::provider::mpi {

// World ranks of the members of a group, in order of rank. Never freed.
struct Group {
    uint32_t size = 0;
    const int32_t* world_ranks = nullptr;  // Null: 0, 1, ... size - 1.
    uint64_t hash = 0;
    bool foreign = false;  // Holds processes of another world.

    int32_t WorldRank(int32_t rank) const {
        if (static_cast<uint32_t>(rank) >= size) return kNoRank;
        return world_ranks == nullptr ? rank : world_ranks[rank];
    }
};

struct CommInfo {
    std::atomic<uint64_t> key{0};  // Key of the handle; 0: freed.
    MPI_Comm handle{};
    uint64_t id = 0;
    const Group* local = nullptr;
    const Group* peers = nullptr;  // Remote group of an intercommunicator, else `local`.
    int32_t rank = kNoRank;
    bool inter = false;
    // Neighbours in the topology, once asked for; kNoRank: not yet.
    std::atomic<int32_t> neighbors_in{kNoRank};
    std::atomic<int32_t> neighbors_out{kNoRank};
    CommInfo* next_free = nullptr;

    int32_t WorldPeer(int32_t peer) const { return peers->WorldRank(peer); }
    bool IsAcross() const { return local->foreign || peers->foreign; }
};

class CommTable {
public:
    // Null: MPI_COMM_NULL, or a handle whose making was not seen.
    const CommInfo* Find(MPI_Comm comm) {
        const uint64_t key = Key(comm);
        const CommInfo* info = CacheSlot(key).load(std::memory_order_acquire);
        if (info != nullptr && info->key.load(std::memory_order_relaxed) == key) [[likely]]
            return info;
        return FindSlow(comm);
    }

    // MPI is up: this process is `rank` of `size` in the world whose parent is the job `job`.
    const CommInfo* AddWorld(uint64_t job, int32_t rank, int32_t size);

    // A call on `parent` (may be null) has made `comm`. `salt` tells apart creations that need not come
    // in the same order on all members (tags). Returns null for MPI_COMM_NULL.
    const CommInfo* Add(MPI_Comm comm, const CommInfo* parent, uint64_t salt);
    // The same of a duplicate, whose handle may not be usable yet.
    const CommInfo* AddDuplicate(MPI_Comm comm, const CommInfo& parent);
    // Both sides of a new intercommunicator see different parents. `port`, on the root, is what the two
    // worlds met at.
    const CommInfo* AddIntercomm(MPI_Comm comm, const CommInfo* parent, uint64_t salt,
                                 const char* port = nullptr);
    // Members agree on a text instead of a parent (MPI_Comm_create_from_group).
    const CommInfo* AddFromText(MPI_Comm comm, const char* text);
    // That of MPI_Comm_get_parent, unless it is known already.
    const CommInfo* AddSpawner(MPI_Comm comm);

    // `info`, found before the call, was freed by it.
    void Remove(const CommInfo* info);

    // Group of a group handle, by world ranks. Null: MPI said no, or no memory.
    const Group* GroupOf(MPI_Group group);
    // World group where there is no MPI_COMM_WORLD (sessions). Takes the handle over.
    void SetWorldGroup(MPI_Group group, uint64_t job);

    Neighbors NeighborsOf(const CommInfo& info);
    uint64_t world_id() const { return world_id_; }
    // Whether MPI_Init was called, as against sessions alone.
    bool HasWorldCommunicator() const { return has_world_comm_; }

    // In a forked child.
    void ResetLocks() { mutex_.Reset(); }

private:
    static constexpr int kCacheBits = 8;
    static constexpr uint32_t kQuarantine = 1024;

    std::atomic<CommInfo*>& CacheSlot(uint64_t key) {
        return cache_[MixKey(key) >> (64 - kCacheBits)];
    }
    const CommInfo* FindSlow(MPI_Comm comm);
    CommInfo* NewInfo();
    bool Describe(MPI_Comm comm, CommInfo* info);
    const CommInfo* Enter(CommInfo* info, uint64_t parent, const char* name);
    // What the members of a communicator across worlds know of it alike (schema MpiCommAcross).
    struct Meeting {
        const char* port = nullptr;
        bool of_parent = false;
    };
    const CommInfo* Make(MPI_Comm comm, uint64_t parent_for_id, const CommInfo* parent,
                         bool pair_is_parent, const Meeting& meeting);
    uint64_t PlaceOf(const CommInfo& info, const CommInfo& parent, bool duplicate);
    void DefineAcross(const CommInfo& info, const CommInfo* parent, bool duplicate,
                      const Meeting& meeting);
    const Group* InternGroup(const int32_t* ranks, uint32_t size);

    std::atomic<CommInfo*> cache_[1 << kCacheBits]{};
    Mutex mutex_;
    HandleTable<CommInfo*> comms_;
    HandleTable<Group*> groups_;
    CommOrdinals ordinals_;
    CommInfo* freed_first_ = nullptr;
    CommInfo* freed_last_ = nullptr;
    uint32_t freed_ = 0;
    MPI_Group world_group_{};
    bool has_world_group_ = false;
    bool has_world_comm_ = false;
    const Group* world_ = nullptr;
    uint64_t world_id_ = 0;
};

extern CommTable comms;

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_COMM_TABLE_H_
