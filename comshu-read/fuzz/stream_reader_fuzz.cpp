// Any bytes as a stream, or as a .live file: nothing may crash, hang or read outside of them.
//
// Checksums would stop every mutation at the door, so frames that can be found are sealed again
// first: what is tested is what lies behind.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "comshu/core/block_decoder.h"
#include "comshu/core/live_layout.h"
#include "comshu/read/live_reader.h"
#include "comshu/read/stream_reader.h"
#include "comshu/read/zstd_frame.h"

namespace {

using comshu::core::FrameHeader;

void SealAgain(std::vector<uint8_t>* bytes) {
    for (size_t at = 0; at + sizeof(FrameHeader) <= bytes->size();) {
        FrameHeader header;
        std::memcpy(&header, bytes->data() + at, sizeof header);
        const size_t left = bytes->size() - at - sizeof header;
        if (header.magic != comshu::core::kFrameMagic || header.payload_bytes > left) {
            at += 8;
            continue;
        }
        const uint8_t* payload = bytes->data() + at + sizeof header;
        comshu::core::SealFrame(&header, payload, header.payload_bytes);
        std::memcpy(bytes->data() + at, &header, sizeof header);
        at += sizeof header + comshu::core::PaddedBytes(header.payload_bytes);
    }
}

void DecodeAll(const comshu::read::StreamReader& reader) {
    comshu::core::BlockDecoder decoder(reader.schema(), comshu::read::UnpackFrame);
    std::vector<uint64_t> values;
    std::vector<uint8_t> sequence;
    std::string error;
    for (const comshu::read::Frame& frame : reader.frames()) {
        if (!comshu::core::IsPayloadIntact(frame.header, frame.payload) ||
            !decoder.Open(frame.header, frame.payload, &error)) {
            continue;
        }
        decoder.Sequence(&sequence);
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            if (decoder.types()[t].layout == nullptr) continue;
            uint64_t value = 0;
            for (size_t c = 0; c < decoder.types()[t].layout->columns.size(); ++c) {
                decoder.Values(t, c, &values);
                decoder.IsConstant(t, c, &value);
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<uint8_t> bytes(data, data + size);
    SealAgain(&bytes);
    const comshu::read::StreamReader reader(bytes.data(), bytes.size());
    DecodeAll(reader);
    // A .live file is mapped at a page.
    if (size >= sizeof(comshu::core::LiveHeader)) {
        const size_t page = alignof(comshu::core::LiveHeader);
        std::vector<uint8_t> space(size + page);
        uint8_t* at = space.data();
        at += (page - reinterpret_cast<uintptr_t>(at) % page) % page;
        std::memcpy(at, data, size);
        std::string error;
        comshu::read::LiveReader::Copy(at, size, &error);
    }
    return 0;
}
