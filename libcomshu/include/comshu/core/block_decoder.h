// Reads the payload of a frame, whichever its encoding, as columns per record type.
#ifndef COMSHU_CORE_BLOCK_DECODER_H_
#define COMSHU_CORE_BLOCK_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comshu/core/column_codec.h"
#include "comshu/core/frame.h"
#include "comshu/core/layout.h"

namespace comshu::core {

// Takes a zstd frame apart (core itself links no compressor): decompresses `in` into `out`, true on
// success.
using Decompressor = bool (*)(const uint8_t* in, size_t bytes, std::vector<uint8_t>* out);

// The record types of one block and how many records each has; columns are decoded on demand, each
// once at most. Keeps a pointer to the payload: that must outlive it. Checks everything it reads:
// safe on damaged input. Not thread-safe.
class BlockDecoder {
public:
    struct TypeRecords {
        const RecordLayout* layout =
            nullptr;  // Null: the schema does not know it; it is stepped over.
        uint16_t type = 0;
        uint32_t count = 0;
        size_t first_column = 0;     // Into the directory.
        std::vector<uint32_t> rows;  // Raw blocks: offset of each record in the payload.
    };

    BlockDecoder(const Schema& schema, Decompressor decompress)
        : schema_(schema), decompress_(decompress) {}

    // False and a reason in `error` if the payload is not what the header says.
    bool Open(const FrameHeader& header, const uint8_t* payload, std::string* error);

    const std::vector<TypeRecords>& types() const { return types_; }

    // Index into types() of each record, in order of recording.
    bool Sequence(std::vector<uint8_t>* out);

    // Values of column `column` (index into layout->columns) of all records of a type, in order.
    // False if the data is damaged.
    bool Values(size_t type_index, size_t column, std::vector<uint64_t>* out);

    // True, and the value, when it is known without decoding that all values of a column are the same.
    bool IsConstant(size_t type_index, size_t column, uint64_t* value) const;

    // The record that holds this record of a raw block (content of artifacts); null in column blocks.
    const uint8_t* RawRecord(size_t type_index, size_t row) const;

private:
    bool OpenRaw(std::string* error);
    bool OpenColumns(std::string* error);
    bool Decode(size_t directory_index, size_t count, std::vector<uint64_t>* out);
    bool DecodeHeads();

    // Heads of all records that have one, in order; `type` is the index into types_.
    struct Heads {
        bool decoded = false;
        bool sound = false;
        std::vector<uint64_t> begin, end, span, parent, flags;
        std::vector<std::vector<uint32_t>> of_type;  // Per type: indexes into the above.
    };

    const Schema& schema_;
    Decompressor decompress_;
    FrameHeader header_;
    const uint8_t* payload_ = nullptr;
    std::vector<TypeRecords> types_;
    std::vector<ColumnInfo> directory_;
    std::vector<uint64_t> data_offsets_;
    std::vector<uint8_t> raw_sequence_;
    std::vector<uint8_t> unpacked_;  // Of kPackedRaw: then payload_ points to it.
    Heads heads_;
    uint32_t head_count_ = 0;
    uint32_t span_count_ = 0;
};

}  // namespace comshu::core

#endif  // COMSHU_CORE_BLOCK_DECODER_H_
