#include "stream_file.h"

#include <cstdio>

#include <sys/stat.h>

#include "clock_source.h"
#include "system.h"

namespace comshu::rec {
namespace {

// Images of one process: execs, and processes of the same number in other name spaces.
constexpr uint32_t kLargestImages = 10'000;

}  // namespace

bool StreamFile::Create(const Options& options, const char* host, uint32_t pid) {
    mkdir(options.folder, 0777);
    int length = snprintf(folder_, sizeof folder_, "%s/%s", options.folder, options.pass);
    if (length < 0 || static_cast<size_t>(length) >= sizeof folder_) return false;
    mkdir(folder_, 0777);
    for (uint32_t n = 0; n < kLargestImages; ++n) {
        snprintf(base_, sizeof base_, "%s.%u.%u", host, pid, n);
        snprintf(path_, sizeof path_, "%s/%s.cst", folder_, base_);
        fd_ = OpenFile(path_, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0644);
        if (fd_ >= 0) {
            struct stat info;
            if (fstat(fd_, &info) != 0) return false;
            device_ = info.st_dev;
            inode_ = info.st_ino;
            exec_number_ = n;
            return true;
        }
        if (errno != EEXIST) return false;
    }
    return false;
}

bool StreamFile::HasOwnFile() {
    struct stat info;
    if (fd_ >= 0 && fstat(fd_, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) {
        return true;
    }
    // The program closed our descriptor, and may have a file of its own there.
    fd_ = OpenFile(path_, O_WRONLY | O_APPEND, 0);
    if (fd_ < 0) return false;
    if (fstat(fd_, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return true;
    CloseFile(fd_);
    fd_ = -1;
    errno = ESTALE;
    return false;
}

bool StreamFile::Append(core::FrameHeader* header, const void* payload, size_t bytes) {
    if (!HasOwnFile()) {
        error_ = errno;
        return false;
    }
    header->number = number_;
    header->calibration = Calibrate();
    core::SealFrame(header, payload, bytes);
    static const char zeros[8] = {};
    iovec parts[4] = {
        {const_cast<char*>(zeros), static_cast<size_t>(-end_ & 7)},  // Behind a torn tail.
        {header, sizeof *header},
        {const_cast<void*>(payload), bytes},
        {const_cast<char*>(zeros), core::PaddedBytes(bytes) - bytes},
    };
    const uint64_t start = end_;
    size_t written = 0;
    const bool done = WriteAll(fd_, parts, 4, &written);
    end_ += written;
    if (!done) {
        error_ = errno;
        if (written > 0 && ftruncate(fd_, static_cast<off_t>(start)) == 0) end_ = start;
        return false;
    }
    ++number_;
    return true;
}

void StreamFile::Close() {
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
}

}  // namespace comshu::rec
