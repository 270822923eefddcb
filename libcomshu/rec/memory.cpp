// Memory of the preloaded object, apart from the program's.
//
// Problem: the engine allocates in its slow paths: when a process ends, also inside a signal handler
// that interrupted malloc; while its drain runs beside a program that replaces malloc, counts it, or
// has just forked. Idea: operator new of this object alone (its symbols are local) takes pages from
// the kernel and keeps what is given back in lists by size. Callers are in a SlowPath, so a handler
// never meets the lock. Memory is bounded by what blocks need: a few MiB.
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <sys/mman.h>

#include "system.h"

namespace comshu::rec {
namespace {

constexpr size_t kHeader = 16;  // Before each piece: its size class, or its bytes if it is mapped.
constexpr size_t kSmallestShift = 6;
constexpr size_t kLargestShift = 15;
constexpr size_t kRegionBytes = 256 * 1024;
// Where the kernel refuses: untouched otherwise.
constexpr size_t kReserveBytes = 8 * 1024 * 1024;

struct Piece {
    Piece* next;
};

constinit Mutex lock;
constinit std::array<Piece*, kLargestShift + 1> free_lists{};
constinit std::byte* region = nullptr;
constinit size_t region_left = 0;
constinit size_t reserve_used = 0;
alignas(4096) constinit std::byte reserve[kReserveBytes]{};

std::byte* Map(size_t bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped);
    if (kReserveBytes - reserve_used < bytes) return nullptr;
    std::byte* at = reserve + reserve_used;
    reserve_used += bytes;
    return at;
}

std::byte* Take(size_t shift) {
    if (Piece* piece = free_lists[shift]) {
        free_lists[shift] = piece->next;
        return reinterpret_cast<std::byte*>(piece);
    }
    const size_t bytes = size_t{1} << shift;
    if (region_left < bytes) {
        region = Map(kRegionBytes);
        if (region == nullptr) return nullptr;
        region_left = kRegionBytes;
    }
    std::byte* at = region;
    region += bytes;
    region_left -= bytes;
    return at;
}

void* Allocate(size_t bytes) {
    const Locked locked(&lock);
    size_t shift = kSmallestShift;
    while (shift <= kLargestShift && (size_t{1} << shift) < bytes + kHeader) ++shift;
    std::byte* at;
    uint64_t mark;
    if (shift <= kLargestShift) {
        at = Take(shift);
        mark = shift;
    } else {
        mark = (bytes + kHeader + 4095) & ~uint64_t{4095};
        at = Map(mark);
    }
    if (at == nullptr) return nullptr;
    *reinterpret_cast<uint64_t*>(at) = mark;
    return at + kHeader;
}

void Free(void* memory) {
    if (memory == nullptr) return;
    const Locked locked(&lock);
    std::byte* at = static_cast<std::byte*>(memory) - kHeader;
    const uint64_t mark = *reinterpret_cast<uint64_t*>(at);
    if (mark > kLargestShift) {
        if (at < reserve || at >= reserve + kReserveBytes) munmap(at, mark);
        return;
    }
    auto* piece = reinterpret_cast<Piece*>(at);
    piece->next = free_lists[mark];
    free_lists[mark] = piece;
}

}  // namespace
}  // namespace comshu::rec

void* operator new(size_t bytes) {
    return comshu::rec::Allocate(bytes);
}
void* operator new[](size_t bytes) {
    return comshu::rec::Allocate(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    return comshu::rec::Allocate(bytes);
}
void operator delete(void* memory) noexcept {
    comshu::rec::Free(memory);
}
void operator delete[](void* memory) noexcept {
    comshu::rec::Free(memory);
}
void operator delete(void* memory, size_t) noexcept {
    comshu::rec::Free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
    comshu::rec::Free(memory);
}
