#include "comshu/read/stream_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>
#include <zstd.h>

#include "comshu/core/count_text.h"
#include "comshu/read/zstd_frame.h"
#include "comshu/schema/schema_data.h"

namespace comshu::read {
namespace {

constexpr size_t kAlignment = 8;
constexpr size_t kHeader = sizeof(core::FrameHeader);

// A magic number followed by another version than ours, with everything else as unknown.
uint16_t OtherVersion(const core::FrameHeader& header) {
    return header.magic == core::kFrameMagic && header.version != core::kFormatVersion
               ? header.version
               : uint16_t{0};
}

}  // namespace

std::unique_ptr<StreamReader> StreamReader::Open(const std::string& path, std::string* error) {
    auto file = FileBytes::Map(path, error);
    if (file == nullptr) return nullptr;
    auto reader = std::make_unique<StreamReader>(file->data(), file->size());
    reader->file_ = std::move(file);
    return reader;
}

bool UnpackSchema(const Frame& frame, std::vector<uint8_t>* bfbs) {
    const uint64_t bytes = frame.header.payload_bytes;
    uint32_t magic = 0;
    if (bytes >= sizeof magic) std::memcpy(&magic, frame.payload, sizeof magic);
    if (magic == ZSTD_MAGICNUMBER) return UnpackFrame(frame.payload, bytes, bfbs);
    bfbs->assign(frame.payload, frame.payload + bytes);
    return true;
}

StreamReader::StreamReader(const uint8_t* data, size_t bytes) : bytes_(bytes) {
    if (bytes == 0) {
        Tell("is empty: the program ended before anything was written");
        return;
    }
    Walk(data, bytes);
    if (skipped_bytes_ > 0) {
        Tell(core::Plural(skipped_bytes_, "byte is damaged and was stepped over",
                          "bytes are damaged and were stepped over"));
    }
    if (missing_frames_ > 0) {
        Tell(core::Plural(missing_frames_, "frame is missing: the records in it are lost",
                          "frames are missing: the records in them are lost"),
             ProblemKind::kMissing);
    }
    if (other_version_ != 0) {
        Tell(fmt::format(
            "is of stream format {}; this comshu reads format {}: use the comshu that captured it",
            other_version_, core::kFormatVersion));
    } else if (!has_schema()) {
        Tell("its description of the records is missing or damaged: read with that of this comshu");
    }
}

void StreamReader::Walk(const uint8_t* data, size_t bytes) {
    size_t at = 0;
    size_t sound_end = 0;
    while (at + kHeader <= bytes) {
        core::FrameHeader header;
        std::memcpy(&header, data + at, kHeader);
        if (!core::IsValidHeader(header)) {
            if (other_version_ == 0) other_version_ = OtherVersion(header);
            at += kAlignment;
            continue;
        }
        if (header.payload_bytes > bytes - at - kHeader) {
            at += kHeader;  // Cut; a later frame is still looked for.
            continue;
        }
        skipped_bytes_ += at - sound_end;
        Take(header, data + at + kHeader);
        at += kHeader + core::PaddedBytes(header.payload_bytes);
        sound_end = std::min(at, bytes);
    }
    tail_bytes_ = bytes - sound_end;
    if (sound_end == 0 && other_version_ == 0) {
        Tell("holds no sound frame in its " + core::Plural(bytes, "byte"), ProblemKind::kMissing);
    }
}

void StreamReader::Take(const core::FrameHeader& header, const uint8_t* payload) {
    if (header.number > next_number_) missing_frames_ += header.number - next_number_;
    next_number_ = header.number + 1;
    switch (header.kind) {
        case core::FrameKind::kSchema:
            TakeSchema(header, payload);
            break;
        case core::FrameKind::kLive:
            if (core::IsPayloadIntact(header, payload)) {
                live_path_.assign(reinterpret_cast<const char*>(payload), header.payload_bytes);
            }
            break;
        case core::FrameKind::kRecords:
            frames_.push_back({header, payload});
            break;
    }
    if (header.calibration.ticks != 0) calibrations_.push_back(header.calibration);
}

void StreamReader::TakeSchema(const core::FrameHeader& header, const uint8_t* payload) {
    std::vector<uint8_t> bfbs;
    std::string error;
    if (!core::IsPayloadIntact(header, payload)) {
        Tell("its description of the records is damaged");
        return;
    }
    if (!UnpackSchema({header, payload}, &bfbs)) {
        Tell("its description of the records cannot be unpacked");
        return;
    }
    if ((header.flags & core::kAddedSchema) != 0) {
        AddSchema({header, payload}, bfbs);
        return;
    }
    auto schema = core::Schema::Load(bfbs.data(), bfbs.size(), &error);
    if (schema == nullptr) {
        Tell("its description of the records is malformed: " + error);
        return;
    }
    // Frames read so far keep no pointer to a schema: the last sound one counts.
    own_schema_ = std::move(schema);
    schema_frame_ = {header, payload};
}

// What was described before keeps its place; the schema of the stream itself comes first in it.
void StreamReader::AddSchema(const Frame& frame, const std::vector<uint8_t>& bfbs) {
    std::string error;
    if (own_schema_ == nullptr) {
        own_schema_ = core::Schema::Load(schema::kSchema, schema::kSchemaBytes, &error);
    }
    if (own_schema_ == nullptr ||
        !own_schema_->Add(bfbs.data(), bfbs.size(), 1, core::Schema::kLargestType, &error)) {
        Tell("a provider's description of its records is malformed: " + error);
        return;
    }
    added_schemas_.push_back(frame);
}

}  // namespace comshu::read
