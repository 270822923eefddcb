#include "comshu/read/schema_subset.h"

#include <cstdlib>

#include <flatbuffers/reflection.h>

#include "comshu/read/zstd_frame.h"
#include "comshu/schema/schema_data.h"

namespace comshu::read {
namespace {

using flatbuffers::Offset;

// Enums no longer than this are kept whole.
constexpr size_t kShortEnum = 32;
constexpr int kLevel = 19;

class Subset {
public:
    Subset(const reflection::Schema& source, const SchemaUse& use) : source_(source), use_(use) {}

    std::vector<uint8_t> Build() {
        // Parts of a record are structs without a type number: kept with whoever names them.
        for (const auto* object : *source_.objects()) {
            if (IsUsed(*object)) Keep(*object);
        }
        const auto objects = Objects();
        const auto enums = Enums();
        builder_.Finish(reflection::CreateSchema(builder_, objects, enums),
                        reflection::SchemaIdentifier());
        return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
    }

private:
    bool IsUsed(const reflection::Object& object) const {
        if (object.attributes() == nullptr) return false;
        const auto* number = object.attributes()->LookupByKey("type_id");
        if (number == nullptr || number->value() == nullptr) return false;
        return use_.types.contains(
            static_cast<uint16_t>(std::strtol(number->value()->c_str(), nullptr, 10)));
    }

    void Keep(const reflection::Object& object) {
        kept_objects_.insert(&object);
        for (const auto* field : *object.fields()) {
            const int32_t index = field->type()->index();
            if (index < 0) continue;
            const auto at = static_cast<flatbuffers::uoffset_t>(index);
            if (field->type()->base_type() == reflection::BaseType::Obj) {
                if (!kept_objects_.contains(source_.objects()->Get(at)))
                    Keep(*source_.objects()->Get(at));
            } else {
                kept_enums_.insert(source_.enums()->Get(at));
            }
        }
    }

    // Numbers of what is kept, by number in the source; -1: left out.
    template <typename Table>
    static int32_t Renumber(const flatbuffers::Vector<Offset<Table>>& all,
                            const std::set<const Table*>& kept, int32_t index) {
        if (index < 0) return -1;
        int32_t number = 0;
        for (flatbuffers::uoffset_t i = 0; i < static_cast<uint32_t>(index); ++i)
            number += kept.contains(all.Get(i));
        return number;
    }

    Offset<reflection::Type> Type(const reflection::Type& type) {
        const bool is_struct = type.base_type() == reflection::BaseType::Obj;
        const int32_t index = is_struct ? Renumber(*source_.objects(), kept_objects_, type.index())
                                        : Renumber(*source_.enums(), kept_enums_, type.index());
        return reflection::CreateType(builder_, type.base_type(), type.element(), index,
                                      type.fixed_length());
    }

    using Attributes = flatbuffers::Vector<Offset<reflection::KeyValue>>;
    Offset<Attributes> Copy(const Attributes* attributes) {
        if (attributes == nullptr || attributes->size() == 0) return {};
        std::vector<Offset<reflection::KeyValue>> copies;
        for (const auto* attribute : *attributes) {
            const auto key = builder_.CreateSharedString(attribute->key());
            const auto value = attribute->value() == nullptr
                                   ? Offset<flatbuffers::String>()
                                   : builder_.CreateSharedString(attribute->value());
            copies.push_back(reflection::CreateKeyValue(builder_, key, value));
        }
        return builder_.CreateVectorOfSortedTables(&copies);
    }

    Offset<flatbuffers::Vector<Offset<reflection::Object>>> Objects() {
        std::vector<Offset<reflection::Object>> objects;
        for (const auto* object : *source_.objects()) {
            if (!kept_objects_.contains(object)) continue;
            std::vector<Offset<reflection::Field>> fields;
            for (const auto* field : *object->fields()) {
                const auto name = builder_.CreateSharedString(field->name());
                const auto type = Type(*field->type());
                const auto attributes = Copy(field->attributes());
                reflection::FieldBuilder copy(builder_);
                copy.add_attributes(attributes);
                copy.add_type(type);
                copy.add_name(name);
                copy.add_offset(field->offset());
                copy.add_id(field->id());
                fields.push_back(copy.Finish());
            }
            const auto name = builder_.CreateSharedString(object->name());
            const auto sorted = builder_.CreateVectorOfSortedTables(&fields);
            objects.push_back(reflection::CreateObject(builder_, name, sorted, object->is_struct(),
                                                       object->minalign(), object->bytesize(),
                                                       Copy(object->attributes())));
        }
        return builder_.CreateVector(objects);
    }

    bool IsUsed(const reflection::Enum& type, int64_t value) const {
        if (type.values()->size() <= kShortEnum) return true;
        const std::string name = type.name()->str();
        const auto used = use_.enum_values.find(name.substr(name.rfind('.') + 1));
        return used != use_.enum_values.end() && used->second.contains(value);
    }

    Offset<flatbuffers::Vector<Offset<reflection::Enum>>> Enums() {
        std::vector<Offset<reflection::Enum>> enums;
        for (const auto* type : *source_.enums()) {
            if (!kept_enums_.contains(type)) continue;
            std::vector<Offset<reflection::EnumVal>> values;
            for (const auto* value : *type->values()) {
                if (!IsUsed(*type, value->value())) continue;
                const auto name = builder_.CreateSharedString(value->name());
                reflection::EnumValBuilder copy(builder_);
                copy.add_value(value->value());
                copy.add_name(name);
                values.push_back(copy.Finish());
            }
            const auto name = builder_.CreateSharedString(type->name());
            const auto list = builder_.CreateVector(values);
            const auto underlying = Type(*type->underlying_type());
            enums.push_back(reflection::CreateEnum(builder_, name, list, type->is_union(),
                                                   underlying, Copy(type->attributes())));
        }
        return builder_.CreateVector(enums);
    }

    const reflection::Schema& source_;
    const SchemaUse& use_;
    std::set<const reflection::Object*> kept_objects_;
    std::set<const reflection::Enum*> kept_enums_;
    flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

std::vector<uint8_t> SchemaSubset(const uint8_t* bfbs, size_t bytes, const SchemaUse& use) {
    flatbuffers::Verifier verifier(bfbs, bytes);
    if (bytes < 16 || !reflection::SchemaBufferHasIdentifier(bfbs) ||
        !reflection::VerifySchemaBuffer(verifier))
        return {};
    return Subset(*reflection::GetSchema(bfbs), use).Build();
}

std::vector<uint8_t> PackedSchemaSubset(const SchemaUse& use) {
    const std::vector<uint8_t> subset = SchemaSubset(schema::kSchema, schema::kSchemaBytes, use);
    std::vector<uint8_t> packed;
    if (!PackFrame(subset.data(), subset.size(), kLevel, &packed))
        packed.assign(schema::kPackedSchema, schema::kPackedSchema + schema::kPackedSchemaBytes);
    return packed;
}

}  // namespace comshu::read
