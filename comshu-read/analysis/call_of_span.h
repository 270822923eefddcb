// Which call a span is part of.
#ifndef COMSHU_ANALYSIS_CALL_OF_SPAN_H_
#define COMSHU_ANALYSIS_CALL_OF_SPAN_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "matching/flat_map.h"

namespace comshu::analysis {

// Problem: a hash table of tens of millions of spans is larger than the calls and misses the cache with every look.
// Idea: a thread numbers its spans one after the other (the low 40 bits), so an array for each thread does; it
// is 4 bytes per span. A thread whose numbers lie far apart keeps a hash table. All spans are told with
// Expect before the first Set. Not thread-safe.
class CallOfSpan {
public:
    static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

    void Expect(uint64_t span) {
        Thread& thread = ThreadOf(span);
        thread.first = std::min(thread.first, span);
        thread.last = std::max(thread.last, span);
        ++thread.count;
    }
    void Set(uint64_t span, uint32_t call) {
        Thread& thread = ThreadOf(span);
        if (thread.IsSparse()) {
            *thread.by_span.Insert(span, call) = call;
            return;
        }
        if (thread.calls.empty()) thread.calls.assign(thread.last - thread.first + 1, kNone);
        thread.calls[span - thread.first] = call;
    }
    uint32_t Find(uint64_t span) const {
        const uint32_t* index = by_number_.Find(span >> kNumberBits);
        if (index == nullptr) return kNone;
        Thread& thread = threads_[*index];
        if (thread.IsSparse()) {
            const uint32_t* call = thread.by_span.Find(span);
            return call == nullptr ? kNone : *call;
        }
        const uint64_t at = span - thread.first;
        return at < thread.calls.size() ? thread.calls[at] : kNone;
    }

private:
    static constexpr int kNumberBits = 40;
    struct Hash {
        uint64_t operator()(uint64_t key) const { return read::MixBits(key); }
    };
    struct Thread {
        uint64_t first = std::numeric_limits<uint64_t>::max();
        uint64_t last = 0;
        uint64_t count = 0;
        std::vector<uint32_t> calls;
        read::FlatMap<uint64_t, uint32_t, Hash> by_span;

        bool IsSparse() const { return last - first > 16 * count + 1024; }
    };

    Thread& ThreadOf(uint64_t span) {
        const auto fresh = static_cast<uint32_t>(threads_.size());
        const uint32_t index = *by_number_.Insert(span >> kNumberBits, fresh);
        if (index == fresh) threads_.emplace_back();
        return threads_[index];
    }

    mutable std::vector<Thread> threads_;
    mutable read::FlatMap<uint64_t, uint32_t, Hash> by_number_;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_CALL_OF_SPAN_H_
