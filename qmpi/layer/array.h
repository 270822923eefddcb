#ifndef QMPI_LAYER_ARRAY_H
#define QMPI_LAYER_ARRAY_H

#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace qmpi {

// A list that grows and is never freed. It has no destructor, since MPI calls are made from exit
// handlers, and no constructor to run, since tools register before this library is initialised.
template <typename T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    // Null when memory is short; then nothing has changed.
    T* Insert(size_t at, const T& value) {
        if (size_ == capacity_) {
            const size_t wanted = capacity_ == 0 ? 16 : 2 * capacity_;
            void* grown = realloc(static_cast<void*>(items_), wanted * sizeof(T));
            if (grown == nullptr) {
                return nullptr;
            }
            items_ = static_cast<T*>(grown);
            capacity_ = wanted;
        }
        for (size_t i = size_; i > at; i--) {
            items_[i] = items_[i - 1];
        }
        items_[at] = value;
        size_++;
        return &items_[at];
    }
    T* Add(const T& value) { return Insert(size_, value); }

    void Remove(size_t at) {
        size_--;
        for (size_t i = at; i < size_; i++) {
            items_[i] = items_[i + 1];
        }
    }

    size_t size() const { return size_; }
    T& operator[](size_t at) { return items_[at]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }

private:
    T* items_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace qmpi

#endif
