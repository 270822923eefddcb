#include "frame_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace comshu::read {

FrameWriter::FrameWriter(const std::string& path)
    : fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ < 0) {
        Fail("cannot be made");
    } else if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        error_ = "is being written by another process";
    } else {
        locked_ = true;
        if (ftruncate(fd_, 0) != 0) Fail("cannot be emptied");
    }
}

FrameWriter::~FrameWriter() {
    if (fd_ >= 0) close(fd_);
}

void FrameWriter::Fail(const char* what) {
    if (error_.empty()) error_ = std::string(what) + ": " + std::strerror(errno);
}

void FrameWriter::WriteAll(const void* data, size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0 && error_.empty()) {
        const ssize_t written = write(fd_, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return Fail("cannot be written");
        at += written;
        bytes -= static_cast<size_t>(written);
        bytes_ += static_cast<uint64_t>(written);
    }
}

void FrameWriter::Write(core::FrameHeader header, const void* payload, size_t bytes) {
    header.number = next_++;
    core::SealFrame(&header, payload, bytes);
    WriteAll(&header, sizeof header);
    WriteAll(payload, bytes);
    constexpr char kZeros[8] = {};
    WriteAll(kZeros, core::PaddedBytes(bytes) - bytes);
}

bool FrameWriter::Finish() {
    if (error_.empty() && fdatasync(fd_) != 0) Fail("cannot be written");
    return error_.empty();
}

}  // namespace comshu::read
