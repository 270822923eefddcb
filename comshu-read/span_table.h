// A value per span, by the number of the span.
#ifndef COMSHU_READ_SPAN_TABLE_H_
#define COMSHU_READ_SPAN_TABLE_H_

#include <cstdint>
#include <memory>

#include "matching/flat_map.h"

namespace comshu::read {

// Problem: what is known of tens of millions of calls, asked for each of them; a hash join of DuckDB
// takes 100 and more bytes and 0.5 us per row. Idea: a process numbers its spans one after the other
// (behind the number of its first thread, in the upper 24 bits), so they index pages of an array.
// Costs sizeof(Value) per span where they are dense; a page of 1024 values for a single one. Values
// that were never set are Value{}. Read from any thread, once all is set.
template <typename Value>
class SpanTable {
public:
    Value Get(uint64_t span) const {
        const std::unique_ptr<Value[]>* page = pages_.Find(span / kPage);
        return page == nullptr ? Value{} : (*page)[span % kPage];
    }

    Value& At(uint64_t span) {
        const uint64_t number = span / kPage;
        if (last_ == nullptr || number != last_number_) {
            std::unique_ptr<Value[]>* page = pages_.Insert(number, nullptr);
            if (*page == nullptr) *page = std::make_unique<Value[]>(kPage);
            last_ = page->get();
            last_number_ = number;
        }
        return last_[span % kPage];
    }

private:
    static constexpr uint64_t kPage = 1024;
    struct Hash {
        uint64_t operator()(uint64_t number) const { return MixBits(number); }
    };

    FlatMap<uint64_t, std::unique_ptr<Value[]>, Hash> pages_;
    Value* last_ = nullptr;
    uint64_t last_number_ = 0;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_SPAN_TABLE_H_
