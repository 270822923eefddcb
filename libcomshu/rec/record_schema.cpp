#include "record_schema.h"

#include <cstddef>

#include "comshu/schema/schema_data.h"

namespace comshu::rec {
namespace {

// Never destroyed: records may be written until the process is gone.
core::Schema& Shared() {
    static core::Schema* const schema = [] {
        std::string error;
        return core::Schema::Load(schema::kSchema, schema::kSchemaBytes, &error).release();
    }();
    return *schema;
}

}  // namespace

const core::Schema& RecordSchema() {
    return Shared();
}

bool HasSchema(const comshu_provider& provider) {
    constexpr size_t kEnd = offsetof(comshu_provider, schema_bytes) + sizeof provider.schema_bytes;
    return provider.size >= kEnd && provider.schema != nullptr && provider.schema_bytes != 0;
}

bool AddToRecordSchema(const comshu_provider& provider, std::string* error) {
    return Shared().Add(provider.schema, provider.schema_bytes, provider.first_type,
                        provider.last_type, error);
}

}  // namespace comshu::rec
