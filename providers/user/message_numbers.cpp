#include "user/message_numbers.h"

#include <cstdlib>

namespace comshu::provider::user {
namespace {

constexpr size_t kFirstSize = 64;

uint64_t HashOf(const MessageKey& key) {
    uint64_t hash = key.transport ^ uint64_t { key.received } << 63;
    hash ^= (uint64_t{static_cast<uint32_t>(key.peer)} << 32 | static_cast<uint32_t>(key.tag)) *
            0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

}  // namespace

// The entry of the key, or the free one where it belongs. There is always a free one.
MessageNumbers::Entry* MessageNumbers::Find(const MessageKey& key) {
    size_t index = HashOf(key) & (size_ - 1);
    while (entries_[index].used && !(entries_[index].key == key)) index = (index + 1) & (size_ - 1);
    return &entries_[index];
}

bool MessageNumbers::Grow() {
    if (used_ * 2 < size_) return true;
    const size_t old_size = size_;
    Entry* const old = entries_;
    const size_t size = size_ == 0 ? kFirstSize : size_ * 2;
    auto* entries = static_cast<Entry*>(std::calloc(size, sizeof(Entry)));
    if (entries == nullptr) return used_ + 1 < size_;
    entries_ = entries;
    size_ = size;
    for (size_t i = 0; i < old_size; ++i) {
        if (old[i].used) *Find(old[i].key) = old[i];
    }
    std::free(old);
    return true;
}

uint64_t MessageNumbers::Next(const MessageKey& key) {
    pthread_mutex_lock(&lock_);
    uint64_t number = 0;
    if (Grow()) {
        Entry* entry = Find(key);
        if (!entry->used) {
            *entry = {key, 0, true};
            ++used_;
        }
        number = entry->next++;
    }
    pthread_mutex_unlock(&lock_);
    return number;
}

void MessageNumbers::ResetLock() {
    pthread_mutex_init(&lock_, nullptr);
}

}  // namespace comshu::provider::user
