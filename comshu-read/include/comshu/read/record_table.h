// The shape of a record type in a capture whose streams may have been written by different versions.
#ifndef COMSHU_READ_RECORD_TABLE_H_
#define COMSHU_READ_RECORD_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/core/layout.h"

namespace comshu::read {

// What a column of a table is made of.
enum class TableColumnKind : uint8_t {
    kValue,         // The field as it is.
    kTime,          // A tick as ns from the start of the run.
    kDuration,      // Ticks as ns.
    kSpanId,        // Id of a span, unique in the capture; null for 0.
    kParentId,      // Id of the enclosing span; null for none.
    kComm,          // The number that stands for a communicator (Capture::CommNumber).
    kArtifactId,    // Id of an artifact.
    kArtifactText,  // The text of it.
    kArtifactList,  // The numbers of it.
    kRank,          // The rest is of the process and thread that recorded.
    kProcessId,
    kThread,
};

struct TableColumn {
    std::string name;  // As in SQL.
    TableColumnKind kind = TableColumnKind::kValue;
    core::Column field;     // Of the kinds made of a field.
    std::string enum_name;  // Of kValue: name of its enum type, or empty.
};

struct RecordTable {
    std::string name;    // As in SQL.
    std::string record;  // Name of the record type in the schema: key across versions.
    uint16_t type =
        0;  // In the schema of this build; else in that of the first stream that has it.
    core::Archetype archetype = core::Archetype::kEvent;
    core::Head head = core::Head::kNone;
    std::string layer;
    std::string documentation;
    std::vector<TableColumn> columns;

    int FindColumn(std::string_view column) const;
};

// Tables of all record types of these schemas; the first one that has a type or a field describes
// it. Types whose table name is taken by an information table get `_record` appended.
std::vector<RecordTable> MergeSchemas(const std::vector<const core::Schema*>& schemas);

}  // namespace comshu::read

#endif  // COMSHU_READ_RECORD_TABLE_H_
