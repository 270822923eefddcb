// The records of one block that matching needs, in order of recording.
#ifndef COMSHU_READ_MATCHING_MPI_BLOCK_H_
#define COMSHU_READ_MATCHING_MPI_BLOCK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

enum class MpiRecord : uint8_t {
    kPointToPoint,
    kReceive,
    kSendReceive,
    kProbe,
    kRequestCall,
    kCompletion,
    kStart,
    kCollective,
    kLoss,
    kKinds,
    kOther = kKinds
};

// What is read of them; a field that a record type or a stream lacks reads as its null.
enum class MpiField : uint8_t {
    kBegin,  // Of a call in ns, and kNoTime if its end is not known. Else in ticks; of an instant, its tick.
    kEnd,
    kSpan,
    kFlags,
    kComm,
    kBytes,
    kRequest,
    kMessage,
    kTag,
    kPeer,
    kWorldPeer,
    kPostedTag,
    kPostedPeer,
    kReceiveBytes,
    kReceiveTag,
    kReceivePeer,
    kReceiveWorldPeer,
    kFunction,
    kFound,
    kKind,
    kBytesOut,
    kRoot,
    kOperation,
    kLost,
    kThread,
    kDirection,
    kFields
};

// Whether it tells more of the call before it, and is no call itself.
constexpr bool BelongsToCall(MpiRecord record) {
    return record == MpiRecord::kCompletion || record == MpiRecord::kStart;
}

// Idea: the columns of the types that matter are decoded once per block, and times of calls turned into ns, all
// rows at once; walking the block is then indexing. Keeps its memory from block to block.
class MpiBlock {
public:
    explicit MpiBlock(const Capture* capture) : capture_(capture) {}

    // False if the block is damaged or holds nothing that matters.
    bool Open(const Block& block);
    // Whether the block that was opened last cannot be read.
    bool is_damaged() const { return is_damaged_; }
    // Moves to the next record that matters; false at the end.
    bool Next() {
        if (at_ == sequence_.size()) return false;
        record_ = static_cast<MpiRecord>(sequence_[at_++]);
        now_ = &columns_[static_cast<size_t>(record_)];
        row_ = now_->next++;
        return row_ < now_->rows;
    }

    MpiRecord record() const { return record_; }
    uint64_t Get(MpiField field) const {
        const auto index = static_cast<size_t>(field);
        return now_->data[index][row_ & now_->row_mask[index]];
    }
    int32_t Number(MpiField field) const { return static_cast<int32_t>(Get(field)); }

private:
    static constexpr size_t kKinds = static_cast<size_t>(MpiRecord::kKinds);
    static constexpr size_t kFields = static_cast<size_t>(MpiField::kFields);

    struct Columns {
        std::array<std::vector<uint64_t>, kFields> values;
        // Where a field is: its values, or its null for all rows (mask 0).
        std::array<const uint64_t*, kFields> data{};
        std::array<size_t, kFields> row_mask{};
        std::array<uint64_t, kFields> fallback{};
        size_t rows = 0;
        size_t next = 0;
    };

    bool Decode(core::BlockDecoder* decoder, size_t type, MpiRecord record);
    static void TurnIntoNs(const TickScale& scale, Columns* columns);

    const Capture* capture_;
    std::array<Columns, kKinds> columns_;
    // Of the last block; its memory serves the next one of the same schema.
    std::optional<core::BlockDecoder> decoder_;
    const core::Schema* schema_ = nullptr;
    std::vector<uint8_t> sequence_;  // Kinds of the records that matter.
    size_t at_ = 0;
    bool is_damaged_ = false;
    MpiRecord record_ = MpiRecord::kOther;
    Columns* now_ = nullptr;  // Of record_.
    size_t row_ = 0;
};

// Decoded blocks that are not in use, so that a process without a turn holds none.
class MpiBlockPool {
public:
    explicit MpiBlockPool(const Capture* capture) : capture_(capture) {}

    std::unique_ptr<MpiBlock> Take() {
        if (free_.empty()) return std::make_unique<MpiBlock>(capture_);
        std::unique_ptr<MpiBlock> block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void Return(std::unique_ptr<MpiBlock> block) { free_.push_back(std::move(block)); }

private:
    const Capture* capture_;
    std::vector<std::unique_ptr<MpiBlock>> free_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MPI_BLOCK_H_
