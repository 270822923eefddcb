// One stream file (.cst): its schema, its blocks by header, and what of it is damaged.
#ifndef COMSHU_READ_STREAM_READER_H_
#define COMSHU_READ_STREAM_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comshu/core/frame.h"
#include "comshu/core/layout.h"
#include "comshu/read/file_bytes.h"
#include "comshu/read/problem.h"

namespace comshu::read {

struct Frame {
    core::FrameHeader header;
    const uint8_t* payload = nullptr;
};

// Problem: a stream may be gigabytes long, cut at any byte by a crash, or damaged by a disk; reading
// must be quick to start and give everything that is sound. Idea: only headers are read at first, one
// jump each; where none is valid, the next is looked for at multiples of 8 bytes. Payloads are
// checked against their hash when they are used. Immutable after opening; safe to share between
// threads. Frames point into the mapping and live as long as the reader.
class StreamReader {
public:
    // Null and a reason in `error` only if the file cannot be read at all; what is wrong inside it is
    // told by problems().
    static std::unique_ptr<StreamReader> Open(const std::string& path, std::string* error);

    // Reads bytes in memory that outlive the reader.
    StreamReader(const uint8_t* data, size_t bytes);

    // The schema of the stream; that of this build where the stream has none that is sound.
    const core::Schema& schema() const {
        return own_schema_ ? *own_schema_ : core::Schema::BuiltIn();
    }
    bool has_schema() const { return own_schema_ != nullptr; }
    const Frame& schema_frame() const { return schema_frame_; }
    // Those of providers that brought records of their own.
    const std::vector<Frame>& added_schemas() const { return added_schemas_; }
    // It was rewritten after the run (pack.h).
    bool packed() const { return (schema_frame_.header.flags & core::kPackedStream) != 0; }
    const std::vector<Frame>& frames() const { return frames_; }

    // Where the .live file was while the program ran; empty: the stream does not say.
    const std::string& live_path() const { return live_path_; }

    const std::vector<core::Calibration>& calibrations() const { return calibrations_; }

    // Of the file when it was opened.
    uint64_t bytes() const { return bytes_; }
    // Bytes between sound frames, and at the end behind the last one.
    uint64_t skipped_bytes() const { return skipped_bytes_; }
    uint64_t tail_bytes() const { return tail_bytes_; }
    uint64_t missing_frames() const { return missing_frames_; }

    // What is wrong, one line each, without the file's name. A cut last frame is not among them: it is
    // what a running or killed program leaves (tail_bytes).
    const std::vector<Problem>& problems() const { return problems_; }

private:
    void Walk(const uint8_t* data, size_t bytes);
    void Take(const core::FrameHeader& header, const uint8_t* payload);
    void TakeSchema(const core::FrameHeader& header, const uint8_t* payload);
    void AddSchema(const Frame& frame, const std::vector<uint8_t>& bfbs);
    void Tell(const std::string& text, ProblemKind kind = ProblemKind::kDamage) {
        problems_.push_back({kind, text});
    }

    std::unique_ptr<FileBytes> file_;
    std::unique_ptr<core::Schema> own_schema_;
    Frame schema_frame_;
    std::vector<Frame> added_schemas_;
    std::vector<Frame> frames_;
    std::string live_path_;
    std::vector<core::Calibration> calibrations_;
    uint64_t next_number_ = 0;
    uint64_t bytes_ = 0;
    uint64_t skipped_bytes_ = 0;
    uint64_t tail_bytes_ = 0;
    uint64_t missing_frames_ = 0;
    uint16_t other_version_ = 0;
    std::vector<Problem> problems_;
};

// The binary schema in a kSchema frame, packed or plain; false: it cannot be unpacked.
bool UnpackSchema(const Frame& frame, std::vector<uint8_t>* bfbs);

}  // namespace comshu::read

#endif  // COMSHU_READ_STREAM_READER_H_
