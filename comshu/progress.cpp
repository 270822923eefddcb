#include "progress.h"

#include <cstdlib>
#include <utility>

namespace comshu {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::seconds;

constexpr Progress::Milliseconds kAfter{2000};
constexpr Progress::Milliseconds kOnTerminal{500};
constexpr Progress::Milliseconds kElsewhere{60'000};

Progress::Milliseconds After() {
    const char* after = std::getenv("COMSHU_PROGRESS_MS");
    return after == nullptr ? kAfter : Progress::Milliseconds(std::atoi(after));
}

}  // namespace

Progress::Progress(std::string verb, std::string what)
    : Progress(stderr, Terminal::Of(stderr), std::move(verb), std::move(what), After()) {}

Progress::Progress(std::FILE* out, const Terminal& terminal, std::string verb, std::string what,
                   Milliseconds after)
    : out_(out), terminal_(terminal), verb_(std::move(verb)), what_(std::move(what)) {
    thread_ = std::thread([this, after] { Run(after); });
}

Progress::~Progress() {
    {
        const std::lock_guard lock(lock_);
        ended_ = true;
    }
    ended_changed_.notify_one();
    thread_.join();
    if (shown_ && terminal_.is_terminal) {
        std::fputs("\r\x1b[K", out_);
        std::fflush(out_);
    }
}

void Progress::Say(std::string what) {
    const std::lock_guard lock(lock_);
    what_ = std::move(what);
    done_ = total_ = 0;
}

void Progress::At(uint64_t done, uint64_t total) {
    const std::lock_guard lock(lock_);
    done_ = done;
    total_ = total;
}

void Progress::Run(Milliseconds after) {
    const Clock::time_point start = Clock::now();
    Clock::time_point next = start + after;
    std::unique_lock lock(lock_);
    while (true) {
        if (Clock::now() >= next) {
            Print(std::chrono::duration_cast<Seconds>(Clock::now() - start));
            next = Clock::now() + (terminal_.is_terminal ? kOnTerminal : kElsewhere);
        }
        if (ended_) return;
        ended_changed_.wait_until(lock, next);
    }
}

void Progress::Print(std::chrono::seconds elapsed) {
    std::string line = "comshu " + verb_ + ": " + what_;
    if (total_ > 0) line += ", " + std::to_string(done_) + " of " + std::to_string(total_);
    line += " (" + std::to_string(elapsed.count()) + " s)";
    if (terminal_.is_terminal) {
        // A line that wraps could not be taken back.
        if (line.size() >= terminal_.width) line.resize(terminal_.width - 1);
        std::fprintf(out_, "\r\x1b[K%s", line.c_str());
    } else {
        std::fprintf(out_, "%s\n", line.c_str());
    }
    std::fflush(out_);
    shown_ = true;
}

}  // namespace comshu
