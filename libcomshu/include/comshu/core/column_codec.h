// One column of a block: choosing an encoding, writing and reading it. block_format.h describes the
// bytes.
#ifndef COMSHU_CORE_COLUMN_CODEC_H_
#define COMSHU_CORE_COLUMN_CODEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/core/block_format.h"
#include "comshu/core/column_loops.h"

namespace comshu::core {

struct ColumnInfo {
    uint8_t encoding = 0;  // ColumnEncoding, maybe with kZstdFlag.
    uint64_t data_bytes = 0;
    uint64_t min = 0;
    uint64_t max_minus_min = 0;
};

// Chooses the smallest encoding for a column and writes it. Holds the scratch memory for that
// (135 KiB), so keep one; not thread-safe.
class ColumnEncoder {
public:
    // Appends the data of `count` values (at most kBlockRecords, or 0 for an empty column). Cost: one
    // pass to measure, cut short for constant columns, and one to write.
    ColumnInfo Encode(const uint64_t* values, size_t count, bool is_signed,
                      std::vector<uint8_t>* data);

    const ColumnLoops& loops() const { return loops_; }

private:
    void Write(ColumnEncoding encoding, const uint64_t* values, size_t count,
               const ColumnMeasure& m, uint64_t bytes, std::vector<uint8_t>* data);

    static constexpr size_t kLargestDictionary = 256;
    static constexpr size_t kDictionarySlots = 1024;

    bool BuildDictionary(const uint64_t* values, size_t count);
    size_t Slot(uint64_t value) const;
    uint64_t Index(uint64_t value);

    // Open addressing; slots hold the index of the entry + 1.
    std::array<uint16_t, kDictionarySlots> slots_;
    std::array<uint64_t, kLargestDictionary> entries_;
    size_t entry_count_ = 0;
    std::array<uint64_t, kBlockRecords> indexes_;
    const ColumnLoops& loops_ = BestColumnLoops();
};

// Decodes `count` values of unpacked data. False if the data is not what `info` says: then `values`
// is unspecified, never written past `count`, and nothing was read past the data.
bool DecodeColumn(const ColumnInfo& info, const uint8_t* data, size_t count, uint64_t* values);

}  // namespace comshu::core

#endif  // COMSHU_CORE_COLUMN_CODEC_H_
