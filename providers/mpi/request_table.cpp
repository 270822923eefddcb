#include "mpi/request_table.h"

namespace comshu::provider::mpi {

bool SharedRequests::Grow() {
    const uint64_t capacity = ring_ == nullptr ? 64 : 2 * (mask_ + 1);
    auto* ring = static_cast<Item*>(std::malloc(capacity * sizeof(Item)));
    if (ring == nullptr) return false;
    uint64_t end = 0;
    for (uint64_t i = begin_; i < end_; ++i) {
        if (At(i).handle != 0) ring[end++] = At(i);
    }
    std::free(ring_);
    ring_ = ring;
    mask_ = capacity - 1;
    begin_ = 0;
    end_ = end;
    return true;
}

bool SharedRequests::Add(uint64_t handle, const void* address, const RequestEntry& entry) {
    if ((ring_ == nullptr || end_ - begin_ > mask_) && !Grow()) return false;
    At(end_++) = {handle, address, entry};
    return true;
}

RequestEntry* SharedRequests::Find(uint64_t handle, const void* address) {
    // A variable holds one handle, so of several entries with its address the newest counts.
    const auto search = [&](uint64_t from, uint64_t to) -> RequestEntry* {
        for (uint64_t i = to; i > from; --i) {
            Item& item = At(i - 1);
            if (item.handle == handle && item.address == address) return &item.entry;
        }
        return nullptr;
    };
    const uint64_t size = end_ - begin_;
    const uint64_t near_end = size < kReach ? begin_ : end_ - kReach;
    RequestEntry* found = search(near_end, end_);
    if (found == nullptr)
        found = search(begin_, near_end - begin_ < kReach ? near_end : begin_ + kReach);
    for (uint64_t i = begin_; found == nullptr && i < end_; ++i) {
        if (At(i).handle == handle) found = &At(i).entry;
    }
    return found;
}

bool SharedRequests::Remove(uint64_t handle, uint64_t id) {
    for (uint64_t i = begin_; i < end_; ++i) {
        Item& item = At(i);
        if (item.handle == handle && item.entry.id == id) {
            item.handle = 0;
            Trim();
            return true;
        }
    }
    return false;
}

void SharedRequests::Release() {
    std::free(ring_);
    ring_ = nullptr;
    mask_ = begin_ = end_ = 0;
}

void SharedRequests::Trim() {
    while (begin_ < end_ && At(begin_).handle == 0) ++begin_;
    while (begin_ < end_ && At(end_ - 1).handle == 0) --end_;
}

uint64_t RequestTable::AddSlow(const RequestKey& key, const RequestEntry& entry) {
    RequestEntry numbered = entry;
    if (numbered.id == 0) numbered.id = TakeId();
    if (key.shared) {
        ThreadGuard guard(shared_mutex_);
        shared_.Add(key.handle, key.address, numbered);
    } else {
        Shard& shard = ShardOf(key.handle);
        ThreadGuard guard(shard.mutex);
        shard.table.Insert(key.handle, numbered);
    }
    return numbered.id;
}

RequestEntry RequestTable::FindSlow(const RequestKey& key) {
    if (key.shared) {
        ThreadGuard guard(shared_mutex_);
        const RequestEntry* entry = shared_.Find(key.handle, key.address);
        return entry == nullptr ? RequestEntry{} : *entry;
    }
    Shard& shard = ShardOf(key.handle);
    ThreadGuard guard(shard.mutex);
    const RequestEntry* entry = shard.table.Find(key.handle);
    return entry == nullptr ? RequestEntry{} : *entry;
}

void RequestTable::RemoveSlow(const RequestKey& key, uint64_t id) {
    if (key.shared) {
        ThreadGuard guard(shared_mutex_);
        shared_.Remove(key.handle, id);
        return;
    }
    Shard& shard = ShardOf(key.handle);
    ThreadGuard guard(shard.mutex);
    const RequestEntry* entry = shard.table.Find(key.handle);
    if (entry != nullptr && entry->id == id) shard.table.Erase(key.handle);
}

void RequestTable::Update(const RequestKey& key, const RequestEntry& entry) {
    if (entry.id == 0) return;
    if (key.shared) {
        ThreadGuard guard(shared_mutex_);
        RequestEntry* found = shared_.Find(key.handle, key.address);
        if (found != nullptr && found->id == entry.id) *found = entry;
        return;
    }
    Shard& shard = ShardOf(key.handle);
    ThreadGuard guard(shard.mutex);
    RequestEntry* found = shard.table.Find(key.handle);
    if (found != nullptr && found->id == entry.id) *found = entry;
}

void RequestTable::ResetLocks() {
    for (Shard& shard : shards_) shard.mutex.Reset();
    shared_mutex_.Reset();
}

void RequestTable::Release() {
    for (Shard& shard : shards_) shard.table.Release();
    shared_.Release();
}

}  // namespace comshu::provider::mpi
