#include "openmp/fact_table.h"

#include <cstdlib>

namespace comshu::provider::openmp {

void FactTable::Put(Table* table, uint64_t key, const Facts* facts, uint32_t count) {
    size_t at = Hash(key);
    while (table->places[at & table->mask].key.load(std::memory_order_relaxed) != 0) ++at;
    Place& place = table->places[at & table->mask];
    place.facts = facts;
    place.count = count;
    place.key.store(key, std::memory_order_release);
    ++table->used;
}

// One with room for another place; null: no memory.
FactTable::Table* FactTable::Grown() {
    Table* old = table_.load(std::memory_order_relaxed);
    // At least half of the places stay empty, so that every search ends.
    if (old != nullptr && old->used < (old->mask + 1) / 2) return old;
    const size_t places = old == nullptr ? 64 : (old->mask + 1) * 2;
    void* memory = std::calloc(1, sizeof(Table) + places * sizeof(Place));
    if (memory == nullptr) return nullptr;
    auto* table = static_cast<Table*>(memory);
    table->mask = places - 1;
    table->grown_from = old;
    for (size_t i = 0; old != nullptr && i <= old->mask; ++i) {
        const Place& place = old->places[i];
        const uint64_t key = place.key.load(std::memory_order_relaxed);
        if (key != 0) Put(table, key, place.facts, place.count);
    }
    table_.store(table, std::memory_order_release);
    return table;
}

bool FactTable::Add(int64_t first, const Facts* facts, uint32_t count) {
    const auto key = static_cast<uint64_t>(first);
    Table* table = Grown();
    if (table == nullptr || key == 0) return false;
    if (Find(*table, key) == nullptr) Put(table, key, facts, count);
    return true;
}

}  // namespace comshu::provider::openmp
