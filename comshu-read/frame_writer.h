// Writes the frames of a new stream file.
#ifndef COMSHU_READ_FRAME_WRITER_H_
#define COMSHU_READ_FRAME_WRITER_H_

#include <cstdint>
#include <string>

#include "comshu/core/frame.h"

namespace comshu::read {

// Holds an exclusive lock on the file while it lives, so that only one writer works at a time. The
// first failure is kept; what follows it does nothing.
class FrameWriter {
public:
    explicit FrameWriter(const std::string& path);
    ~FrameWriter();
    FrameWriter(const FrameWriter&) = delete;
    FrameWriter& operator=(const FrameWriter&) = delete;

    // Numbers and seals the frame.
    void Write(core::FrameHeader header, const void* payload, size_t bytes);
    // Everything on the disk; false if anything failed.
    bool Finish();

    // The file is this writer's to rename or remove.
    bool locked() const { return locked_; }
    const std::string& error() const { return error_; }
    uint64_t bytes() const { return bytes_; }

private:
    void WriteAll(const void* data, size_t bytes);
    void Fail(const char* what);

    int fd_;
    bool locked_ = false;
    uint64_t next_ = 0;
    uint64_t bytes_ = 0;
    std::string error_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_FRAME_WRITER_H_
