#include "block_records.h"

#include <cstring>

#include "comshu/core/block_format.h"
#include "comshu/core/record.h"
#include "comshu/read/zstd_frame.h"

namespace comshu::read {
namespace {

// A frame of zstd costs some bytes itself: shorter columns never gain.
constexpr size_t kShortestPacked = 24;

void Append(uint64_t value, std::vector<uint8_t>* out) {
    uint8_t buffer[10];
    out->insert(out->end(), buffer, core::WriteVarint(buffer, value));
}

// Stores the low bytes of a value; numbers are little-endian in records as in memory.
void StoreColumn(const std::vector<uint64_t>& values, size_t width, size_t offset, size_t stride,
                 std::byte* first) {
    for (size_t row = 0; row < values.size(); ++row)
        std::memcpy(first + row * stride + offset, &values[row], width);
}

}  // namespace

bool AppendRecords(core::BlockDecoder* decoder, const core::FrameHeader& header,
                   const uint8_t* payload, std::vector<std::byte>* out) {
    std::vector<uint8_t> unpacked;
    size_t bytes_raw = header.payload_bytes;
    if (header.encoding == core::FrameEncoding::kPackedRaw) {
        if (!UnpackFrame(payload, header.payload_bytes, &unpacked)) return false;
        payload = unpacked.data();
        bytes_raw = unpacked.size();
    }
    if (header.encoding != core::FrameEncoding::kColumns) {
        const auto* records = reinterpret_cast<const std::byte*>(payload);
        out->insert(out->end(), records, records + bytes_raw);
        return true;
    }
    std::vector<uint8_t> sequence;
    if (!decoder->Sequence(&sequence)) return false;
    // Per type, whole records one after the other; then they are dealt out in order.
    std::vector<std::vector<std::byte>> by_type(decoder->types().size());
    std::vector<size_t> bytes(by_type.size());
    std::vector<uint64_t> values;
    for (size_t t = 0; t < by_type.size(); ++t) {
        const auto& records = decoder->types()[t];
        bytes[t] = core::RecordBytes(records.layout->struct_bytes);
        by_type[t].resize(bytes[t] * records.count);
        const core::RecordPrefix prefix{static_cast<uint32_t>(bytes[t]), records.type, 0};
        for (size_t row = 0; row < records.count; ++row)
            std::memcpy(by_type[t].data() + row * bytes[t], &prefix, sizeof prefix);
        for (size_t c = 0; c < records.layout->columns.size(); ++c) {
            if (!decoder->Values(t, c, &values)) return false;
            const core::Column& column = records.layout->columns[c];
            StoreColumn(values, column.width, sizeof prefix + column.offset, bytes[t],
                        by_type[t].data());
        }
    }
    std::vector<size_t> at(by_type.size());
    for (const uint8_t type : sequence) {
        const std::byte* record = by_type[type].data() + at[type];
        out->insert(out->end(), record, record + bytes[type]);
        at[type] += bytes[type];
    }
    return true;
}

std::vector<uint8_t> PackColumns(const std::vector<uint8_t>& payload, int level) {
    const uint8_t* at = payload.data();
    const uint8_t* const end = at + payload.size();
    uint64_t types = 0;
    uint64_t ignored = 0;
    at = core::ReadVarint(at, end, &types);
    for (uint64_t i = 0; i < 3 * types; ++i) at = core::ReadVarint(at, end, &ignored);
    std::vector<uint8_t> out(payload.data(), at);
    uint64_t directory_bytes = 0;
    at = core::ReadVarint(at, end, &directory_bytes);
    const uint8_t* const directory_end = at + directory_bytes;
    const uint8_t* data = directory_end;
    std::vector<uint8_t> directory;
    std::vector<uint8_t> packed_data;
    std::vector<uint8_t> packed;
    while (at < directory_end) {
        uint8_t encoding = *at++;
        uint64_t bytes = 0;
        at = core::ReadVarint(at, directory_end, &bytes);
        const uint8_t* const range = at;  // min and max - min stay as they are.
        at = core::ReadVarint(at, directory_end, &ignored);
        at = core::ReadVarint(at, directory_end, &ignored);
        const uint8_t* column = data;
        data += bytes;
        if (bytes >= kShortestPacked && PackFrame(column, bytes, level, &packed) &&
            packed.size() < bytes) {
            encoding |= core::kZstdFlag;
            column = packed.data();
            bytes = packed.size();
        }
        directory.push_back(encoding);
        Append(bytes, &directory);
        directory.insert(directory.end(), range, at);
        packed_data.insert(packed_data.end(), column, column + bytes);
    }
    Append(directory.size(), &out);
    out.insert(out.end(), directory.begin(), directory.end());
    out.insert(out.end(), packed_data.begin(), packed_data.end());
    return out;
}

}  // namespace comshu::read
