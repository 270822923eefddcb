// The record types as text.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "comshu/read/dump.h"
#include "comshu/read/text_output.h"
#include "record_scan.h"

namespace comshu::read {
namespace {

const char* ArchetypeText(core::Archetype archetype) {
    constexpr const char* kNames[] = {"event", "entity", "artifact", "edge"};
    return kNames[static_cast<size_t>(archetype)];
}

std::string UnitText(const TableColumn& column) {
    if (column.kind == TableColumnKind::kTime || column.kind == TableColumnKind::kDuration)
        return "ns";
    if (column.kind == TableColumnKind::kArtifactText) return "";
    return !column.enum_name.empty() ? column.enum_name : column.field.unit;
}

bool IsSpan(const RecordTable& table) {
    return std::any_of(table.columns.begin(), table.columns.end(), [](const TableColumn& column) {
        return column.kind == TableColumnKind::kParentId;
    });
}

std::string DocumentationText(const RecordTable& table, const TableColumn& column) {
    switch (column.kind) {
        case TableColumnKind::kRank:
            return "Rank in the capture.";
        case TableColumnKind::kProcessId:
            return "Process in the capture (table process).";
        case TableColumnKind::kThread:
            return "Thread in its process (table thread).";
        case TableColumnKind::kSpanId:
            return IsSpan(table) ? "Unique in the capture (view span)."
                                 : "The open span it happened in; 0: none.";
        case TableColumnKind::kParentId:
            return "The enclosing span.";
        case TableColumnKind::kArtifactId:
            return "Artifact (table artifact).";
        case TableColumnKind::kTime:
            return column.field.documentation.empty() ? "Since the start of the run."
                                                      : column.field.documentation;
        default:
            return column.field.documentation;
    }
}

void PrintType(const RecordTable& table, std::FILE* out) {
    fmt::print(out, "{}  {} {}{}\n", table.name, ArchetypeText(table.archetype), table.type,
               table.layer.empty() ? "" : ", layer " + table.layer);
    if (!table.documentation.empty()) fmt::print(out, "  {}\n", table.documentation);
    size_t name = 0;
    size_t unit = 0;
    for (const TableColumn& column : table.columns) {
        name = std::max(name, column.name.size());
        unit = std::max(unit, UnitText(column).size());
    }
    for (const TableColumn& column : table.columns) {
        std::string line =
            fmt::format("  {:<{}}  {:<9}  {:<{}}  {}", column.name, name, SqlType(column),
                        UnitText(column), unit, DocumentationText(table, column));
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print(out, "{}\n", line);
    }
}

std::string JsonOf(const RecordTable& table) {
    std::string text = fmt::format(
        "{{\"name\": {}, \"record\": {}, \"type\": {}, \"archetype\": {}, \"layer\": {}, "
        "\"documentation\": {}, \"columns\": [",
        JsonText(table.name), JsonText(table.record), table.type,
        JsonText(ArchetypeText(table.archetype)), JsonText(table.layer),
        JsonText(table.documentation));
    for (const TableColumn& column : table.columns) {
        if (text.back() != '[') text += ",";
        text += fmt::format(
            "\n    {{\"name\": {}, \"type\": {}, \"unit\": {}, \"enum\": {}, \"documentation\": "
            "{}}}",
            JsonText(column.name), JsonText(SqlType(column)),
            JsonText(column.enum_name.empty() ? UnitText(column) : ""), JsonText(column.enum_name),
            JsonText(DocumentationText(table, column)));
    }
    return text + "]}";
}

}  // namespace

bool PrintTypes(const Capture* capture, const std::string& type, bool json, std::FILE* out,
                std::string* error) {
    std::vector<RecordTable> tables =
        capture != nullptr ? capture->tables() : MergeSchemas({&core::Schema::BuiltIn()});
    if (!type.empty()) {
        std::erase_if(tables, [&](const RecordTable& table) {
            return table.name != type && table.record != type;
        });
        if (tables.empty()) {
            *error = fmt::format("no record type is named {}: `comshu types` lists them", type);
            return false;
        }
    }
    if (json) fmt::print(out, "[");
    for (size_t i = 0; i < tables.size(); ++i) {
        if (json) {
            fmt::print(out, "{}\n  {}", i == 0 ? "" : ",", JsonOf(tables[i]));
        } else {
            if (i > 0) fmt::print(out, "\n");
            PrintType(tables[i], out);
        }
    }
    if (json) fmt::print(out, "\n]\n");
    if (std::fflush(out) != 0 || std::ferror(out) != 0) {
        *error = std::string("the types cannot be written: ") + std::strerror(errno);
        return false;
    }
    return true;
}

}  // namespace comshu::read
