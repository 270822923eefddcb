// Writes the first inputs of stream_reader_fuzz: small streams and a .live file with every encoding.
//
//   make_stream_corpus BFBS FOLDER      (comshu-read/testing/other_version.fbs as BFBS)
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "comshu/core/block_encoder.h"
#include "comshu/core/frame.h"
#include "comshu/core/record.h"
#include "comshu/read/zstd_frame.h"
#include "live_writer.h"

namespace comshu::read {
namespace {

class Stream {
public:
    explicit Stream(const std::vector<uint8_t>& packed_schema) {
        core::FrameHeader header;
        header.kind = core::FrameKind::kSchema;
        Add(header, packed_schema.data(), packed_schema.size());
    }

    void Add(core::FrameHeader header, const void* payload, size_t bytes) {
        header.number = next_++;
        header.calibration = {.ticks = 1000, .monotonic_ns = 10, .realtime_ns = 20};
        core::SealFrame(&header, payload, bytes);
        Append(&header, sizeof header);
        Append(payload, bytes);
        bytes_.resize(core::PaddedBytes(bytes_.size()));
    }

    void Write(const std::string& path) const {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes_.data()),
                   static_cast<std::streamsize>(bytes_.size()));
    }

private:
    void Append(const void* data, size_t bytes) {
        const auto* from = static_cast<const uint8_t*>(data);
        bytes_.insert(bytes_.end(), from, from + bytes);
    }

    std::vector<uint8_t> bytes_;
    uint64_t next_ = 0;
};

// A record with fields of their own kind of change: constant, linear, of few values, of many.
std::vector<std::byte> Records(const core::Schema& schema, const char* name, uint64_t count) {
    std::vector<std::byte> out;
    for (const auto& layout : schema.records()) {
        if (layout->name != name) continue;
        for (uint64_t i = 0; i < count; ++i) {
            const auto bytes = static_cast<uint32_t>(core::RecordBytes(layout->struct_bytes));
            const core::RecordPrefix prefix{bytes, layout->type, 0};
            const size_t at = out.size();
            out.resize(at + bytes);
            std::memcpy(out.data() + at, &prefix, sizeof prefix);
            for (size_t c = 0; c < layout->columns.size(); ++c) {
                const uint64_t values[] = {1000 + 10 * i, 1005 + 11 * i, i + 1, i % 3, 7,
                                           i * i * 40503, i % 5 * 1000};
                std::memcpy(out.data() + at + sizeof prefix + layout->columns[c].offset,
                            &values[c % std::size(values)], layout->columns[c].width);
            }
        }
    }
    return out;
}

int Main(const std::string& bfbs_path, const std::string& folder) {
    std::ifstream file(bfbs_path, std::ios::binary);
    const std::vector<uint8_t> bfbs{std::istreambuf_iterator<char>(file), {}};
    std::string error;
    const auto schema = core::Schema::Load(bfbs.data(), bfbs.size(), &error);
    std::vector<uint8_t> packed;
    if (schema == nullptr || !PackFrame(bfbs.data(), bfbs.size(), 19, &packed)) {
        std::fprintf(stderr, "%s: %s\n", bfbs_path.c_str(), error.c_str());
        return 1;
    }
    std::vector<std::byte> records = Records(*schema, "MpiCall", 40);
    const std::vector<std::byte> more = Records(*schema, "Future", 9);
    records.insert(records.end(), more.begin(), more.end());

    Stream raw(packed);
    core::FrameHeader header;
    header.record_count = 49;
    raw.Add(header, records.data(), records.size());
    raw.Write(folder + "/raw.cst");

    Stream columns(packed);
    core::BlockEncoder encoder(*schema);
    std::vector<uint8_t> payload;
    encoder.Begin(0);
    encoder.Add(records.data(), records.size());
    encoder.Finish(&header, &payload);
    columns.Add(header, payload.data(), payload.size());
    columns.Write(folder + "/columns.cst");

    testing::LiveWriter live(folder + "/process.live");
    live.Define(schema::Note(7, 8, 9));
    live.AddChunk(0, 1, [&](auto* out) { *out = Records(*schema, "MpiCall", 5); });
    live.PushSpan(0, schema::MpiCall());
    live.Write();
    return 0;
}

}  // namespace
}  // namespace comshu::read

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    return comshu::read::Main(argv[1], argv[2]);
}
