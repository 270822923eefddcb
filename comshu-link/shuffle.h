// Records sent to the process that has their part.
#ifndef COMSHU_LINK_SHUFFLE_H_
#define COMSHU_LINK_SHUFFLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "comshu/link/exchange.h"
#include "views/spill.h"

namespace comshu::link {

// Part p belongs to process p modulo the number of processes. Records gather by destination; when those
// for one are many enough, all processes exchange what they have, in rounds: no round brings more than
// kRoundBytes to anybody. What comes goes to `files`, for each part and sender in the order of Add.
template <typename Record>
class Shuffle {
public:
    Shuffle(Exchange* exchange, read::SpillFiles* files)
        : exchange_(exchange),
          files_(files),
          out_(static_cast<size_t>(exchange->size())),
          limit_(std::max(kRoundBytes / out_.size(), sizeof(Item))) {}

    // May wait for the other processes to add or finish.
    void Add(uint32_t part, const Record& record) {
        Bytes& out = out_[part % out_.size()];
        const Item item{part, record};
        const auto* begin = reinterpret_cast<const uint8_t*>(&item);
        out.insert(out.end(), begin, begin + sizeof item);
        if (out.size() + sizeof item > limit_) Round(false);
    }
    // Returns when all processes have called it and everything has come.
    void Finish() {
        while (!Round(true)) continue;
    }

private:
    static_assert(std::is_trivially_copyable_v<Record>);
    static constexpr size_t kRoundBytes = size_t{32} << 20;
    struct Item {
        uint32_t part;
        Record record;
    };

    // Whether all processes are done.
    bool Round(bool done) {
        exchange_->AllToAll(out_, &in_);
        for (Bytes& bytes : out_) bytes.clear();
        for (size_t at = 0; at + sizeof(Item) <= in_.size(); at += sizeof(Item)) {
            uint32_t part = 0;
            std::memcpy(&part, in_.data() + at + offsetof(Item, part), sizeof part);
            files_->Add(part, in_.data() + at + offsetof(Item, record), sizeof(Record));
        }
        std::vector<uint64_t> waiting = {done ? uint64_t{0} : uint64_t{1}};
        exchange_->Sum(&waiting);
        return waiting[0] == 0;
    }

    Exchange* exchange_;
    read::SpillFiles* files_;
    std::vector<Bytes> out_;
    size_t limit_;
    Bytes in_;
};

}  // namespace comshu::link

#endif  // COMSHU_LINK_SHUFFLE_H_
