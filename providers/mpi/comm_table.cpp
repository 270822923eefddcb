#include "mpi/comm_table.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "comshu/core/clock.h"
#include "comshu/schema/mpi_generated.h"
#include "mpi/definitions.h"
#include "mpi/library.h"
#include "mpi/real_mpi.h"

namespace comshu::provider::mpi {

CommTable comms;

namespace {

uint64_t InternRanks(const Group& group) {
    if (group.world_ranks != nullptr) {
        return InternInt32List(group.world_ranks, group.size);
    }
    auto* ranks = static_cast<int32_t*>(std::malloc(group.size * sizeof(int32_t) + 1));
    if (ranks == nullptr) return 0;
    for (uint32_t i = 0; i < group.size; ++i) ranks[i] = static_cast<int32_t>(i);
    const uint64_t id = InternInt32List(ranks, group.size);
    std::free(ranks);
    return id;
}

// What communicators across worlds are made of one parent by, where the members need not tell.
constexpr uint64_t kMerged = 1;
constexpr uint64_t kDuplicated = 2;

// Hash of the ranks that the members of a group have in another one, which are the same for everyone.
uint64_t HashRanksIn(MPI_Group group, MPI_Group other) {
    int size = 0;
    if (real.Group_size(group, &size) != MPI_SUCCESS || size < 0) return 0;
    auto* ranks = static_cast<int*>(std::malloc(2 * size * sizeof(int) + 1));
    if (ranks == nullptr) return 0;
    for (int i = 0; i < size; ++i) ranks[i] = i;
    uint64_t hash = 0;
    if (size == 0 ||
        real.Group_translate_ranks(group, size, ranks, other, ranks + size) == MPI_SUCCESS) {
        hash = HashMembers(ranks + size, static_cast<size_t>(size));
    }
    std::free(ranks);
    return hash;
}

using AskGroup = int (*)(MPI_Comm, MPI_Group*);

uint64_t HashRanksIn(MPI_Comm comm, MPI_Comm parent, AskGroup ask) {
    MPI_Group group;
    MPI_Group of_parent;
    if (ask(comm, &group) != MPI_SUCCESS) return 0;
    uint64_t hash = 0;
    if (ask(parent, &of_parent) == MPI_SUCCESS) {
        hash = HashRanksIn(group, of_parent);
        real.Group_free(&of_parent);
    }
    real.Group_free(&group);
    return hash;
}

}  // namespace

CommInfo* CommTable::NewInfo() {
    if (freed_ <= kQuarantine) {
        void* memory = std::malloc(sizeof(CommInfo));
        return memory == nullptr ? nullptr : new (memory) CommInfo;
    }
    CommInfo* info = freed_first_;
    freed_first_ = info->next_free;
    --freed_;
    return new (info) CommInfo;
}

const Group* CommTable::InternGroup(const int32_t* ranks, uint32_t size) {
    const uint64_t hash = HashMembers(ranks, size);
    if (Group** known = groups_.Find(hash); known != nullptr) return *known;
    auto* group = static_cast<Group*>(std::malloc(sizeof(Group)));
    if (group == nullptr) return nullptr;
    bool identity = true;
    bool foreign = false;
    for (uint32_t i = 0; i < size && ranks != nullptr; ++i) {
        identity &= ranks[i] == static_cast<int32_t>(i);
        foreign |= ranks[i] == kNoRank;
    }
    int32_t* copy = nullptr;
    if (!identity) {
        copy = static_cast<int32_t*>(std::malloc(size * sizeof(int32_t)));
        if (copy == nullptr) {
            std::free(group);
            return nullptr;
        }
        std::memcpy(copy, ranks, size * sizeof(int32_t));
    }
    new (group) Group{size, copy, hash, foreign};
    groups_.Insert(hash, group);
    return group;
}

const Group* CommTable::GroupOf(MPI_Group group) {
    int size = 0;
    if (real.Group_size(group, &size) != MPI_SUCCESS || size < 0) return nullptr;
    auto* ranks = static_cast<int*>(std::malloc(2 * size * sizeof(int) + 1));
    if (ranks == nullptr) return nullptr;
    int* world_ranks = ranks + size;
    for (int i = 0; i < size; ++i) {
        ranks[i] = i;
        world_ranks[i] = kNoRank;
    }
    const Group* result = nullptr;
    if (size == 0 || !has_world_group_ ||
        real.Group_translate_ranks(group, size, ranks, world_group_, world_ranks) == MPI_SUCCESS) {
        // Processes of another world have no rank in ours.
        for (int i = 0; i < size; ++i) {
            if (world_ranks[i] < 0) world_ranks[i] = kNoRank;
        }
        result = InternGroup(world_ranks, static_cast<uint32_t>(size));
    }
    std::free(ranks);
    return result;
}

// Asks MPI for groups and rank of a communicator.
bool CommTable::Describe(MPI_Comm comm, CommInfo* info) {
    int inter = 0;
    int rank = 0;
    MPI_Group group;
    if (real.Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        real.Comm_rank(comm, &rank) != MPI_SUCCESS ||
        real.Comm_group(comm, &group) != MPI_SUCCESS) {
        return false;
    }
    info->local = GroupOf(group);
    real.Group_free(&group);
    info->peers = info->local;
    if (inter != 0) {
        if (real.Comm_remote_group(comm, &group) != MPI_SUCCESS) return false;
        info->peers = GroupOf(group);
        real.Group_free(&group);
    }
    info->inter = inter != 0;
    info->rank = rank;
    info->handle = comm;
    return info->local != nullptr && info->peers != nullptr;
}

// Publishes a communicator whose groups, rank, number are set, and writes its definition.
const CommInfo* CommTable::Enter(CommInfo* info, uint64_t parent, const char* name) {
    const uint64_t key = Key(info->handle);
    info->key.store(key, std::memory_order_relaxed);
    comms_.Insert(key, info);
    CacheSlot(key).store(info, std::memory_order_release);
    Define(schema::MpiComm(core::ReadCounter(), info->id, parent, InternRanks(*info->local),
                           info->inter ? InternRanks(*info->peers) : 0, InternText(name),
                           info->local->size, info->rank));
    return info;
}

const CommInfo* CommTable::AddWorld(uint64_t job, int32_t rank, int32_t size) {
    Guard guard(mutex_);
    if (!has_world_group_) {
        if (real.Comm_group(CommWorld(), &world_group_) != MPI_SUCCESS) return nullptr;
        has_world_group_ = true;
    }
    const Group* world = InternGroup(nullptr, static_cast<uint32_t>(size));
    const Group* self = InternGroup(&rank, 1);
    CommInfo* info = NewInfo();
    CommInfo* self_info = NewInfo();
    if (world == nullptr || self == nullptr || info == nullptr || self_info == nullptr) {
        return nullptr;
    }
    has_world_comm_ = true;
    world_ = world;
    world_id_ = CommId(job, world->hash, 0);
    info->handle = CommWorld();
    info->id = world_id_;
    info->local = info->peers = world;
    info->rank = rank;
    Enter(info, 0, "MPI_COMM_WORLD");
    self_info->handle = CommSelf();
    // A world of one process has the same members: there the second of that kind.
    self_info->id = CommId(job, self->hash, 1);
    self_info->local = self_info->peers = self;
    self_info->rank = 0;
    Enter(self_info, 0, "MPI_COMM_SELF");
    return info;
}

void CommTable::SetWorldGroup(MPI_Group group, uint64_t job) {
    Guard guard(mutex_);
    int size = 0;
    if (has_world_group_ || real.Group_size(group, &size) != MPI_SUCCESS) {
        real.Group_free(&group);
        return;
    }
    world_group_ = group;
    has_world_group_ = true;
    world_ = InternGroup(nullptr, static_cast<uint32_t>(size));
    if (world_ != nullptr) world_id_ = CommId(job, world_->hash, 0);
}

// `parent_for_id` goes into the number, `parent` into the definition. For an intercommunicator the
// pair of groups stands for the members; with `pair_is_parent` it stands for the parent as well. What
// this world sees of another one is the same for all like it: there the world goes into the number.
const CommInfo* CommTable::Make(MPI_Comm comm, uint64_t parent_for_id, const CommInfo* parent,
                                bool pair_is_parent, const Meeting& meeting) {
    CommInfo* info = NewInfo();
    if (info == nullptr) return nullptr;
    if (!Describe(comm, info)) {
        std::free(info);
        return nullptr;
    }
    const uint64_t members =
        info->inter ? HashGroupPair(info->local->hash, info->peers->hash) : info->local->hash;
    if (pair_is_parent && info->inter) parent_for_id ^= members;
    if (info->IsAcross()) parent_for_id = CommId(parent_for_id, world_id_, 3);
    info->id = CommId(parent_for_id, members, ordinals_.Next(parent_for_id, members));
    Enter(info, parent == nullptr ? 0 : parent->id,
          meeting.of_parent ? "MPI_COMM_PARENT" : nullptr);
    DefineAcross(*info, parent, false, meeting);
    return info;
}

uint64_t CommTable::PlaceOf(const CommInfo& info, const CommInfo& parent, bool duplicate) {
    uint64_t members = kDuplicated;
    if (!duplicate && parent.inter && !info.inter) {
        members = kMerged;
    } else if (!duplicate) {
        members = HashRanksIn(info.handle, parent.handle, real.Comm_group);
        if (info.inter && parent.inter) {
            members = HashGroupPair(
                members, HashRanksIn(info.handle, parent.handle, real.Comm_remote_group));
        }
    }
    // A count of its own: that of numbers goes by what this world sees of the members.
    const uint64_t counted = CommId(parent.id, members, 4);
    return CommId(0, members, ordinals_.Next(counted, members));
}

void CommTable::DefineAcross(const CommInfo& info, const CommInfo* parent, bool duplicate,
                             const Meeting& meeting) {
    if (!info.IsAcross()) return;
    const uint64_t place =
        parent != nullptr && parent->IsAcross() ? PlaceOf(info, *parent, duplicate) : 0;
    Define(schema::MpiCommAcross(
        core::ReadCounter(), info.id, meeting.port == nullptr ? 0 : InternText(meeting.port), place,
        meeting.of_parent ? SpawnerRank() : kNoRank, meeting.of_parent ? 1 : 0));
}

const CommInfo* CommTable::Add(MPI_Comm comm, const CommInfo* parent, uint64_t salt) {
    if (IsNull(comm) || !MayCallMpi()) return nullptr;
    Guard guard(mutex_);
    const uint64_t parent_id = parent == nullptr ? 0 : parent->id;
    return Make(comm, salt == 0 ? parent_id : CommId(parent_id, salt, 0), parent, false, {});
}

const CommInfo* CommTable::AddDuplicate(MPI_Comm comm, const CommInfo& parent) {
    if (IsNull(comm)) return nullptr;
    Guard guard(mutex_);
    CommInfo* info = NewInfo();
    if (info == nullptr) return nullptr;
    info->handle = comm;
    info->local = parent.local;
    info->peers = parent.peers;
    info->rank = parent.rank;
    info->inter = parent.inter;
    info->neighbors_in.store(parent.neighbors_in.load(std::memory_order_relaxed));
    info->neighbors_out.store(parent.neighbors_out.load(std::memory_order_relaxed));
    const uint64_t members =
        info->inter ? HashGroupPair(info->local->hash, info->peers->hash) : info->local->hash;
    info->id = CommId(parent.id, members, ordinals_.Next(parent.id, members));
    Enter(info, parent.id, nullptr);
    DefineAcross(*info, &parent, true, {});
    return info;
}

const CommInfo* CommTable::AddIntercomm(MPI_Comm comm, const CommInfo* parent, uint64_t salt,
                                        const char* port) {
    if (IsNull(comm) || !MayCallMpi()) return nullptr;
    Guard guard(mutex_);
    return Make(comm, CommId(0, salt, 1), parent, true, {.port = port});
}

const CommInfo* CommTable::AddFromText(MPI_Comm comm, const char* text) {
    if (IsNull(comm) || !MayCallMpi()) return nullptr;
    Guard guard(mutex_);
    return Make(comm, CommId(world_id_, HashText(text == nullptr ? "" : text), 2), nullptr, false,
                {});
}

const CommInfo* CommTable::AddSpawner(MPI_Comm comm) {
    if (IsNull(comm) || !MayCallMpi()) return nullptr;
    Guard guard(mutex_);
    if (CommInfo** known = comms_.Find(Key(comm)); known != nullptr) return *known;
    return Make(comm, CommId(0, 0, 1), nullptr, true, {.of_parent = true});
}

const CommInfo* CommTable::FindSlow(MPI_Comm comm) {
    if (IsNull(comm)) return nullptr;
    Guard guard(mutex_);
    const uint64_t key = Key(comm);
    if (CommInfo** known = comms_.Find(key); known != nullptr) {
        CacheSlot(key).store(*known, std::memory_order_release);
        return *known;
    }
    return nullptr;
}

void CommTable::Remove(const CommInfo* found) {
    if (found == nullptr) return;
    Guard guard(mutex_);
    auto* info = const_cast<CommInfo*>(found);
    const uint64_t key = info->key.load(std::memory_order_relaxed);
    if (key == 0) return;
    info->key.store(0, std::memory_order_relaxed);
    if (CommInfo** known = comms_.Find(key); known != nullptr && *known == info) comms_.Erase(key);
    CommInfo* cached = info;
    CacheSlot(key).compare_exchange_strong(cached, nullptr);
    Define(schema::MpiCommClose(core::ReadCounter(), info->id));
    info->next_free = nullptr;
    (freed_first_ == nullptr ? freed_first_ : freed_last_->next_free) = info;
    freed_last_ = info;
    ++freed_;
}

Neighbors CommTable::NeighborsOf(const CommInfo& info) {
    const int32_t in = info.neighbors_in.load(std::memory_order_relaxed);
    if (in != kNoRank) return {in, info.neighbors_out.load(std::memory_order_relaxed)};
    if (!MayCallMpi()) return {};
    int kind = MPI_UNDEFINED;
    int sources = -1;
    int destinations = -1;
    int weighted = 0;
    if (real.Topo_test(info.handle, &kind) != MPI_SUCCESS) return {};
    if (kind == MPI_CART && real.Cartdim_get(info.handle, &sources) == MPI_SUCCESS) {
        destinations = sources *= 2;
    } else if (kind == MPI_GRAPH &&
               real.Graph_neighbors_count(info.handle, info.rank, &sources) == MPI_SUCCESS) {
        destinations = sources;
    } else if (kind == MPI_DIST_GRAPH &&
               real.Dist_graph_neighbors_count(info.handle, &sources, &destinations, &weighted) !=
                   MPI_SUCCESS) {
        sources = -1;
    }
    auto& changed = const_cast<CommInfo&>(info);
    changed.neighbors_out.store(destinations, std::memory_order_relaxed);
    changed.neighbors_in.store(sources, std::memory_order_relaxed);
    return {sources, destinations};
}

}  // namespace comshu::provider::mpi
