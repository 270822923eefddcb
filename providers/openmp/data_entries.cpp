// Data: variables, reads, writes, arguments (levels 3 and 4).
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/rec/engine.h"
#include "openmp/entries.h"
#include "openmp/library.h"
#include "openmp/spans.h"

namespace comshu::provider::openmp {
namespace {

using Handle = const int64_t*;
using Id = int64_t*;
using schema::OmpAccessKind;
using schema::OmpValueKind;
using schema::OmpVariableKind;

uint64_t AddressOf(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

// What is worked out from data is wrong if a single record is missing.
rec::ThreadState* EnterData(Id t) {
    rec::ThreadState* thread = Enter(t);
    if (!library.keeps_all.load(std::memory_order_relaxed)) [[unlikely]] {
        // A thread that got no room is to be told of, too.
        const uint32_t recording = rec::comshu_recording.load(std::memory_order_relaxed);
        if (thread == nullptr && (recording & rec::kRecordingOn) == 0) return nullptr;
        library.keeps_all.store(true, std::memory_order_relaxed);
        comshu_engine_keep_all();
    }
    return thread;
}

struct Value {
    uint64_t low = 0;
    uint64_t high = 0;
    OmpValueKind kind = OmpValueKind::none;
};

// Larger ones are left out: reading them would cost more than the program's own access.
constexpr uint32_t kMostBytes = 4096;
constexpr uintptr_t kFirstPage = 4096;

// Whether the word that holds the byte can be read. The kernel looks at the mask before it finds that
// there is no such operation.
bool IsReadable(uintptr_t at) {
    constexpr int kNoSuchOperation = ~0;
    const int before = errno;
    const long result = syscall(SYS_rt_sigprocmask, kNoSuchOperation, at & ~uintptr_t{7}, nullptr,
                                sizeof(uint64_t));
    const bool readable = result == 0 || errno != EFAULT;
    errno = before;
    return readable;
}

template <typename Word>
Value Bits(const void* address) {
    Word word;
    std::memcpy(&word, address, sizeof word);
    return {word, 0, OmpValueKind::bits};
}

// The value of a variable. `is_there`: the statement reads or has written it, whatever happens.
inline Value ValueAt(const void* address, uint32_t bytes, bool is_there) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (bytes == 0 || bytes > kMostBytes || at < kFirstPage) return {};
    if (!is_there && !(IsReadable(at) && IsReadable(at + bytes - 1))) return {};
    if (bytes == 4) return Bits<uint32_t>(address);
    if (bytes == 8) return Bits<uint64_t>(address);
    if (bytes > 16) return {XXH64(address, bytes, 0), 0, OmpValueKind::hash};
    Value value{0, 0, OmpValueKind::bits};
    uint64_t words[2] = {0, 0};
    std::memcpy(words, address, bytes);
    value.low = words[0];
    value.high = words[1];
    return value;
}

void Access(Handle h, Id t, const void* address, const int64_t* variable, OmpAccessKind kind) {
    if (EnterData(t) == nullptr) return;
    const Facts facts = library.constructs.FactsOf(*variable);
    // The original instrumentor tells reads, too, that the statement need not come to.
    const bool is_there = kind != OmpAccessKind::read || !facts.is_single;
    const Value value =
        kind == OmpAccessKind::write_begin ? Value() : ValueAt(address, facts.bytes, is_there);
    rec::Instant(schema::OmpAccess(schema::EventHead(), AddressOf(address), ConstructOf(variable),
                                   ConstructOf(h), value.low, value.high, facts.bytes, kind,
                                   value.kind));
}

// What gfortran makes of an array for C (ISO_Fortran_binding.h of GCC 9 and later).
struct Descriptor {
    std::byte* base;
    size_t element_bytes;
    int32_t version;
    int8_t rank;
    int8_t attribute;
    int16_t type;
    struct Dimension {
        ptrdiff_t lower;
        ptrdiff_t extent;
        ptrdiff_t stride_bytes;
    } dimensions[15];
};
constexpr int32_t kGnuVersion = 1;  // Other compilers have others, and order it in other ways.
constexpr int64_t kMostBytesOfOne = int64_t{1} << 31;

constexpr int16_t kStructure = 6;

bool IsKnown(const Descriptor& descriptor) {
    return descriptor.version == kGnuVersion && descriptor.rank >= 0 && descriptor.rank <= 15 &&
           descriptor.base != nullptr;
}

// The next element: dimensions from `first` on. False: that was the last one.
bool Step(const Descriptor& descriptor, int first, ptrdiff_t* index) {
    int i = first;
    while (i < descriptor.rank && ++index[i] == descriptor.dimensions[i].extent) index[i++] = 0;
    return i < descriptor.rank;
}

const std::byte* ElementAt(const Descriptor& descriptor, int first, const ptrdiff_t* index) {
    const std::byte* at = descriptor.base;
    for (int i = first; i < descriptor.rank; ++i)
        at += index[i] * descriptor.dimensions[i].stride_bytes;
    return at;
}

// One access to a stretch of an array. What a derived type leaves between its components, and where its
// allocatable ones lie, differs from run to run: such stretches have no value.
void Stretch(Handle h, const int64_t* variable, OmpAccessKind kind, const Descriptor& descriptor,
             const std::byte* at, int64_t bytes) {
    const auto length = static_cast<uint32_t>(bytes);
    Value value;
    if (kind != OmpAccessKind::write_begin && descriptor.type != kStructure) {
        if (static_cast<size_t>(bytes) == descriptor.element_bytes) {
            value = ValueAt(at, length, true);
        } else if (length <= kMostBytes) {
            value = {XXH64(at, length, 0), 0, OmpValueKind::hash};
        }
    }
    rec::Instant(schema::OmpAccess(schema::EventHead(), AddressOf(at), ConstructOf(variable),
                                   ConstructOf(h), value.low, value.high, length, kind,
                                   value.kind));
}

// An array as stretches of memory, each one access.
void Whole(Handle h, Id t, const void* array, const int64_t* variable, OmpAccessKind kind) {
    const auto& descriptor = *static_cast<const Descriptor*>(array);
    if (EnterData(t) == nullptr || !IsKnown(descriptor)) return;
    auto bytes = static_cast<int64_t>(descriptor.element_bytes);
    int inner = 0;
    for (int i = 0; i < descriptor.rank; ++i) {
        if (descriptor.dimensions[i].extent <= 0) return;
    }
    while (inner < descriptor.rank && descriptor.dimensions[inner].stride_bytes == bytes &&
           bytes * descriptor.dimensions[inner].extent < kMostBytesOfOne) {
        bytes *= descriptor.dimensions[inner].extent;
        ++inner;
    }
    ptrdiff_t index[15] = {};
    do {
        Stretch(h, variable, kind, descriptor, ElementAt(descriptor, inner, index), bytes);
    } while (Step(descriptor, inner, index));
}

bool IsTrue(const std::byte* logical, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        if (logical[i] != std::byte{0}) return true;
    }
    return false;
}

// The elements of an array where the mask, of the same shape, holds: those behind each other are one access.
void Masked(Handle h, Id t, const void* array, const int64_t* variable, const void* mask,
            OmpAccessKind kind) {
    const auto& descriptor = *static_cast<const Descriptor*>(array);
    const auto& holds = *static_cast<const Descriptor*>(mask);
    if (EnterData(t) == nullptr || !IsKnown(descriptor) || !IsKnown(holds) ||
        holds.rank != descriptor.rank)
        return;
    for (int i = 0; i < descriptor.rank; ++i) {
        if (descriptor.dimensions[i].extent <= 0 ||
            descriptor.dimensions[i].extent != holds.dimensions[i].extent)
            return;
    }
    const auto size = static_cast<int64_t>(descriptor.element_bytes);
    const std::byte* begin = nullptr;
    int64_t bytes = 0;
    auto tell = [&] {
        if (bytes > 0) Stretch(h, variable, kind, descriptor, begin, bytes);
        bytes = 0;
    };
    ptrdiff_t index[15] = {};
    do {
        if (!IsTrue(ElementAt(holds, 0, index), holds.element_bytes)) continue;
        const std::byte* at = ElementAt(descriptor, 0, index);
        if (at != begin + bytes || bytes + size > kMostBytesOfOne) tell();
        if (bytes == 0) begin = at;
        bytes += size;
    } while (Step(descriptor, 0, index));
    tell();
}

void Variable(Handle h, Id t, const void* address, int32_t position, OmpVariableKind kind) {
    if (EnterData(t) == nullptr) return;
    rec::Instant(schema::OmpVariable(schema::EventHead(), AddressOf(address), ConstructOf(h),
                                     position, kind));
}

void Array(Handle h, Id t, const int64_t* bounds, const void* address, int32_t position,
           OmpVariableKind kind) {
    if (EnterData(t) == nullptr) return;
    Variable(h, t, address, position, kind);
    const uint32_t rank = library.constructs.FactsOf(*h).rank;
    for (uint32_t i = 0; i < rank; ++i)
        rec::Instant(schema::OmpBound(schema::EventHead(), bounds[2 * i], bounds[2 * i + 1]));
}

void Argument(Id t, const int32_t* position, const void* address, const int64_t* variable,
              const void* base, const int32_t* is_read) {
    if (EnterData(t) == nullptr) return;
    rec::Instant(schema::OmpArgument(schema::EventHead(), AddressOf(address), ConstructOf(variable),
                                     AddressOf(base), *position, *is_read));
}

}  // namespace

void On_reg_var(Handle h, Id t, void* address) {
    Variable(h, t, address, 0, OmpVariableKind::variable);
}
void On_reg_arr(Handle h, Id t, const int64_t* bounds, void* address) {
    Array(h, t, bounds, address, 0, OmpVariableKind::array);
}
void On_unreg_arr(Handle h, Id t, void* address) {
    Variable(h, t, address, 0, OmpVariableKind::gone);
}
void On_reg_par_var(Handle h, Id t, void* address, const int32_t* position) {
    Variable(h, t, address, *position, OmpVariableKind::formal_variable);
}
void On_reg_par_arr(Handle h, Id t, const int64_t* bounds, void* address, const int32_t* position) {
    Array(h, t, bounds, address, *position, OmpVariableKind::formal_array);
}
void On_reg_common(Handle h, Id t) {
    Variable(h, t, nullptr, 0, OmpVariableKind::common);
}

void On_read_var(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::read);
}
void On_read_arr(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::read);
}
void On_write_var_begin(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_begin);
}
void On_write_var_end(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}
void On_write_arr_begin(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::write_begin);
}
void On_write_arr_end(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}
void On_write_end(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}

void On_read_whole(Handle h, Id t, const void* array, const int64_t* v) {
    Whole(h, t, array, v, OmpAccessKind::read);
}
void On_write_whole_begin(Handle h, Id t, const void* array, const int64_t* v) {
    Whole(h, t, array, v, OmpAccessKind::write_begin);
}
void On_write_whole_end(Handle h, Id t, const void* array, const int64_t* v) {
    Whole(h, t, array, v, OmpAccessKind::write_end);
}

void On_read_masked(Handle h, Id t, const void* array, const int64_t* v, const void* mask) {
    Masked(h, t, array, v, mask, OmpAccessKind::read);
}
void On_write_masked_begin(Handle h, Id t, const void* array, const int64_t* v, const void* mask) {
    Masked(h, t, array, v, mask, OmpAccessKind::write_begin);
}
void On_write_masked_end(Handle h, Id t, const void* array, const int64_t* v, const void* mask) {
    Masked(h, t, array, v, mask, OmpAccessKind::write_end);
}

void On_func_par_var(Handle, Id t, const int32_t* position, void* address, const int64_t* v,
                     const int32_t* is_read) {
    Argument(t, position, address, v, nullptr, is_read);
}
void On_func_par_arr(Handle, Id t, const int32_t* position, void* address, const int64_t* v,
                     void* base, const int32_t* is_read) {
    Argument(t, position, address, v, base, is_read);
}

}  // namespace comshu::provider::openmp
