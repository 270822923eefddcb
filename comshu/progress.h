// Word on stderr that something takes its time.
#ifndef COMSHU_PROGRESS_H_
#define COMSHU_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "terminal.h"

namespace comshu {

// Problem: reading a large capture takes a while, and silence looks like a hang. Idea: from two
// seconds on a thread tells what is being done: on a terminal in one line that is gone at the end,
// elsewhere in a line now and then, so that the log of a batch job stays short. Work that is quicker
// shows nothing. Cost: a sleeping thread. Any thread may call Say and At; the object must end before
// other output to the same stream begins.
class Progress {
public:
    using Milliseconds = std::chrono::milliseconds;

    // `after` of COMSHU_PROGRESS_MS if that is set (tests).
    Progress(std::string verb, std::string what);
    Progress(std::FILE* out, const Terminal& terminal, std::string verb, std::string what,
             Milliseconds after);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void Say(std::string what);
    // So much of it is done.
    void At(uint64_t done, uint64_t total);

private:
    void Run(Milliseconds after);
    void Print(std::chrono::seconds elapsed);

    std::FILE* const out_;
    const Terminal terminal_;
    const std::string verb_;
    std::mutex lock_;
    std::condition_variable ended_changed_;
    bool ended_ = false;
    bool shown_ = false;
    std::string what_;
    uint64_t done_ = 0;
    uint64_t total_ = 0;
    std::thread thread_;
};

}  // namespace comshu

#endif  // COMSHU_PROGRESS_H_
