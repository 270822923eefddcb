// The stream file of this process image: frames, only ever appended (core/frame.h).
#ifndef COMSHU_REC_STREAM_FILE_H_
#define COMSHU_REC_STREAM_FILE_H_

#include <cstddef>
#include <cstdint>

#include "comshu/core/frame.h"
#include "comshu/rec/options.h"

namespace comshu::rec {

// Problem: the disk may fill up, vanish or refuse at any time, and the program may close any
// descriptor. Idea: every frame is written or not at all (a torn tail is cut off again), the
// descriptor is checked before use, and an error is an answer, not an end: the caller counts what was
// lost and goes on. Not thread-safe: callers hold the lock of the drain.
class StreamFile {
public:
    // Makes DIR/PASS/HOST.PID.N.cst with the first free N; folders that miss are made.
    bool Create(const Options& options, const char* host, uint32_t pid);

    // Completes the header (number, calibration, hashes) and appends the frame. False: not written.
    bool Append(core::FrameHeader* header, const void* payload, size_t bytes);

    void Close();

    uint64_t bytes() const { return end_; }
    // Of the last Append that failed.
    int error() const { return error_; }
    uint32_t exec_number() const { return exec_number_; }
    const char* folder() const { return folder_; }
    const char* base() const { return base_; }  // HOST.PID.N
    const char* path() const { return path_; }

private:
    bool HasOwnFile();

    char folder_[3200] = {};
    char base_[128] = {};
    char path_[3400] = {};
    int fd_ = -1;
    int error_ = 0;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
    uint64_t end_ = 0;     // Bytes written so far.
    uint64_t number_ = 0;  // Of the next frame.
    uint32_t exec_number_ = 0;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_STREAM_FILE_H_
