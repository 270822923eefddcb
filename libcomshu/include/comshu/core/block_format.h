// The payload of a frame with FrameEncoding::kColumns: one thread's run of records, as columns.
//
// Idea: records of a thread repeat themselves, so each field on its own is nearly constant or nearly
// predictable. Fields of one type form a column; the heads (times, span ids) form columns across all
// types, since what predicts a time is the record before it, whatever its type.
//
// Payload:
//   varint types                    number of record types in the block
//   types x { varint type_id, varint count, varint struct_bytes }
//   varint directory_bytes          size of the directory that follows
//   directory: one entry per column, in this order:
//       type      index into the types, one value per record (restores exact order)
//       start     per record with a head: see below
//       duration  per span: end - begin
//       span      per record with a head: see below
//       parent    per span: parent_distance
//       flags     per span: flags
//       then for each type the columns after its head, in order of offset
//     entry: u8 encoding, varint data_bytes, varint min, varint (max - min)   (empty column: encoding
//     kConstant, all zero)
//   data of the columns, in the same order
//
// Values are 64 bits, sign-extended if signed; differences wrap modulo 2^64. `min` and `max - min`
// are by signed order if the column is signed and of the values as coded; min itself is written
// zigzag for signed columns.
//
// start:  zigzag(begin or tick - previous), where previous is the end of the last span or the tick
//         of the last instant before it in the block; the first is taken from FrameHeader.first_tick.
// span:   spans: zigzag(span - last span's id - 1) * 2; instants: 1 if the id is 0, else
//         zigzag(id - last span's id) * 2. "Last span" is the last record with a SpanHead before it
//         in the block, and (thread << 40) at the start.
//
// Encodings (low 4 bits; kZstd may be added by packing: data is then one zstd frame of the same):
#ifndef COMSHU_CORE_BLOCK_FORMAT_H_
#define COMSHU_CORE_BLOCK_FORMAT_H_

#include <cstdint>

namespace comshu::core {

enum class ColumnEncoding : uint8_t {
    kConstant = 0,    // No data: every value is min.
    kBits = 1,        // value - min, in 1, 2 or 4 bits by (max - min), low bits first.
    kBytes = 2,       // value - min, in 1, 2, 4 or 8 bytes by (max - min).
    kVarint = 3,      // value - min, LEB128.
    kDictionary = 4,  // u8 (entries - 1), entries x u64, then indexes: 1, 2, 4 or 8 bits each.
    kLinear = 5,      // varint first - min, varint zigzag(step): value[i] = first + i * step.
    kDelta = 6,       // varint first - min, then zigzag(value - previous), LEB128.
};
constexpr uint8_t kEncodingMask = 0x0f;
constexpr uint8_t kZstdFlag = 0x80;

// The columns across all types, before those of the types.
enum SharedColumn : uint8_t {
    kTypeColumn,
    kStartColumn,
    kDurationColumn,
    kSpanColumn,
    kParentColumn,
    kFlagsColumn,
    kSharedColumns
};

// A block holds at most this many records.
constexpr uint32_t kBlockRecords = 16384;

constexpr uint64_t ZigZag(uint64_t difference) {
    return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr uint64_t UnZigZag(uint64_t coded) {
    return (coded >> 1) ^ (0 - (coded & 1));
}

// Bits per index for kBits and kDictionary: 1, 2, 4, 8; bytes per value for kBytes: 1, 2, 4, 8.
constexpr int IndexBits(uint64_t largest) {
    return largest < 2 ? 1 : largest < 4 ? 2 : largest < 16 ? 4 : 8;
}
constexpr int ValueBytes(uint64_t largest) {
    return largest <= 0xff ? 1 : largest <= 0xffff ? 2 : largest <= 0xffffffff ? 4 : 8;
}
constexpr int VarintBytes(uint64_t value) {
    int bytes = 1;
    while (value >= 0x80) value >>= 7, ++bytes;
    return bytes;
}

inline uint8_t* WriteVarint(uint8_t* out, uint64_t value) {
    while (value >= 0x80) {
        *out++ = static_cast<uint8_t>(value) | 0x80;
        value >>= 7;
    }
    *out++ = static_cast<uint8_t>(value);
    return out;
}

// Null when the bytes end before the number does.
inline const uint8_t* ReadVarint(const uint8_t* in, const uint8_t* end, uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (in == end) return nullptr;
        const uint8_t byte = *in++;
        result |= uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) {
            *value = result;
            return in;
        }
    }
    return nullptr;
}

}  // namespace comshu::core

#endif  // COMSHU_CORE_BLOCK_FORMAT_H_
