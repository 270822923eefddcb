// Which messages a reader that knows no communicators takes for one another.
#ifndef COMSHU_FORMATS_PICL_PAIR_ORDER_H_
#define COMSHU_FORMATS_PICL_PAIR_ORDER_H_

#include <cstdint>
#include <unordered_map>

namespace comshu::format::picl {

// Problem: who reads old PICL takes the k-th receive from a rank with a tag for the k-th send of it, whatever
// communicator, order of posting or probe made the pair. Idea: both sides are counted as they are written;
// a message whose sides get different numbers has another partner there. Cost: an entry per message that is
// under way, and per pair of ranks and tag.
class PairOrder {
public:
    struct Key {
        int64_t from = 0;
        int64_t to = 0;
        int64_t tag = 0;
        bool operator==(const Key&) const = default;
    };

    // `message`: its number; 0: it has no receive.
    void Sent(const Key& key, uint64_t message) {
        const uint64_t number = ++sides_[key].sent;
        if (message != 0) Check(message, number);
    }
    void Received(const Key& key, uint64_t message) { Check(message, ++sides_[key].received); }

    uint64_t turned() const { return turned_; }

private:
    struct Sides {
        uint64_t sent = 0;
        uint64_t received = 0;
    };
    struct Hash {
        size_t operator()(const Key& key) const {
            constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
            uint64_t hash = static_cast<uint64_t>(key.from);
            for (const int64_t next : {key.to, key.tag})
                hash = (hash ^ hash >> 29) * kFactor + static_cast<uint64_t>(next);
            return hash * kFactor >> 16;
        }
    };

    void Check(uint64_t message, uint64_t number) {
        const auto [found, is_first] = under_way_.try_emplace(message, number);
        if (is_first) return;
        turned_ += found->second != number;
        under_way_.erase(found);
    }

    std::unordered_map<Key, Sides, Hash> sides_;
    std::unordered_map<uint64_t, uint64_t> under_way_;  // The number that its first side got.
    uint64_t turned_ = 0;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_PAIR_ORDER_H_
