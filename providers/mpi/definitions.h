// Definitions and artifacts of this provider, through the engine: slow paths.
#ifndef COMSHU_PROVIDERS_MPI_DEFINITIONS_H_
#define COMSHU_PROVIDERS_MPI_DEFINITIONS_H_

#include <cstdint>
#include <cstring>

#include "comshu/rec/engine.h"
#include "comshu/schema/core_generated.h"
#include "comshu/schema/record_traits.h"

namespace comshu::provider::mpi {

template <typename Record>
void Define(const Record& record) {
    comshu_engine_define(schema::RecordTraits<Record>::kType, &record, sizeof record);
}

// Null: no text, id 0.
inline uint64_t InternText(const char* text) {
    if (text == nullptr) return 0;
    return comshu_engine_intern(static_cast<uint8_t>(schema::ArtifactKind::text), text,
                                std::strlen(text));
}

inline uint64_t InternInt32List(const int32_t* list, size_t size) {
    return comshu_engine_intern(static_cast<uint8_t>(schema::ArtifactKind::int32_list), list,
                                size * sizeof *list);
}

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_DEFINITIONS_H_
