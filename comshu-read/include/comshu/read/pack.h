// Rewrites the streams of a capture smaller, once their processes have ended.
#ifndef COMSHU_READ_PACK_H_
#define COMSHU_READ_PACK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace comshu::read {

struct PackResult {
    size_t packed = 0;   // Streams rewritten.
    size_t already = 0;  // Streams that were packed before.
    uint64_t bytes_before = 0;
    uint64_t bytes_after = 0;
    // Streams left as they are, and why: a process that runs, damage.
    std::vector<std::string> left;
};

// Problem: a run leaves lightly encoded blocks, many of them small, and a .live file for each process
// that was killed. Idea: write each stream anew beside the old one (`.cst.packing`): what waited in
// the .live file comes in, neighbouring blocks of a thread become one of up to 16,384 records, every
// column is packed by zstd where that makes it smaller; then swap the new one in by rename and remove
// the .live file. Whatever ends this half-way leaves a capture that reads the same; doing it again
// is free. A damaged stream is left alone, so that the damage can still be told. One thread per core,
// a stream each. False and a reason in `error` when the paths hold no capture.
// `progress` is told how many of all streams are done, by whichever thread.
using PackProgress = std::function<void(uint64_t done, uint64_t total)>;
bool PackCapture(const std::vector<std::string>& paths, PackResult* result, std::string* error,
                 const PackProgress& progress = nullptr);

}  // namespace comshu::read

#endif  // COMSHU_READ_PACK_H_
