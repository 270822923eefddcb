// How a record lies in a ring and in a raw block.
//
//   RecordPrefix | struct of schema/*.fbs | content (artifacts only) | padding to 8 bytes
//
// The prefix makes a run of records walkable without knowing any type. All numbers little-endian.
#ifndef COMSHU_CORE_RECORD_H_
#define COMSHU_CORE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comshu::core {

struct RecordPrefix {
    uint32_t bytes;  // Whole record, prefix and padding included; a multiple of 8.
    uint16_t type;   // type_id of the schema; 0 never occurs.
    uint16_t reserved;
};
static_assert(sizeof(RecordPrefix) == 8);

constexpr size_t RecordBytes(size_t struct_bytes, size_t content_bytes = 0) {
    return (sizeof(RecordPrefix) + struct_bytes + content_bytes + 7) & ~size_t{7};
}

inline RecordPrefix ReadPrefix(const std::byte* record) {
    RecordPrefix prefix;
    std::memcpy(&prefix, record, sizeof prefix);
    return prefix;
}

// True when a whole record begins at `record` within `available` bytes.
inline bool IsWholeRecord(const std::byte* record, size_t available) {
    if (available < sizeof(RecordPrefix)) return false;
    const RecordPrefix prefix = ReadPrefix(record);
    return prefix.bytes >= sizeof(RecordPrefix) && prefix.bytes % 8 == 0 &&
           prefix.bytes <= available && prefix.type != 0;
}

// Ids of spans: unique within a process.
constexpr int kSpanThreadShift = 40;
constexpr uint64_t SpanId(uint32_t thread, uint64_t number) {
    return (uint64_t{thread} << kSpanThreadShift) | number;
}
constexpr uint32_t SpanThread(uint64_t span) {
    return static_cast<uint32_t>(span >> kSpanThreadShift);
}

// Number of the pseudo-thread that owns the definitions (entities, artifacts, notes) of a process.
constexpr uint32_t kDefinitionsThread = 0xffffffffu;

}  // namespace comshu::core

#endif  // COMSHU_CORE_RECORD_H_
