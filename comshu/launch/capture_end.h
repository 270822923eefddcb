#ifndef COMSHU_LAUNCH_CAPTURE_END_H_
#define COMSHU_LAUNCH_CAPTURE_END_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/read/capture.h"

namespace comshu::launch {

// What the line at the end of a run says.
struct CaptureCounts {
    size_t ranks = 0;
    size_t processes = 0;
    uint64_t calls = 0;
    uint64_t regions = 0;  // of the program's own
    uint64_t lost = 0;
    uint64_t bytes = 0;  // of all files in the folders of its passes
};
CaptureCounts CountCapture(const read::Capture& capture);

// One line for each thing that the engine and the providers have to say, however many processes
// said it.
std::vector<std::string> CaptureNotes(const read::Capture& capture);

// Whether a stream lies here because of a process of this host, by its name.
bool IsOfHost(const read::Process& process, const std::string& host);

// Moves the .live files of dead processes of this host that had to lie elsewhere (/dev/shm) beside
// their streams. Returns what could not be moved and why.
std::vector<std::string> BringRingsHome(const read::Capture& capture, const std::string& host);

// Streams that may be rewritten: of processes that left their end, and of this host, where it is known
// which ones run. The rest may be growing on other hosts; `left` says so.
std::vector<std::string> StreamsToPack(const read::Capture& capture, const std::string& host,
                                       std::vector<std::string>* left);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_CAPTURE_END_H_
