#include "comshu/core/frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comshu::core {
namespace {

uint64_t HeaderHash(const FrameHeader& header) {
    return XXH3_64bits(&header, offsetof(FrameHeader, header_hash));
}

}  // namespace

void SealFrame(FrameHeader* header, const void* payload, size_t payload_bytes) {
    header->payload_bytes = payload_bytes;
    header->payload_hash = XXH3_64bits(payload, payload_bytes);
    header->header_hash = HeaderHash(*header);
}

bool IsValidHeader(const FrameHeader& header) {
    return header.magic == kFrameMagic && header.version == kFormatVersion &&
           header.header_hash == HeaderHash(header);
}

bool IsPayloadIntact(const FrameHeader& header, const void* payload) {
    return header.payload_hash == XXH3_64bits(payload, header.payload_bytes);
}

}  // namespace comshu::core
