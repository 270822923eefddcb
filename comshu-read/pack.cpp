#include "comshu/read/pack.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include <fmt/core.h>

#include "block_records.h"
#include "comshu/core/block_encoder.h"
#include "comshu/core/block_format.h"
#include "comshu/read/capture.h"
#include "comshu/read/schema_subset.h"
#include "comshu/read/zstd_frame.h"
#include "comshu/schema/schema_data.h"
#include "frame_writer.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

constexpr int kZstdLevel = 9;
// Definitions are not columns; a packed frame of them holds at most this much.
constexpr int kDescriptionLevel = 19;
constexpr size_t kDefinitionsFrame = size_t{16} << 20;

// Rewrites one process's stream into a new file.
class StreamPacker {
public:
    StreamPacker(const Capture& capture, const Process& process, FrameWriter* out)
        : capture_(capture), process_(process), out_(*out), encoder_(process.schema()) {}

    // False when a block is damaged.
    bool Pack();

private:
    bool FindUse(SchemaUse* use);
    void WriteSchemas(const SchemaUse& use);
    void WriteSchema(const core::FrameHeader& header, const std::vector<uint8_t>& whole,
                     const SchemaUse& use);
    void WriteLivePath();
    bool WriteDefinitions();
    bool AddBlock(const Block& block);
    void KeepBlock(const Block& block);
    void Flush();
    const core::Calibration& CalibrationOf(const Block& block);

    const Capture& capture_;
    const Process& process_;
    FrameWriter& out_;
    core::BlockEncoder encoder_;
    core::Calibration last_calibration_;

    // The run of blocks that becomes the next frame.
    core::FrameHeader pending_;
    uint32_t records_ = 0;
    std::vector<std::byte> bytes_;
    std::vector<uint8_t> payload_;
};

// The record types of all blocks, and the enum values in them.
bool StreamPacker::FindUse(SchemaUse* use) {
    std::vector<uint64_t> values;
    for (const Block& block : capture_.blocks()) {
        if (block.process != process_.id) continue;
        core::BlockDecoder decoder = capture_.DecoderFor(block);
        if (!capture_.OpenBlock(block, &decoder)) return false;
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            const core::RecordLayout* layout = decoder.types()[t].layout;
            if (layout == nullptr) continue;
            use->types.insert(layout->type);
            for (size_t c = layout->head_columns(); c < layout->columns.size(); ++c) {
                const int index = layout->columns[c].enum_index;
                if (index < 0) continue;
                const std::string& name =
                    process_.schema().enums()[static_cast<size_t>(index)].name;
                uint64_t constant = 0;
                if (decoder.IsConstant(t, c, &constant))
                    values.assign(1, constant);
                else if (!decoder.Values(t, c, &values))
                    return false;
                if (values.empty()) continue;
                std::set<int64_t>& used = use->enum_values[name];
                uint64_t last = ~values.front();
                for (const uint64_t value : values) {
                    if (value != last) used.insert(static_cast<int64_t>(value));
                    last = value;
                }
            }
        }
    }
    return true;
}

void StreamPacker::WriteSchemas(const SchemaUse& use) {
    core::FrameHeader header;
    header.kind = core::FrameKind::kSchema;
    header.flags = core::kPackedStream;
    std::vector<uint8_t> whole(schema::kSchema, schema::kSchema + schema::kSchemaBytes);
    if (process_.stream != nullptr && process_.stream->has_schema()) {
        const Frame& schema = process_.stream->schema_frame();
        header.calibration = schema.header.calibration;
        UnpackSchema(schema, &whole);
    }
    WriteSchema(header, whole, use);
    if (process_.stream == nullptr) return;
    // A provider's own types alone: what it shares with the stream's schema is there.
    SchemaUse added = use;
    std::string error;
    const auto known = core::Schema::Load(whole.data(), whole.size(), &error);
    std::erase_if(added.types,
                  [&](uint16_t type) { return known != nullptr && known->Find(type) != nullptr; });
    for (const Frame& frame : process_.stream->added_schemas()) {
        core::FrameHeader added_header;
        added_header.kind = core::FrameKind::kSchema;
        added_header.flags = core::kAddedSchema;
        added_header.calibration = frame.header.calibration;
        if (UnpackSchema(frame, &whole)) WriteSchema(added_header, whole, added);
    }
}

void StreamPacker::WriteSchema(const core::FrameHeader& header, const std::vector<uint8_t>& whole,
                               const SchemaUse& use) {
    std::vector<uint8_t> subset = SchemaSubset(whole.data(), whole.size(), use);
    std::string error;
    if (core::Schema::Load(subset.data(), subset.size(), &error) == nullptr) subset = whole;
    std::vector<uint8_t> packed;
    PackFrame(subset.data(), subset.size(), kDescriptionLevel, &packed);
    out_.Write(header, packed.data(), packed.size());
}

// Kept until the next packing finds the file gone: an end between rename and removal must not leave
// it unknown.
void StreamPacker::WriteLivePath() {
    if (process_.live == nullptr || process_.stream == nullptr) return;
    const std::string& path = process_.stream->live_path();
    core::FrameHeader header;
    header.kind = core::FrameKind::kLive;
    if (!path.empty()) out_.Write(header, path.data(), path.size());
}

const core::Calibration& StreamPacker::CalibrationOf(const Block& block) {
    if (block.header.calibration.ticks != 0) last_calibration_ = block.header.calibration;
    return last_calibration_;
}

bool StreamPacker::WriteDefinitions() {
    core::FrameHeader header;
    std::vector<uint8_t> payload;
    std::vector<uint8_t> packed;
    const auto flush = [&] {
        if (payload.empty()) return;
        if (payload.size() <= kDefinitionsFrame &&
            PackFrame(payload.data(), payload.size(), kDescriptionLevel, &packed) &&
            packed.size() < payload.size()) {
            header.encoding = core::FrameEncoding::kPackedRaw;
            out_.Write(header, packed.data(), packed.size());
        } else {
            out_.Write(header, payload.data(), payload.size());
        }
        payload.clear();
    };
    for (const Block& block : capture_.blocks()) {
        if (block.process != process_.id || !block.definitions()) continue;
        core::BlockDecoder decoder = capture_.DecoderFor(block);
        if (!capture_.OpenBlock(block, &decoder)) return false;
        const core::FrameHeader& from = block.header;
        if (from.encoding != core::FrameEncoding::kRaw) {
            flush();
            out_.Write(from, block.payload, from.payload_bytes);
            continue;
        }
        if (payload.size() + from.payload_bytes > kDefinitionsFrame) flush();
        if (payload.empty()) {
            header = from;
            header.record_count = 0;
        }
        header.record_count += from.record_count;
        header.last_offset = std::max(header.last_offset, from.last_offset);
        header.calibration = CalibrationOf(block);
        payload.insert(payload.end(), block.payload, block.payload + from.payload_bytes);
    }
    flush();
    return true;
}

// As it is: what no block of columns can hold, and what was open at the end.
void StreamPacker::KeepBlock(const Block& block) {
    core::FrameHeader header = block.header;
    header.calibration = CalibrationOf(block);
    out_.Write(header, block.payload, header.payload_bytes);
}

void StreamPacker::Flush() {
    if (records_ == 0) return;
    encoder_.Begin(pending_.thread);
    const size_t taken = encoder_.Add(bytes_.data(), bytes_.size());
    core::FrameHeader header = pending_;
    if (taken == bytes_.size()) {
        encoder_.Finish(&header, &payload_);
        const std::vector<uint8_t> packed = PackColumns(payload_, kZstdLevel);
        out_.Write(header, packed.data(), packed.size());
    } else {
        // Types that the schema does not know.
        header.encoding = core::FrameEncoding::kRaw;
        header.record_count = records_;
        out_.Write(header, bytes_.data(), bytes_.size());
    }
    bytes_.clear();
    records_ = 0;
}

bool StreamPacker::AddBlock(const Block& block) {
    core::BlockDecoder decoder = capture_.DecoderFor(block);
    if (!capture_.OpenBlock(block, &decoder)) return false;
    const core::FrameHeader& from = block.header;
    if (records_ > 0 &&
        (from.thread != pending_.thread || records_ + from.record_count > core::kBlockRecords)) {
        Flush();
    }
    if (block.open_spans || from.record_count > core::kBlockRecords) {
        Flush();
        KeepBlock(block);
        return true;
    }
    if (records_ == 0) {
        pending_ = from;
        pending_.encoding = core::FrameEncoding::kColumns;
    } else {
        pending_.lost += from.lost;
        pending_.last_tick = std::max(pending_.last_tick, from.last_tick);
        if (from.first_tick != 0)
            pending_.first_tick = std::min(pending_.first_tick, from.first_tick);
        pending_.last_chunk = from.last_chunk;
        pending_.last_offset = from.last_offset;
    }
    pending_.calibration = CalibrationOf(block);
    records_ += from.record_count;
    return AppendRecords(&decoder, from, block.payload, &bytes_);
}

bool StreamPacker::Pack() {
    SchemaUse use;
    if (!FindUse(&use)) return false;
    WriteSchemas(use);
    WriteLivePath();
    if (!WriteDefinitions()) return false;
    for (const Block& block : capture_.blocks()) {
        if (block.process != process_.id || block.definitions()) continue;
        if (!AddBlock(block)) return false;
    }
    Flush();
    return true;
}

bool IsDamaged(const Process& process) {
    return process.stream != nullptr &&
           (process.stream->skipped_bytes() > 0 || process.stream->missing_frames() > 0 ||
            !process.stream->problems().empty());
}

enum class Outcome { kPacked, kAlready, kLeft };

// The reason is set when the stream is left as it is.
Outcome PackProcess(const Capture& capture, const Process& process, uint64_t* before,
                    uint64_t* after, std::string* reason) {
    const std::string stem = fs::path(process.path).replace_extension().string();
    const std::string stream = stem + ".cst";
    const std::string packing = stream + ".packing";
    std::error_code code;
    if (process.state == ProcessState::kRunning) {
        *reason = fmt::format("process {} still runs", process.pid);
        return Outcome::kLeft;
    }
    if (IsDamaged(process)) {
        *reason = "it is damaged; packing would hide that";
        return Outcome::kLeft;
    }
    const uint64_t size = fs::exists(stream, code) ? fs::file_size(stream, code) : 0;
    *before = *after = size;
    if (process.stream != nullptr && process.stream->packed() && process.live == nullptr)
        return Outcome::kAlready;
    {
        FrameWriter writer(packing);
        StreamPacker packer(capture, process, &writer);
        if (writer.error().empty() && !packer.Pack())
            *reason = "a block is damaged; packing would hide that";
        else if (!writer.Finish())
            *reason = fmt::format("{} {}", packing, writer.error());
        *after = writer.bytes();
        if (reason->empty()) {
            fs::rename(packing, stream, code);
            if (code) *reason = fmt::format("{} cannot be renamed: {}", packing, code.message());
        }
        if (!reason->empty() && writer.locked()) fs::remove(packing, code);
    }
    if (!reason->empty()) {
        *after = size;
        return Outcome::kLeft;
    }
    if (!process.live_path.empty()) fs::remove(process.live_path, code);
    return Outcome::kPacked;
}

}  // namespace

bool PackCapture(const std::vector<std::string>& paths, PackResult* result, std::string* error,
                 const PackProgress& progress) {
    const std::unique_ptr<Capture> capture = Capture::Open(paths, error);
    if (capture == nullptr) return false;
    const auto& processes = capture->processes();
    struct Report {
        Outcome outcome = Outcome::kLeft;
        uint64_t before = 0;
        uint64_t after = 0;
        std::string reason;
    };
    std::vector<Report> reports(processes.size());
    std::atomic<size_t> next{0};
    std::atomic<size_t> done{0};
    const auto work = [&] {
        for (size_t i; (i = next.fetch_add(1)) < processes.size();) {
            Report& report = reports[i];
            report.outcome =
                PackProcess(*capture, *processes[i], &report.before, &report.after, &report.reason);
            const size_t now = done.fetch_add(1) + 1;
            if (progress) progress(now, processes.size());
        }
    };
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (size_t i = 1; i < std::min(cores, processes.size()); ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    for (size_t i = 0; i < reports.size(); ++i) {
        const Report& report = reports[i];
        result->bytes_before += report.before;
        result->bytes_after += report.after;
        if (report.outcome == Outcome::kPacked) ++result->packed;
        if (report.outcome == Outcome::kAlready) ++result->already;
        if (report.outcome == Outcome::kLeft)
            result->left.push_back(fmt::format("{}: {}", processes[i]->path, report.reason));
    }
    return true;
}

}  // namespace comshu::read
