#include "comshu/core/layout.h"

#include <algorithm>
#include <cstring>

#include <flatbuffers/reflection.h>

#include "comshu/schema/schema_data.h"

namespace comshu::core {
namespace {

constexpr int kDeepestStruct = 8;
constexpr int kLargestStruct = 4096;

std::string SnakeCase(std::string_view name) {
    std::string out;
    for (size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && i > 0) out += '_';
        out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

std::string_view LastName(std::string_view qualified) {
    const size_t dot = qualified.rfind('.');
    return dot == std::string_view::npos ? qualified : qualified.substr(dot + 1);
}

template <typename Described>
std::string Documentation(const Described& described) {
    std::string out;
    if (described.documentation() == nullptr) return out;
    for (const auto* line : *described.documentation()) {
        std::string_view text = line->string_view();
        if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        if (!out.empty()) out += ' ';
        out += text;
    }
    return out;
}

template <typename Described>
std::string Attribute(const Described& described, const char* key) {
    if (described.attributes() == nullptr) return {};
    const auto* found = described.attributes()->LookupByKey(key);
    return found != nullptr && found->value() != nullptr ? found->value()->str() : std::string();
}

// The scalar or struct that a field is; None for numbers that no type has (the accessor would load
// them into an enum that cannot hold them).
reflection::BaseType BaseTypeOf(const reflection::Type& type) {
    const auto number = reinterpret_cast<const flatbuffers::Table*>(&type)->GetField<int8_t>(
        reflection::Type::VT_BASE_TYPE, 0);
    return number < 0 || number > static_cast<int8_t>(reflection::BaseType::Array)
               ? reflection::BaseType::None
               : static_cast<reflection::BaseType>(number);
}

Null ParseNull(const std::string& text) {
    if (text == "max") return Null::kMax;
    if (text == "min") return Null::kMin;
    if (text == "zero") return Null::kZero;
    return Null::kNever;
}

class Loader {
public:
    explicit Loader(const reflection::Schema& schema) : schema_(schema) {}

    // False where the schema names what it does not have, or nests deeper than any real one.
    bool Columns(const reflection::Object& object, size_t base, std::vector<Column>* out,
                 int depth = 0) const {
        if (depth > kDeepestStruct || out->size() > kLargestStruct) return false;
        std::vector<const reflection::Field*> fields;
        for (const auto* field : *object.fields()) fields.push_back(field);
        std::sort(fields.begin(), fields.end(),
                  [](const auto* a, const auto* b) { return a->offset() < b->offset(); });
        for (const auto* field : fields) {
            const auto* type = field->type();
            const reflection::BaseType base_type = BaseTypeOf(*type);
            const size_t offset = base + field->offset();
            if (base_type == reflection::BaseType::Obj) {
                const reflection::Object* nested = ObjectAt(type->index());
                if (nested == nullptr || !Columns(*nested, offset, out, depth + 1)) return false;
                continue;
            }
            if (!flatbuffers::IsScalar(base_type) || offset > kLargestStruct) return false;
            Column column;
            column.name = field->name()->str();
            column.documentation = Documentation(*field);
            column.unit = Attribute(*field, "unit");
            column.artifact = Attribute(*field, "artifact");
            column.null = ParseNull(Attribute(*field, "null"));
            column.offset = static_cast<uint16_t>(offset);
            column.width = static_cast<uint8_t>(flatbuffers::GetTypeSize(base_type));
            column.is_float = flatbuffers::IsFloat(base_type);
            using reflection::BaseType;
            column.is_signed = base_type == BaseType::Byte || base_type == BaseType::Short ||
                               base_type == BaseType::Int || base_type == BaseType::Long;
            column.enum_index = type->index();
            out->push_back(std::move(column));
        }
        return true;
    }

    Head HeadOf(const reflection::Object& object) const {
        for (const auto* field : *object.fields()) {
            if (field->offset() != 0 || BaseTypeOf(*field->type()) != reflection::BaseType::Obj)
                continue;
            const reflection::Object* head = ObjectAt(field->type()->index());
            if (head == nullptr) continue;
            const auto name = LastName(head->name()->string_view());
            if (name == "SpanHead") return Head::kSpan;
            if (name == "EventHead") return Head::kInstant;
        }
        return Head::kNone;
    }

private:
    const reflection::Object* ObjectAt(int32_t index) const {
        if (index < 0 || static_cast<uint32_t>(index) >= schema_.objects()->size()) return nullptr;
        return schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(index));
    }

    const reflection::Schema& schema_;
};

// Whether every column lies inside the struct, and the head is the one that the code knows.
bool IsSound(const RecordLayout& record) {
    for (const Column& column : record.columns) {
        if (column.width == 0 || size_t{column.offset} + column.width > record.struct_bytes)
            return false;
    }
    constexpr uint8_t kSpanWidths[] = {8, 8, 8, 4, 4};
    constexpr uint8_t kInstantWidths[] = {8, 8};
    if (record.columns.size() < record.head_columns()) return false;
    for (size_t i = 0; i < record.head_columns(); ++i) {
        const uint8_t width = record.head == Head::kSpan ? kSpanWidths[i] : kInstantWidths[i];
        if (record.columns[i].width != width) return false;
    }
    return true;
}

bool ParseArchetype(const std::string& text, Archetype* out) {
    if (text == "event")
        *out = Archetype::kEvent;
    else if (text == "entity")
        *out = Archetype::kEntity;
    else if (text == "artifact")
        *out = Archetype::kArtifact;
    else if (text == "edge")
        *out = Archetype::kEdge;
    else
        return false;
    return true;
}

}  // namespace

uint64_t Column::Load(const std::byte* record_struct) const {
    const std::byte* at = record_struct + offset;
    switch (width) {
        case 1: {
            uint8_t v;
            std::memcpy(&v, at, 1);
            return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int8_t>(v)}) : v;
        }
        case 2: {
            uint16_t v;
            std::memcpy(&v, at, 2);
            return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int16_t>(v)}) : v;
        }
        case 4: {
            uint32_t v;
            std::memcpy(&v, at, 4);
            return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(v)}) : v;
        }
        default: {
            uint64_t v;
            std::memcpy(&v, at, 8);
            return v;
        }
    }
}

bool Column::IsNull(uint64_t value) const {
    const int bits = width * 8;
    switch (null) {
        case Null::kNever:
            return false;
        case Null::kZero:
            return value == 0;
        case Null::kMax:
            if (is_signed) return value == (uint64_t{1} << (bits - 1)) - 1;
            return value == (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
        case Null::kMin:
            if (!is_signed) return value == 0;
            return value == static_cast<uint64_t>(-(int64_t{1} << (bits - 2)) * 2);
    }
    return false;
}

int RecordLayout::FindColumn(std::string_view column) const {
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == column) return static_cast<int>(i);
    }
    return -1;
}

std::unique_ptr<Schema> Schema::Load(const uint8_t* bfbs, size_t bytes, std::string* error) {
    flatbuffers::Verifier verifier(bfbs, bytes);
    if (bytes < 16 || !reflection::SchemaBufferHasIdentifier(bfbs) ||
        !reflection::VerifySchemaBuffer(verifier)) {
        *error = "not a binary FlatBuffers schema";
        return nullptr;
    }
    const reflection::Schema& source = *reflection::GetSchema(bfbs);
    auto schema = std::make_unique<Schema>();
    for (const auto* e : *source.enums()) {
        EnumType type;
        type.name = LastName(e->name()->string_view());
        type.is_flags = e->attributes() != nullptr && e->attributes()->LookupByKey("bit_flags");
        for (const auto* value : *e->values())
            type.values.emplace_back(value->value(), value->name()->str());
        schema->enums_.push_back(std::move(type));
    }
    const Loader loader(source);
    for (const auto* object : *source.objects()) {
        const std::string number = Attribute(*object, "type_id");
        if (number.empty()) continue;
        auto record = std::make_unique<RecordLayout>();
        record->name = LastName(object->name()->string_view());
        const long type = std::strtol(number.c_str(), nullptr, 10);
        if (type < 1 || type > Schema::kLargestType || !object->is_struct() ||
            !ParseArchetype(Attribute(*object, "archetype"), &record->archetype) ||
            !loader.Columns(*object, 0, &record->columns)) {
            *error = "record " + record->name + " is malformed";
            return nullptr;
        }
        record->type = static_cast<uint16_t>(type);
        record->table = Attribute(*object, "table");
        if (record->table.empty()) record->table = SnakeCase(record->name);
        record->layer = Attribute(*object, "layer");
        record->documentation = Documentation(*object);
        record->head = loader.HeadOf(*object);
        record->struct_bytes = static_cast<uint16_t>(object->bytesize());
        if (object->bytesize() < 0 || object->bytesize() > kLargestStruct || !IsSound(*record)) {
            *error = "record " + record->name + " is malformed";
            return nullptr;
        }
        schema->records_.push_back(std::move(record));
    }
    std::sort(schema->records_.begin(), schema->records_.end(),
              [](const auto& a, const auto& b) { return a->type < b->type; });
    for (const auto& record : schema->records_) {
        std::atomic<const RecordLayout*>& place = schema->by_type_[record->type];
        if (place.load(std::memory_order_relaxed) != nullptr) {
            *error = "record number " + std::to_string(record->type) + " is used twice";
            return nullptr;
        }
        place.store(record.get(), std::memory_order_release);
    }
    return schema;
}

bool Schema::Add(const uint8_t* bfbs, size_t bytes, uint16_t first_type, uint16_t last_type,
                 std::string* error) {
    const std::unique_ptr<Schema> other = Load(bfbs, bytes, error);
    if (other == nullptr) return false;
    const auto is_wanted = [&](const std::unique_ptr<RecordLayout>& record) {
        return record->type >= first_type && record->type <= last_type &&
               Find(record->type) == nullptr;
    };
    // A forked child is told of its parent's providers once more.
    if (std::none_of(other->records_.begin(), other->records_.end(), is_wanted)) return true;
    const int enums = static_cast<int>(enums_.size());
    for (EnumType& type : other->enums_) enums_.push_back(std::move(type));
    for (std::unique_ptr<RecordLayout>& record : other->records_) {
        if (!is_wanted(record)) continue;
        for (Column& column : record->columns) {
            if (column.enum_index >= 0) column.enum_index += enums;
        }
        by_type_[record->type].store(record.get(), std::memory_order_release);
        records_.push_back(std::move(record));
    }
    std::sort(records_.begin(), records_.end(),
              [](const auto& a, const auto& b) { return a->type < b->type; });
    return true;
}

const Schema& Schema::BuiltIn() {
    static const Schema* const schema = [] {
        std::string error;
        return Load(schema::kSchema, schema::kSchemaBytes, &error).release();
    }();
    return *schema;
}

const RecordLayout* Schema::FindTable(std::string_view table) const {
    for (const auto& record : records_) {
        if (record->table == table) return record.get();
    }
    return nullptr;
}

}  // namespace comshu::core
