// Turns a run of records of one thread into the payload of one frame.
#ifndef COMSHU_CORE_BLOCK_ENCODER_H_
#define COMSHU_CORE_BLOCK_ENCODER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/core/column_codec.h"
#include "comshu/core/frame.h"
#include "comshu/core/layout.h"

namespace comshu::core {

// Problem: the drain must keep up with a thread that records every few tens of ns, and its output
// must be about five bytes a call. Idea: Add walks the records once, computes the columns of the heads
// and notes where each record lies; Finish takes column after column of each type in tight loops,
// and a column that is constant, the most frequent kind, is only looked at. Memory is kept from
// block to block. The records must stay where they are until Finish. Not thread-safe; one per drain.
// Records of a type that the schema does not know, or of variable size (artifacts), make a block
// that only raw encoding can hold: Add refuses them.
class BlockEncoder {
public:
    explicit BlockEncoder(const Schema& schema) : schema_(schema) {}

    // Starts a block of this thread.
    void Begin(uint32_t thread);

    // Adds whole records; stops before the first that does not fit in the block (kBlockRecords, or
    // `limit`), or that cannot be encoded. Returns the bytes taken; `refused` tells which it was.
    size_t Add(const std::byte* records, size_t bytes, uint32_t limit = kBlockRecords,
               bool* refused = nullptr);

    uint32_t records() const { return records_; }
    // Those among them that the engine made itself (core.fbs). After Finish.
    uint32_t tool_records() const { return tool_records_; }

    // Writes the payload (replacing what `payload` held) and the header's encoding, counts and times.
    void Finish(FrameHeader* header, std::vector<uint8_t>* payload);

private:
    struct TypeColumns {
        const RecordLayout* layout = nullptr;
        uint32_t count = 0;
        uint32_t record_bytes = 0;           // Prefix included.
        std::vector<const std::byte*> rows;  // The structs, kBlockRecords of them at most.
    };

    bool FindType(uint16_t type, uint8_t* index);
    void AddHead(Head head, const std::byte* record_struct);
    void EncodeInto(const uint64_t* values, size_t count, bool is_signed);
    void EncodeField(const TypeColumns& type, const Column& column);
    void PutEntry(const ColumnInfo& info, bool is_signed);

    const Schema& schema_;
    uint32_t thread_ = 0;
    uint32_t records_ = 0;
    uint32_t heads_ = 0;
    uint32_t spans_ = 0;
    uint32_t tool_records_ = 0;
    uint64_t first_tick_ = 0;
    uint64_t low_tick_ = 0;
    uint64_t high_tick_ = 0;
    uint64_t previous_tick_ = 0;
    uint64_t last_span_ = 0;
    std::vector<TypeColumns> types_;  // Of all blocks so far; in_block_ names those of this one.
    std::vector<uint16_t> in_block_;  // Indexes into types_, in order of first record.
    std::array<std::vector<uint64_t>, kSharedColumns> shared_;
    ColumnEncoder encoder_;
    std::vector<uint64_t> field_;
    std::vector<uint8_t> directory_;
    std::vector<uint8_t> data_;
};

}  // namespace comshu::core

#endif  // COMSHU_CORE_BLOCK_ENCODER_H_
