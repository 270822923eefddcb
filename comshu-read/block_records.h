// Blocks as records again, and columns packed: what rewriting a stream needs.
#ifndef COMSHU_READ_BLOCK_RECORDS_H_
#define COMSHU_READ_BLOCK_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/core/block_decoder.h"

namespace comshu::read {

// The records of an opened block as they lay in the ring, in order, appended to `out`. False if the
// block is damaged.
bool AppendRecords(core::BlockDecoder* decoder, const core::FrameHeader& header,
                   const uint8_t* payload, std::vector<std::byte>* out);

// Packs by zstd each column of a payload of columns that gets smaller by it.
std::vector<uint8_t> PackColumns(const std::vector<uint8_t>& payload, int level);

}  // namespace comshu::read

#endif  // COMSHU_READ_BLOCK_RECORDS_H_
