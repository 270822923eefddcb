#include "comshu/attr/address_map.h"

#include <iterator>

namespace comshu::attr {

AddressMap::~AddressMap() {
    pthread_rwlock_destroy(&lock_);
}

void AddressMap::Open(uint64_t id, uint64_t begin, uint64_t bytes) {
    const uint64_t end = begin + bytes;
    if (end <= begin) return;
    pthread_rwlock_wrlock(&lock_);
    auto at = by_begin_.lower_bound(begin);
    if (at != by_begin_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != by_begin_.end() && at->second.begin < end) at = by_begin_.erase(at);
    by_begin_[begin] = {id, begin, end};
    pthread_rwlock_unlock(&lock_);
}

AddressMap::Entity AddressMap::Close(uint64_t begin) {
    Entity closed;
    pthread_rwlock_wrlock(&lock_);
    const auto at = by_begin_.find(begin);
    if (at != by_begin_.end()) {
        closed = at->second;
        by_begin_.erase(at);
    }
    pthread_rwlock_unlock(&lock_);
    return closed;
}

AddressMap::Entity AddressMap::Find(uint64_t address) const {
    Entity found;
    pthread_rwlock_rdlock(&lock_);
    auto at = by_begin_.upper_bound(address);
    if (at != by_begin_.begin() && (--at)->second.end > address) found = at->second;
    pthread_rwlock_unlock(&lock_);
    return found;
}

size_t AddressMap::size() const {
    pthread_rwlock_rdlock(&lock_);
    const size_t size = by_begin_.size();
    pthread_rwlock_unlock(&lock_);
    return size;
}

}  // namespace comshu::attr
