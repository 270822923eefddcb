#include "openmp/regions.h"

namespace comshu::provider::openmp {

uint64_t Regions::Open(uint64_t key) {
    const uint64_t region = next_.fetch_add(1, std::memory_order_relaxed);
    Place* free = nullptr;
    for (size_t i = 0; i < kLook; ++i) {
        Place& place = At(key, i);
        const uint64_t there = place.key.load(std::memory_order_relaxed);
        if (there == key) {
            place.region.store(region, std::memory_order_relaxed);
            return region;
        }
        if (there == 0 && free == nullptr) free = &place;
    }
    uint64_t none = 0;
    if (free != nullptr && free->key.compare_exchange_strong(none, key, std::memory_order_relaxed))
        free->region.store(region, std::memory_order_release);
    return region;
}

uint64_t Regions::Find(uint64_t key) const {
    for (size_t i = 0; i < kLook; ++i) {
        const Place& place = At(key, i);
        if (place.key.load(std::memory_order_relaxed) == key)
            return place.region.load(std::memory_order_acquire);
    }
    return 0;
}

void Regions::Close(uint64_t key, uint64_t region) {
    for (size_t i = 0; i < kLook; ++i) {
        Place& place = At(key, i);
        if (place.key.load(std::memory_order_relaxed) != key) continue;
        if (place.region.load(std::memory_order_relaxed) != region) return;
        place.region.store(0, std::memory_order_relaxed);
        place.key.store(0, std::memory_order_relaxed);
        return;
    }
}

}  // namespace comshu::provider::openmp
