// Which spans something was done with.
#ifndef COMSHU_FORMATS_SPAN_SET_H_
#define COMSHU_FORMATS_SPAN_SET_H_

#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace comshu::format {

// Problem: what an export leaves out are the calls that it wrote nothing of, and which these are is known
// when all is gathered. Idea: threads number their spans one after the other, so a set of them is a bit each,
// on pages. Cost: a bit per span.
class SpanSet {
public:
    void Add(uint64_t span) {
        std::unique_ptr<Page>& page = pages_[span / kPage];
        if (page == nullptr) page = std::make_unique<Page>();
        page->set(span % kPage);
    }
    bool Contains(uint64_t span) const {
        const auto found = pages_.find(span / kPage);
        return found != pages_.end() && found->second->test(span % kPage);
    }

private:
    static constexpr uint64_t kPage = uint64_t{1} << 15;
    using Page = std::bitset<kPage>;

    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_SPAN_SET_H_
