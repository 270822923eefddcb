// The loops over a column that decide how fast the drain is, compiled twice: for every processor, and
// for those with wide registers, chosen when first asked for.
#ifndef COMSHU_CORE_COLUMN_LOOPS_H_
#define COMSHU_CORE_COLUMN_LOOPS_H_

#include <cstddef>
#include <cstdint>

namespace comshu::core {

// What a column is like, from one pass.
struct ColumnMeasure {
    uint64_t min;
    uint64_t max;
    uint64_t delta_bits;  // All zigzag differences or-ed.
    bool is_linear;       // All differences are the same.
};

struct ColumnLoops {
    // 0 if all values are the same.
    uint64_t (*differs)(const uint64_t* values, size_t count);
    // At least two values.
    ColumnMeasure (*measure)(const uint64_t* values, size_t count, bool is_signed);
    // Bytes of the varints of value - min, all at most `largest`.
    uint64_t (*value_varint_bytes)(const uint64_t* values, size_t count, uint64_t min,
                                   uint64_t largest);
    // Bytes of the varints of the zigzag differences, from the second value on.
    uint64_t (*delta_varint_bytes)(const uint64_t* values, size_t count, uint64_t largest);
    // Write value - min in 1, 2, 4 or 8 bytes; in 1, 2, 4 or 8 bits (all bytes whole).
    void (*write_bytes)(const uint64_t* values, size_t count, uint64_t min, int width,
                        uint8_t* out);
    void (*write_bits)(const uint64_t* values, size_t count, uint64_t min, int bits, uint8_t* out);
    // Write varints; return the place behind the last. May write kVarintSlack bytes beyond it.
    uint8_t* (*write_value_varints)(const uint64_t* values, size_t count, uint64_t min,
                                    uint64_t largest, uint8_t* out);
    uint8_t* (*write_delta_varints)(const uint64_t* values, size_t count, uint64_t largest,
                                    uint8_t* out);
    // One field of every record: the field lies at rows[i] + offset, `width` bytes wide.
    // gather_differs: 0 if it is the same in all; gather: widened to 64 bits.
    uint64_t (*gather_differs)(const std::byte* const* rows, size_t count, size_t offset,
                               int width);
    void (*gather)(const std::byte* const* rows, size_t count, size_t offset, int width,
                   bool is_signed, uint64_t* out);
};

constexpr size_t kVarintSlack = 8;

extern const ColumnLoops kPlainColumnLoops;
extern const ColumnLoops kWideColumnLoops;  // Not to be used where the processor has no AVX2.

const ColumnLoops& BestColumnLoops();

}  // namespace comshu::core

#endif  // COMSHU_CORE_COLUMN_LOOPS_H_
