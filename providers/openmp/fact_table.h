// What entries ask of constructs with every event.
#ifndef COMSHU_PROVIDERS_OPENMP_FACT_TABLE_H_
#define COMSHU_PROVIDERS_OPENMP_FACT_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace comshu::provider::openmp {

// Of a construct, or of the declaration of a variable; all zero: nothing is known.
struct Facts {
    uint32_t rank : 5 = 0;  // dimensions of an array
    uint32_t has_no_end : 1 = 0;
    // Asked for with DBG_Get_Handle, as programs do that the original instrumentor made.
    uint32_t is_single : 1 = 0;
    uint32_t bytes : 25 = 0;  // of a variable or an element
};

// Problem: a program may have many thousands of constructs, and its accesses come every few ns on all
// threads.
// Idea: handles of a source are numbered from a multiple of a million, so that one look at a small hash
// table of sources finds the facts of all of them in an array. Handles that stand alone have a place of
// their own. Places are filled in order, the key last; a table that is full is copied, and kept for who
// still reads in it.
// Cost: a division by a constant and a look, 2-3 ns. Any threads read; one at a time adds.
class FactTable {
public:
    static constexpr uint64_t kHandlesOfSource = 1'000'000;

    // The facts of handles `first`, `first` + 1, ...; they stay where they are. What is there already
    // stays. False: no memory.
    bool Add(int64_t first, const Facts* facts, uint32_t count);

    Facts Get(int64_t handle) const {
        const Table* table = table_.load(std::memory_order_acquire);
        if (table == nullptr) return {};
        const auto number = static_cast<uint64_t>(handle);
        const uint64_t index = number % kHandlesOfSource;
        if (const Place* place = Find(*table, number - index);
            place != nullptr && index < place->count)
            return place->facts[index];
        const Place* place = Find(*table, number);
        return place == nullptr ? Facts() : place->facts[0];
    }

private:
    struct Place {
        std::atomic<uint64_t> key{0};
        const Facts* facts = nullptr;
        uint32_t count = 0;
    };
    struct Table {
        size_t mask = 0;
        size_t used = 0;
        Table* grown_from = nullptr;  // Kept for who still reads there.
        Place places[1];
    };
    static size_t Hash(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> 32; }
    static const Place* Find(const Table& table, uint64_t key) {
        for (size_t at = Hash(key);; ++at) {
            const Place& place = table.places[at & table.mask];
            const uint64_t there = place.key.load(std::memory_order_acquire);
            if (there == key) return &place;
            if (there == 0) return nullptr;
        }
    }
    static void Put(Table* table, uint64_t key, const Facts* facts, uint32_t count);
    Table* Grown();

    std::atomic<Table*> table_{nullptr};
};

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_FACT_TABLE_H_
