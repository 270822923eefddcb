// From what was seen at an address to what it means: collector -> filter -> attributor.
#ifndef COMSHU_ATTR_PIPELINE_H_
#define COMSHU_ATTR_PIPELINE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comshu/attr/address_map.h"

namespace comshu::attr {

// What a collector saw: somebody used these bytes.
struct Access {
    uint64_t tick = 0;
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t kind = 0;  // The collector's own.
};

// The same, with the entity it fell into and how deep.
struct Attributed {
    Access access;
    uint64_t entity = 0;  // 0: known to nobody.
    uint64_t offset = 0;
};

// Problem: a capture engine sees millions of addresses, most of no interest, and knows no names. Idea:
// three stages, each replaceable: the collector calls Put; filters, in order of cost, refuse what is
// of no interest; the attributor (an AddressMap) names the rest; a sink takes it. No allocation.
//
// Threads: Put from any number of threads if filters and sink bear it; set up before that.
class Pipeline {
public:
    // True: of interest.
    using Filter = bool (*)(const Access& access, void* context);
    using Sink = void (*)(const Attributed& attributed, void* context);
    static constexpr size_t kMostFilters = 8;

    Pipeline(const AddressMap* entities, Sink sink, void* context)
        : entities_(*entities), sink_(sink), context_(context) {}

    // False: there are too many.
    bool AddFilter(Filter filter, void* context) {
        if (filter_count_ == kMostFilters) return false;
        filters_[filter_count_++] = {filter, context};
        return true;
    }

    void Put(const Access& access) {
        for (size_t i = 0; i < filter_count_; ++i) {
            if (!filters_[i].filter(access, filters_[i].context)) {
                refused_.fetch_add(1, std::memory_order_relaxed);
                return;
            }
        }
        const AddressMap::Entity entity = entities_.Find(access.address);
        if (entity.id == 0) unknown_.fetch_add(1, std::memory_order_relaxed);
        const uint64_t offset = entity.id == 0 ? 0 : access.address - entity.begin;
        sink_({access, entity.id, offset}, context_);
    }

    // What came of it: nothing disappears without a count.
    uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
    uint64_t unknown() const { return unknown_.load(std::memory_order_relaxed); }

private:
    struct FilterEntry {
        Filter filter;
        void* context;
    };

    const AddressMap& entities_;
    Sink sink_;
    void* context_;
    std::array<FilterEntry, kMostFilters> filters_{};
    size_t filter_count_ = 0;
    std::atomic<uint64_t> refused_{0};
    std::atomic<uint64_t> unknown_{0};
};

}  // namespace comshu::attr

#endif  // COMSHU_ATTR_PIPELINE_H_
