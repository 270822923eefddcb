// Spans of the openmp records on the calling thread's stack.
//
// Begin and end of a construct are calls of their own, from different frames: entries belong to no frame,
// and an end looks for the entry of its construct. What was opened inside and not ended (a jump, a
// cancelled construct, a level that tells no ends) ends with it.
#ifndef COMSHU_PROVIDERS_OPENMP_SPANS_H_
#define COMSHU_PROVIDERS_OPENMP_SPANS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "comshu/rec/thread_state.h"
#include "comshu/schema/openmp_traits.h"
#include "comshu/schema/user_generated.h"

namespace comshu::provider::openmp {

using schema::OmpFunction;

constexpr uint64_t kNoFrame = std::numeric_limits<uint64_t>::max();

inline uint64_t ConstructOf(const int64_t* h) {
    return static_cast<uint64_t>(*h);
}

// Spans that found no room on the stack are counted in its last entry, so that their ends are not taken
// for those of others.
inline uint64_t& NotOpened(rec::ThreadState* thread) {
    return thread->slot->stack()[thread->stack_entries - 1].reserved;
}

template <typename Record>
inline Record* OpenSpan(rec::ThreadState* thread, const int64_t* h, OmpFunction function) {
    auto* record = rec::Open<Record>(__builtin_frame_address(0));
    const uint32_t depth = thread->slot->stack_depth.load(std::memory_order_relaxed);
    if (record == nullptr) [[unlikely]] {
        if (depth == thread->stack_entries) ++NotOpened(thread);
        return nullptr;
    }
    if (depth == thread->stack_entries - 1) [[unlikely]]
        NotOpened(thread) = 0;
    rec::EntryOf(record)->frame = kNoFrame;
    record->mutate_construct(ConstructOf(h));
    record->mutate_function(function);
    return record;
}

template <typename Record>
inline void BeginSpan(rec::ThreadState* thread, const int64_t* h, OmpFunction function) {
    if (auto* record = OpenSpan<Record>(thread, h, function)) rec::Begin(record);
}

// The record of an entry, if it is of this type.
template <typename Record>
inline Record* RecordIn(core::SpanEntry& entry) {
    if (core::ReadPrefix(entry.image).type != schema::RecordTraits<Record>::kType) return nullptr;
    return reinterpret_cast<Record*>(entry.image + sizeof(core::RecordPrefix));
}

// The innermost open span, if it is of this type.
template <typename Record>
inline Record* Innermost(rec::ThreadState* thread) {
    const uint32_t depth = thread->slot->stack_depth.load(std::memory_order_relaxed);
    return depth == 0 ? nullptr : RecordIn<Record>(thread->slot->stack()[depth - 1]);
}

template <typename Record>
inline Record* FindOpen(rec::ThreadState* thread, const int64_t* h, OmpFunction function) {
    for (uint32_t i = thread->slot->stack_depth.load(std::memory_order_relaxed); i > 0; --i) {
        auto* record = RecordIn<Record>(thread->slot->stack()[i - 1]);
        if (record != nullptr && record->construct() == ConstructOf(h) &&
            record->function() == function)
            return record;
    }
    return nullptr;
}

// True: its begin found no room.
inline bool WasNotOpened(rec::ThreadState* thread) {
    if (thread->slot->stack_depth.load(std::memory_order_relaxed) != thread->stack_entries)
        [[likely]]
        return false;
    if (NotOpened(thread) == 0) return false;
    --NotOpened(thread);
    return true;
}

template <typename Record>
inline void EndSpan(rec::ThreadState* thread, const int64_t* h, OmpFunction function) {
    if (thread->busy || WasNotOpened(thread)) [[unlikely]]
        return;
    if (auto* record = FindOpen<Record>(thread, h, function)) {
        rec::Stop(record);
        rec::End(record);
    }
}

// A procedure that opens regions of the program's own for its caller leaves them open: then its span ends
// where the first of them began, and they hang on what is around it.
inline void EndProcedure(rec::ThreadState* thread, const int64_t* h, OmpFunction function) {
    if (thread->busy || WasNotOpened(thread)) [[unlikely]]
        return;
    auto* record = FindOpen<schema::OmpProcedure>(thread, h, function);
    if (record == nullptr) return;
    core::SpanEntry* const own = rec::EntryOf(record);
    core::SpanEntry* const top =
        thread->slot->stack() + thread->slot->stack_depth.load(std::memory_order_relaxed);
    core::SpanEntry* above = own + 1;
    while (above != top && RecordIn<schema::UserRegion>(*above) != nullptr) ++above;
    rec::Stop(record);
    if (above == own + 1) [[likely]] {
        rec::End(record);
        return;
    }
    if (above != top)
        comshu_rec_close_above(thread, static_cast<uint32_t>(above - thread->slot->stack()));
    rec::Enter(thread);
    schema::SpanHead& head = record->mutable_head();
    schema::SpanHead& region = RecordIn<schema::UserRegion>(own[1])->mutable_head();
    head.mutate_end(region.begin());
    const uint64_t distance = region.span() - head.span() + head.parent_distance();
    region.mutate_parent_distance(head.parent_distance() == 0 ? 0
                                                              : static_cast<uint32_t>(distance));
    std::rotate(own, own + 1, above);
    rec::Leave(thread);
    rec::End(RecordIn<schema::OmpProcedure>(above[-1]));
}

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_SPANS_H_
