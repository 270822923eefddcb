// The calls in which the threads of a capture stood when it was read.
#ifndef COMSHU_READ_OPEN_SPAN_H_
#define COMSHU_READ_OPEN_SPAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comshu/read/capture.h"

namespace comshu::read {

struct OpenSpan {
    uint32_t process = 0;
    uint32_t thread = 0;
    uint32_t depth = 0;      // 0: outermost.
    uint64_t span_id = 0;    // Unique in the capture.
    uint64_t parent_id = 0;  // 0: none.
    std::string record;      // Table of its records.
    std::string name;        // Of the function or region.
    int64_t begin_ns = 0;
    int64_t open_ns = 0;  // Until now if the process runs, else until the run ended.
    // As the record has them; absent where it has no such field or it is not known.
    std::optional<int64_t> peer, world_peer, tag, root;
    std::optional<uint64_t> comm, bytes, request, caller;
};

// By process, thread and depth.
std::vector<OpenSpan> OpenSpans(const Capture& capture);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPEN_SPAN_H_
