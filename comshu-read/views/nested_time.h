// How long each span was inside spans of its own.
#ifndef COMSHU_READ_VIEWS_NESTED_TIME_H_
#define COMSHU_READ_VIEWS_NESTED_TIME_H_

#include <cstdint>

#include "comshu/read/capture.h"
#include "matching/flat_map.h"

namespace comshu::read {

struct SpanIdHash {
    uint64_t operator()(uint64_t span) const { return MixBits(span); }
};

// By id of the span in the capture: ns that its direct children took. Spans without any are not in it,
// so that it costs a look at one column of each block where nothing nests.
using NestedTimes = FlatMap<uint64_t, int64_t, SpanIdHash>;

// Reads all blocks, on all cores.
NestedTimes SumNestedTimes(const Capture& capture);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_NESTED_TIME_H_
