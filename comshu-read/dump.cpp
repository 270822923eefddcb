#include "comshu/read/dump.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "comshu/read/text_output.h"

namespace comshu::read {
namespace {

// Values of one record type of a block, by column of its table.
struct TypeText {
    const RecordTable* table = nullptr;  // Null: not asked for.
    const core::RecordLayout* layout = nullptr;
    std::vector<std::vector<uint64_t>> values;  // By column of the layout.
    size_t row = 0;
};

const RecordTable* TableOf(const Capture& capture, const core::RecordLayout& layout) {
    for (const RecordTable& table : capture.tables()) {
        if (table.record == layout.name) return &table;
    }
    return nullptr;
}

class Dumper {
public:
    Dumper(const Capture& capture, const DumpOptions& options, std::FILE* out)
        : capture_(capture), options_(options), out_(out) {}

    void DumpBlock(const Block& block);

private:
    bool Load(core::BlockDecoder* decoder, size_t type_index, TypeText* type);
    void Line(const Block& block, const TypeText& type);
    void Fixed(const Block& block, const TypeText& type);
    void Field(const Process& process, const TypeText& type, const TableColumn& column);
    std::string Value(const Process& process, const core::RecordLayout& layout,
                      const core::Column& field, const TypeText& type, const TableColumn& column,
                      uint64_t value) const;
    void Put(std::string_view name, std::string_view text, bool is_text);

    const Capture& capture_;
    const DumpOptions& options_;
    std::FILE* out_;
    std::string line_;
};

bool Dumper::Load(core::BlockDecoder* decoder, size_t type_index, TypeText* type) {
    type->layout = decoder->types()[type_index].layout;
    if (type->layout == nullptr) return true;
    type->table = TableOf(capture_, *type->layout);
    if (type->table != nullptr && !options_.type.empty() && type->table->name != options_.type)
        type->table = nullptr;
    if (type->table == nullptr) return true;
    type->values.resize(type->layout->columns.size());
    for (size_t i = 0; i < type->values.size(); ++i) {
        if (!decoder->Values(type_index, i, &type->values[i])) return false;
    }
    return true;
}

void Dumper::DumpBlock(const Block& block) {
    core::BlockDecoder decoder = capture_.DecoderFor(block);
    std::vector<uint8_t> sequence;
    if (!capture_.OpenBlock(block, &decoder)) return;
    std::vector<TypeText> types(decoder.types().size());
    bool sound = decoder.Sequence(&sequence);
    for (size_t i = 0; i < types.size(); ++i) sound = sound && Load(&decoder, i, &types[i]);
    if (!sound) {
        capture_.AddDamagedBlock(block, "a column cannot be decoded");
        return;
    }
    for (const uint8_t index : sequence) {
        TypeText& type = types[index];
        if (type.table != nullptr) Line(block, type);
        ++type.row;
    }
}

void Dumper::Put(std::string_view name, std::string_view text, bool is_text) {
    if (options_.json) {
        if (line_.size() > 1) line_ += ", ";
        line_ += JsonText(name) + ": " + (is_text ? JsonText(text) : std::string(text));
    } else {
        if (!line_.empty()) line_ += ' ';
        line_ += fmt::format("{}={}", name, is_text ? JsonText(text) : std::string(text));
    }
}

void Dumper::Fixed(const Block& block, const TypeText& type) {
    const Process& process = *capture_.processes()[block.process];
    if (options_.json)
        Put("type", type.table->name, true);
    else
        line_ += type.table->name;
    if (process.rank != kNoRank) Put("rank", std::to_string(process.rank), false);
    Put("process_id", std::to_string(process.id), false);
    if (!block.definitions()) Put("thread", std::to_string(block.header.thread), false);
}

std::string Dumper::Value(const Process& process, const core::RecordLayout& layout,
                          const core::Column& field, const TypeText& type,
                          const TableColumn& column, uint64_t value) const {
    switch (column.kind) {
        case TableColumnKind::kTime:
            return fmt::format("{}", process.scale.ToNs(value));
        case TableColumnKind::kDuration:
            return fmt::format("{}", process.scale.DurationNs(value));
        case TableColumnKind::kSpanId:
            return fmt::format("{}", process.CaptureSpanId(value));
        case TableColumnKind::kParentId: {
            const int span = layout.FindColumn("span");
            const uint64_t id = span < 0 ? 0 : type.values[static_cast<size_t>(span)][type.row];
            return fmt::format("{}", process.CaptureSpanId(id - value));
        }
        case TableColumnKind::kComm:
            return fmt::format("{}", capture_.CommNumber(value));
        case TableColumnKind::kArtifactText:
            return capture_.artifacts().Text(value);
        case TableColumnKind::kArtifactList:
            return fmt::format("[{}]", fmt::join(capture_.artifacts().Int32List(value), ", "));
        default:
            break;
    }
    if (field.is_float) {
        return field.width == 4
                   ? fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(value)))
                   : fmt::format("{}", std::bit_cast<double>(value));
    }
    if (field.unit == "address") return fmt::format("{:#x}", value);
    if (field.is_signed) return fmt::format("{}", static_cast<int64_t>(value));
    return fmt::format("{}", value);
}

bool IsFlags(const Process& process, const core::Column& field) {
    const auto& enums = process.schema().enums();
    return field.enum_index >= 0 && static_cast<size_t>(field.enum_index) < enums.size() &&
           enums[static_cast<size_t>(field.enum_index)].is_flags;
}

// The name of an enum value; empty when it has none or is a set of flags.
std::string EnumText(const Process& process, const core::Column& field, uint64_t value) {
    const auto& enums = process.schema().enums();
    if (field.enum_index < 0 || static_cast<size_t>(field.enum_index) >= enums.size()) return {};
    const core::EnumType& type = enums[static_cast<size_t>(field.enum_index)];
    std::string flags;
    for (const auto& [number, name] : type.values) {
        if (!type.is_flags && number == static_cast<int64_t>(value)) return name;
        if (type.is_flags && number != 0 && (value & static_cast<uint64_t>(number)) != 0)
            flags += (flags.empty() ? "" : "|") + name;
    }
    return flags;
}

void Dumper::Field(const Process& process, const TypeText& type, const TableColumn& column) {
    const int index = type.layout->FindColumn(column.field.name);
    if (index < 0) return;
    const core::Column& field = type.layout->columns[static_cast<size_t>(index)];
    const uint64_t value = type.values[static_cast<size_t>(index)][type.row];
    const bool zero_is_none = column.kind == TableColumnKind::kSpanId ||
                              column.kind == TableColumnKind::kParentId ||
                              column.kind == TableColumnKind::kArtifactText ||
                              column.kind == TableColumnKind::kArtifactList;
    if (field.IsNull(value) || (zero_is_none && value == 0)) return;
    if (value == 0 && IsFlags(process, field)) return;
    const std::string text = Value(process, *type.layout, field, type, column, value);
    const std::string name = EnumText(process, field, value);
    const bool is_text = column.kind == TableColumnKind::kArtifactText || field.unit == "address";
    if (!name.empty())
        Put(column.name, name, options_.json);
    else
        Put(column.name, text, is_text && (options_.json || field.unit != "address"));
}

void Dumper::Line(const Block& block, const TypeText& type) {
    const Process& process = *capture_.processes()[block.process];
    line_.clear();
    if (options_.json) line_ += '{';
    Fixed(block, type);
    for (const TableColumn& column : type.table->columns) {
        const bool of_field = column.kind != TableColumnKind::kRank &&
                              column.kind != TableColumnKind::kProcessId &&
                              column.kind != TableColumnKind::kThread;
        // The id of a text says nothing beside the text.
        if (!of_field ||
            (column.kind == TableColumnKind::kArtifactId && column.field.artifact == "text"))
            continue;
        Field(process, type, column);
    }
    line_ += options_.json ? "}\n" : "\n";
    std::fputs(line_.c_str(), out_);
}

}  // namespace

bool Dump(const Capture& capture, const DumpOptions& options, std::FILE* out, std::string* error) {
    if (!options.type.empty() && capture.FindTable(options.type) == nullptr) {
        *error = fmt::format("no record type is named {}: `comshu types` lists them", options.type);
        return false;
    }
    Dumper dumper(capture, options, out);
    for (const Block& block : capture.blocks()) dumper.DumpBlock(block);
    if (std::fflush(out) != 0 || std::ferror(out) != 0) {
        *error = std::string("the records cannot be written: ") + std::strerror(errno);
        return false;
    }
    return true;
}

}  // namespace comshu::read
