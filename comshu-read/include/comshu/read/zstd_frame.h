// One zstd frame, with a limit on what it may unpack to.
#ifndef COMSHU_READ_ZSTD_FRAME_H_
#define COMSHU_READ_ZSTD_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comshu::read {

// False if the bytes are not one whole zstd frame, or hold more than 16 MiB. A core::Decompressor.
bool UnpackFrame(const uint8_t* in, size_t bytes, std::vector<uint8_t>* out);

// Replaces `out` by the packed form. False if zstd fails.
bool PackFrame(const uint8_t* in, size_t bytes, int level, std::vector<uint8_t>* out);

}  // namespace comshu::read

#endif  // COMSHU_READ_ZSTD_FRAME_H_
