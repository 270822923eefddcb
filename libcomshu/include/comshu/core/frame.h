// The stream file (.cst): a run of frames, each with its own checksummed header, so that a reader
// can step over damage and a writer only ever appends.
//
//   FrameHeader (fixed size) | payload | padding to 8 bytes
//
// A stream begins with one kSchema frame; the order of the rest is the order of writing. Providers
// that bring records of their own have a kSchema frame each, before their first record. A cut or
// damaged frame costs that frame alone: the reader looks for the next valid header at a multiple of
// 8 bytes.
#ifndef COMSHU_CORE_FRAME_H_
#define COMSHU_CORE_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "comshu/core/clock.h"

namespace comshu::core {

constexpr uint32_t kFrameMagic = 0x31425343;  // "CSB1" in the file.
constexpr uint16_t kFormatVersion = 1;

// Flags of kSchema.
constexpr uint16_t kPackedStream = 1;  // The run has ended and the stream was packed.
constexpr uint16_t kAddedSchema = 2;   // Describes further record types: those of one provider.
// Flags of kRecords: the last of its thread, written when the process ended: the calls that it had
// open, and its last gap. What its ring holds behind this came later and does not count.
constexpr uint16_t kThreadEnded = 1;

enum class FrameKind : uint16_t {
    kSchema = 1,   // Payload: a binary schema of records in the stream, plain or one zstd frame.
    kRecords = 2,  // Payload: one thread's run of records (a block).
    kLive = 3,     // Payload: absolute path of the process's .live file, UTF-8 without a zero.
};

enum class FrameEncoding : uint16_t {
    kRaw = 0,        // Records as they lay in the ring (record.h).
    kColumns = 1,    // Columns (block_format.h).
    kPackedRaw = 2,  // One zstd frame of kRaw; only packing after the run writes it.
};

struct FrameHeader {
    uint32_t magic = kFrameMagic;
    uint16_t version = kFormatVersion;
    FrameKind kind = FrameKind::kRecords;
    FrameEncoding encoding = FrameEncoding::kRaw;
    uint16_t flags = 0;   // By kind, above.
    uint32_t thread = 0;  // Of kRecords; kDefinitionsThread for definitions.
    uint64_t number = 0;  // Of the frame in its stream, from 0: a missing one is noticed.
    uint64_t payload_bytes = 0;
    uint64_t payload_hash = 0;  // XXH3_64bits of the payload.
    uint32_t record_count = 0;
    uint32_t lost = 0;  // Records of this thread lost since its previous block.
    // Lowest and highest time of the records; both 0 where they have none.
    uint64_t first_tick = 0;
    uint64_t last_tick = 0;
    // The part of the thread's ring that the block covers: from (first_chunk, first_offset) to just
    // before (last_chunk, last_offset). Chunks are numbered from 1 per thread; for definitions both
    // chunks are 0 and the offsets are positions in the definitions region since its start.
    uint64_t first_chunk = 0;
    uint64_t last_chunk = 0;
    uint64_t first_offset = 0;
    uint64_t last_offset = 0;
    Calibration calibration;   // Taken when the block was written.
    uint64_t header_hash = 0;  // XXH3_64bits of the bytes before.
};
static_assert(sizeof(FrameHeader) == 128);

constexpr size_t PaddedBytes(size_t bytes) {
    return (bytes + 7) & ~size_t{7};
}

// Fills hashes and payload_bytes. The caller writes header, payload, zeros up to PaddedBytes.
void SealFrame(FrameHeader* header, const void* payload, size_t payload_bytes);

// True when the header's own hash, magic and version are right.
bool IsValidHeader(const FrameHeader& header);
bool IsPayloadIntact(const FrameHeader& header, const void* payload);

}  // namespace comshu::core

#endif  // COMSHU_CORE_FRAME_H_
