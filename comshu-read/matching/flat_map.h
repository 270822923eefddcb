// A hash map for small keys and values in one array.
#ifndef COMSHU_READ_MATCHING_FLAT_MAP_H_
#define COMSHU_READ_MATCHING_FLAT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace comshu::read {

constexpr uint64_t MixBits(uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    return value;
}

// Problem: matching looks up a request and a channel for nearly every record, and a node-based map
// costs an allocation for each. Idea: open addressing with linear probing; erasing shifts what
// follows back, so there are no tombstones and probes stay short however long the map lives.
// Assumes that keys and values are cheap to move. `Hash` is a functor giving 64 well-mixed bits.
// Pointers from Find and Insert are valid until the next Insert or Erase. Not thread-safe.
template <typename Key, typename Value, typename Hash>
class FlatMap {
public:
    size_t size() const { return size_; }

    Value* Find(const Key& key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
    const Value* Find(const Key& key) const {
        if (size_ == 0) return nullptr;
        for (size_t i = Hash{}(key)&mask();; i = (i + 1) & mask()) {
            if (!slots_[i].used) return nullptr;
            if (slots_[i].key == key) return &slots_[i].value;
        }
    }

    // The value of `key`, made from `value` if there was none.
    Value* Insert(const Key& key, Value value) {
        if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
        for (size_t i = Hash{}(key)&mask();; i = (i + 1) & mask()) {
            Slot& slot = slots_[i];
            if (!slot.used) {
                slot.used = true;
                slot.key = key;
                slot.value = std::move(value);
                ++size_;
                return &slot.value;
            }
            if (slot.key == key) return &slot.value;
        }
    }

    // Room for so many in all. Before the content of another map comes in: in the order of its slots it would
    // fill one stretch after the other of a map that has yet to grow, and each probe would be a long way.
    void Reserve(size_t count) {
        while (count * 4 > slots_.size() * 3) Grow();
    }

    void Erase(const Key& key) {
        if (size_ == 0) return;
        size_t hole = Hash{}(key)&mask();
        while (slots_[hole].used && !(slots_[hole].key == key)) hole = (hole + 1) & mask();
        if (!slots_[hole].used) return;
        for (size_t i = (hole + 1) & mask(); slots_[i].used; i = (i + 1) & mask()) {
            const size_t home = Hash{}(slots_[i].key) & mask();
            if (((i - home) & mask()) < ((i - hole) & mask())) continue;
            slots_[hole] = std::move(slots_[i]);
            hole = i;
        }
        slots_[hole] = Slot{};
        --size_;
    }

    template <typename Visit>
    void ForEach(Visit visit) {
        for (Slot& slot : slots_) {
            if (slot.used) visit(slot.key, slot.value);
        }
    }

private:
    struct Slot {
        Key key{};
        Value value{};
        bool used = false;
    };

    size_t mask() const { return slots_.size() - 1; }

    void Grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
        old.swap(slots_);
        size_ = 0;
        for (Slot& slot : old) {
            if (slot.used) Insert(slot.key, std::move(slot.value));
        }
    }

    std::vector<Slot> slots_;  // Its size is a power of two, or 0.
    size_t size_ = 0;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_FLAT_MAP_H_
