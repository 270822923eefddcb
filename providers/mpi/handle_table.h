// Handles of MPI mean nothing outside their process and are reused at once, so what they stand for is
// kept in tables: from a handle (as a number) to a small value.
//
// Open addressing with linear probing at half load, and removal that shifts back, so that tables of
// short-lived handles (requests) never fill with graves: a look-up is one multiplication and nearly
// always one cache line. Memory is taken by malloc alone; where it fails an entry is not kept, and
// its handle is unknown from then on.
//
// A table of the process is never destroyed: MPI may be called while the process exits. Owners that
// live shorter call Release.
//
// Not thread-safe: who shares a table locks it. Key 0 is no handle of any MPI and means "free".
#ifndef COMSHU_PROVIDERS_MPI_HANDLE_TABLE_H_
#define COMSHU_PROVIDERS_MPI_HANDLE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace comshu::provider::mpi {

inline uint64_t MixKey(uint64_t key) {
    return key * 0x9E3779B97F4A7C15u;
}

template <typename Value>
class HandleTable {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    constexpr HandleTable() = default;
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    // Stays valid until the next Insert or Erase. Null: unknown.
    Value* Find(uint64_t key) {
        if (size_ == 0) return nullptr;
        for (size_t at = Home(key);; at = (at + 1) & mask_) {
            if (slots_[at].key == key) return &slots_[at].value;
            if (slots_[at].key == 0) return nullptr;
        }
    }

    // Adds or replaces. Null: no memory.
    Value* Insert(uint64_t key, const Value& value) {
        Value* place = InsertPlace(key);
        if (place != nullptr) *place = value;
        return place;
    }

    // As Insert, for a value that is written in its place.
    Value* InsertPlace(uint64_t key) {
        if (key == 0) [[unlikely]]
            return nullptr;
        if (2 * (size_ + 1) > capacity_ && !Grow()) [[unlikely]]
            return nullptr;
        size_t at = Home(key);
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask_;
        if (slots_[at].key == 0) {
            ++size_;
            slots_[at].key = key;
        }
        return &slots_[at].value;
    }

    bool Erase(uint64_t key) {
        Value* value = Find(key);
        if (value == nullptr) return false;
        EraseFound(value);
        return true;
    }

    // Erases what Find returned.
    void EraseFound(Value* value) {
        size_t at = static_cast<size_t>(
            reinterpret_cast<Slot*>(reinterpret_cast<char*>(value) - offsetof(Slot, value)) -
            slots_);
        // Moves back every later entry of the run whose home lies at or before the hole.
        for (size_t next = (at + 1) & mask_; slots_[next].key != 0; next = (next + 1) & mask_) {
            const size_t home = Home(slots_[next].key);
            if (((next - home) & mask_) >= ((next - at) & mask_)) {
                slots_[at] = slots_[next];
                at = next;
            }
        }
        slots_[at].key = 0;
        --size_;
    }

    size_t size() const { return size_; }

    void Release() {
        std::free(slots_);
        slots_ = nullptr;
        mask_ = size_ = capacity_ = 0;
    }

    template <typename Visit>
    void ForEach(Visit visit) {
        for (size_t at = 0; at < capacity_; ++at) {
            if (slots_[at].key != 0) visit(slots_[at].key, slots_[at].value);
        }
    }

private:
    struct Slot {
        uint64_t key;
        Value value;
    };
    static constexpr size_t kFirstCapacity = 64;

    size_t Home(uint64_t key) const { return (MixKey(key) >> 32) & mask_; }

    __attribute__((noinline)) bool Grow() {
        const size_t capacity = slots_ == nullptr ? kFirstCapacity : 2 * capacity_;
        auto* slots = static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)));
        if (slots == nullptr) return false;
        Slot* old = slots_;
        const size_t old_capacity = capacity_;
        slots_ = slots;
        mask_ = capacity - 1;
        capacity_ = capacity;
        for (size_t i = 0; i < old_capacity; ++i) {
            if (old[i].key == 0) continue;
            size_t at = Home(old[i].key);
            while (slots_[at].key != 0) at = (at + 1) & mask_;
            slots_[at] = old[i];
        }
        std::free(old);
        return true;
    }

    Slot* slots_ = nullptr;
    size_t mask_ = 0;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_HANDLE_TABLE_H_
