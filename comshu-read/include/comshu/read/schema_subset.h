// The part of a binary schema that some records need.
#ifndef COMSHU_READ_SCHEMA_SUBSET_H_
#define COMSHU_READ_SCHEMA_SUBSET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace comshu::read {

// What the records of a stream use.
struct SchemaUse {
    std::set<uint16_t> types;
    // Numbers in columns of an enum type, by its name.
    std::map<std::string, std::set<int64_t>> enum_values;
};

// Problem: the description of all records, packed, is larger than many a short stream. Idea: once it
// is known what a stream holds, the description of that is enough: its record types, their enums (of
// long ones the values that occur), no comments. The result is a binary schema like any other; empty if
// `bfbs` is none.
std::vector<uint8_t> SchemaSubset(const uint8_t* bfbs, size_t bytes, const SchemaUse& use);

// The payload of a schema frame for records of this build.
std::vector<uint8_t> PackedSchemaSubset(const SchemaUse& use);

}  // namespace comshu::read

#endif  // COMSHU_READ_SCHEMA_SUBSET_H_
