#include "mpi/loss_table.h"

namespace comshu::provider::mpi {

LossTable losses;

namespace {

uint64_t HashOf(const LossKey& key) {
    uint64_t hash = MixKey(key.comm + 1);
    hash = MixKey((hash ^ (hash >> 29)) + (uint64_t{key.thread} << 8) +
                  static_cast<uint64_t>(key.direction));
    hash = MixKey((hash ^ (hash >> 29)) + ((uint64_t{static_cast<uint32_t>(key.peer)} << 32) |
                                           static_cast<uint32_t>(key.tag)));
    hash = MixKey((hash ^ (hash >> 29)) + key.request);
    return hash == 0 ? 1 : hash;
}

}  // namespace

void LossTable::Count(LossKey key) {
    Guard guard(mutex_);
    if (table_.size() >= kMostNamed) key.request = 0;
    const uint64_t hash = HashOf(key);
    Counted* counted = table_.Find(hash);
    if (counted == nullptr) counted = table_.Insert(hash, {key, 0});
    if (counted != nullptr) ++counted->count;
}

void LossTable::Reset() {
    mutex_.Reset();
    table_.ForEach([](uint64_t, Counted& counted) { counted.count = 0; });
}

}  // namespace comshu::provider::mpi
