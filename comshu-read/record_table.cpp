#include "comshu/read/record_table.h"

#include <algorithm>
#include <array>

namespace comshu::read {
namespace {

// Tables that hold more than the records of their name.
constexpr std::array kInformationTables = {"process", "thread", "note", "artifact", "source"};

TableColumn FixedColumn(const char* name, TableColumnKind kind) {
    TableColumn column;
    column.name = name;
    column.kind = kind;
    return column;
}

// `rank` is the rank in the capture in every table; a field of that name gets the name of its object
// (comm_rank of mpi_comm), and in mpi_rank that of the world.
std::string RankName(const std::string& table) {
    const std::string object = table.substr(table.rfind('_') + 1);
    return (object == "rank" ? "world" : object) + "_rank";
}

bool IsComm(const core::Column& field, const std::string& table) {
    return table.starts_with("mpi_") && field.unit == "id" &&
           (field.name == "comm" || field.name == "new_comm" ||
            (table.starts_with("mpi_comm") && field.name == "parent"));
}

// The columns that one field gives.
std::vector<TableColumn> OfField(const core::Schema& schema, const core::Column& field,
                                 const std::string& table, core::Head head) {
    TableColumn column;
    column.name = field.name;
    column.field = field;
    if (field.name == "rank") column.name = RankName(table);
    if (field.unit == "ticks") {
        const bool is_time = field.name == "begin" || field.name == "end" || field.name == "tick";
        column.kind = is_time ? TableColumnKind::kTime : TableColumnKind::kDuration;
        column.name = field.name == "tick" ? "time_ns" : field.name + "_ns";
    } else if (field.name == "span" && field.unit == "id") {
        column.kind = TableColumnKind::kSpanId;
        column.name = "span_id";
    } else if (head == core::Head::kSpan && field.name == "parent_distance") {
        column.kind = TableColumnKind::kParentId;
        column.name = "parent_id";
    } else if (IsComm(field, table)) {
        column.kind = TableColumnKind::kComm;
    } else if (!field.artifact.empty()) {
        TableColumn content = column;
        column.kind = TableColumnKind::kArtifactId;
        column.name = field.name + "_id";
        if (field.artifact == "text") {
            content.kind = TableColumnKind::kArtifactText;
            return {content, column};
        }
        if (field.artifact == "int32_list") {
            content.kind = TableColumnKind::kArtifactList;
            return {content, column};
        }
    } else if (field.enum_index >= 0 &&
               static_cast<size_t>(field.enum_index) < schema.enums().size()) {
        column.enum_name = schema.enums()[static_cast<size_t>(field.enum_index)].name;
    }
    return {column};
}

void AddFields(const core::Schema& schema, const core::RecordLayout& layout, RecordTable* table) {
    for (const core::Column& field : layout.columns) {
        for (TableColumn& column : OfField(schema, field, layout.table, layout.head)) {
            const int known = table->FindColumn(column.name);
            if (known < 0) {
                table->columns.push_back(std::move(column));
            } else {
                // A later version may have made the field wider.
                core::Column& first = table->columns[static_cast<size_t>(known)].field;
                first.width = std::max(first.width, column.field.width);
            }
        }
    }
}

RecordTable NewTable(const core::RecordLayout& layout) {
    RecordTable table;
    table.name = layout.table;
    for (const char* taken : kInformationTables) {
        if (table.name == taken) table.name += "_record";
    }
    table.record = layout.name;
    table.type = layout.type;
    table.archetype = layout.archetype;
    table.head = layout.head;
    table.layer = layout.layer;
    table.documentation = layout.documentation;
    table.columns.push_back(FixedColumn("rank", TableColumnKind::kRank));
    table.columns.push_back(FixedColumn("process_id", TableColumnKind::kProcessId));
    // Definitions name their thread themselves, if they are of one.
    if (layout.archetype == core::Archetype::kEvent) {
        table.columns.push_back(FixedColumn("thread", TableColumnKind::kThread));
    }
    return table;
}

}  // namespace

int RecordTable::FindColumn(std::string_view column) const {
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == column) return static_cast<int>(i);
    }
    return -1;
}

std::vector<RecordTable> MergeSchemas(const std::vector<const core::Schema*>& schemas) {
    std::vector<RecordTable> tables;
    for (const core::Schema* schema : schemas) {
        for (const auto& layout : schema->records()) {
            if (layout->archetype == core::Archetype::kArtifact) continue;
            auto found = std::find_if(tables.begin(), tables.end(), [&](const RecordTable& table) {
                return table.record == layout->name;
            });
            if (found == tables.end()) {
                tables.push_back(NewTable(*layout));
                found = tables.end() - 1;
            }
            AddFields(*schema, *layout, &*found);
        }
    }
    return tables;
}

}  // namespace comshu::read
