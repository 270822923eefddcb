// The binary schema of all records (flatc --schema), as it stands and as a zstd frame.
#ifndef COMSHU_SCHEMA_SCHEMA_DATA_H_
#define COMSHU_SCHEMA_SCHEMA_DATA_H_

#include <cstddef>
#include <cstdint>

namespace comshu::schema {

extern const uint8_t kSchema[];
extern const size_t kSchemaBytes;
extern const uint8_t kPackedSchema[];
extern const size_t kPackedSchemaBytes;

}  // namespace comshu::schema

#endif  // COMSHU_SCHEMA_SCHEMA_DATA_H_
