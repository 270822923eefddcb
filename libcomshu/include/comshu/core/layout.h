// The shape of every record type, read from a binary schema (flatc --schema) by reflection. This is
// what makes "adding a record is one edit in one file" true: writer, reader, tables and
// documentation all ask here.
#ifndef COMSHU_CORE_LAYOUT_H_
#define COMSHU_CORE_LAYOUT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comshu::core {

enum class Archetype : uint8_t { kEvent, kEntity, kArtifact, kEdge };

// How the first field of a record makes it part of a thread's time line.
enum class Head : uint8_t {
    kNone,     // No common head.
    kSpan,     // SpanHead: begin, end, span, parent_distance, flags.
    kInstant,  // EventHead: tick, span.
};

// What a column of an unknown value holds.
enum class Null : uint8_t { kNever, kMax, kMin, kZero };

struct EnumType {
    std::string name;
    bool is_flags = false;
    std::vector<std::pair<int64_t, std::string>> values;
};

// One column: a scalar field, nested structs flattened (the fields of a head keep their own names).
struct Column {
    std::string name;
    std::string documentation;
    std::string unit;      // ticks bytes address id rank count, or empty.
    std::string artifact;  // Kind of artifact that the value names, or empty.
    uint16_t offset = 0;   // Within the struct.
    uint8_t width = 0;     // 1, 2, 4, 8.
    bool is_signed = false;
    bool is_float = false;
    Null null = Null::kNever;
    int enum_index = -1;  // Into Schema::enums().

    // The value as it lies in memory, widened to 64 bits (sign-extended if signed, raw bits if float).
    uint64_t Load(const std::byte* record_struct) const;
    bool IsNull(uint64_t value) const;
};

struct RecordLayout {
    uint16_t type = 0;
    std::string name;   // As in the schema: MpiPointToPoint.
    std::string table;  // mpi_point_to_point
    std::string layer;  // Column `layer` of view `span`; empty where it has no place there.
    std::string documentation;
    Archetype archetype = Archetype::kEvent;
    Head head = Head::kNone;
    uint16_t struct_bytes = 0;
    std::vector<Column> columns;  // In order of offset.

    // Columns that belong to the head (they come first); the rest are the type's own.
    size_t head_columns() const { return head == Head::kSpan ? 5 : head == Head::kInstant ? 2 : 0; }
    int FindColumn(std::string_view column) const;  // -1: none.
};

// All record types of one binary schema. Immutable after loading but for Add; safe to share between
// threads.
class Schema {
public:
    // Numbers of record types end here.
    static constexpr uint16_t kLargestType = 1999;

    // Null and a reason in `error` if the bytes are not a binary schema or a record is malformed.
    static std::unique_ptr<Schema> Load(const uint8_t* bfbs, size_t bytes, std::string* error);

    // The layouts of this build.
    static const Schema& BuiltIn();

    // Takes over those record types of another binary schema that are in the range and not known yet.
    // Other threads may call Find meanwhile, and nothing else. False and a reason: nothing was taken.
    bool Add(const uint8_t* bfbs, size_t bytes, uint16_t first_type, uint16_t last_type,
             std::string* error);

    const RecordLayout* Find(uint16_t type) const {
        return type <= kLargestType ? by_type_[type].load(std::memory_order_acquire) : nullptr;
    }
    const RecordLayout* FindTable(std::string_view table) const;
    const std::vector<std::unique_ptr<RecordLayout>>& records() const { return records_; }
    const std::vector<EnumType>& enums() const { return enums_; }

private:
    std::vector<std::unique_ptr<RecordLayout>> records_;  // By type number.
    std::atomic<const RecordLayout*> by_type_[kLargestType + 1] = {};
    std::vector<EnumType> enums_;
};

}  // namespace comshu::core

#endif  // COMSHU_CORE_LAYOUT_H_
