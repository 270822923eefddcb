// What both forms of PICL say alike about the values of their records.
#pragma once

#include <cstdint>

#include "trace_reader.h"

namespace comshu::format::picl {

// More than a century: no time that a program was traced at.
constexpr int64_t kMostSeconds = 4'000'000'000;

inline int32_t Narrow(int64_t value) {
    return value > INT32_MAX || value <= INT32_MIN ? kNoNumber : static_cast<int32_t>(value);
}

inline uint64_t BytesOf(int64_t value) {
    return value < 0 ? kNoBytes : static_cast<uint64_t>(value);
}

}  // namespace comshu::format::picl
