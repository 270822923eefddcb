#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace comshu::format {
namespace {

constexpr int kLookMs = 200;
constexpr size_t kMostSaid = size_t{64} << 10;

// In the copy; never returns.
[[noreturn]] void Work(const std::function<std::string()>& work, int out, int said) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (said >= 0) dup2(said, STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const std::string text = work();
    std::fflush(nullptr);
    size_t at = 0;
    while (at < text.size()) {
        const ssize_t put = ::write(out, text.data() + at, text.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) _exit(1);
        at += static_cast<size_t>(put);
    }
    _exit(0);
}

// All that comes; false: `stopped` said so.
bool ReadAll(int in, const std::function<bool()>& stopped, std::string* text) {
    for (;;) {
        if (stopped && stopped()) return false;
        pollfd ready{in, POLLIN, 0};
        if (poll(&ready, 1, kLookMs) <= 0) continue;
        char buffer[4096];
        const ssize_t got = ::read(in, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        text->append(buffer, static_cast<size_t>(got));
    }
}

std::string ReadSaid(int said) {
    std::string text(kMostSaid, '\0');
    const ssize_t got = said < 0 ? 0 : pread(said, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
}

}  // namespace

ChildEnd RunInChild(const std::function<std::string()>& work,
                    const std::function<bool()>& stopped) {
    ChildEnd end;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        end.error = std::strerror(errno);
        return end;
    }
    // A file in memory: nobody has to read it while the copy works. Without one stderr stays ours.
    const int said = memfd_create("stderr", MFD_CLOEXEC);
    std::fflush(nullptr);  // Else both would write what waits in buffers.
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        Work(work, ends[1], said);
    }
    const int failed = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        if (said >= 0) close(said);
        end.error = std::strerror(failed);
        return end;
    }
    const bool came = ReadAll(ends[0], stopped, &end.text);
    close(ends[0]);
    if (!came) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end.said = ReadSaid(said);
    if (said >= 0) close(said);
    if (!came) {
        end.error = "stopped";
    } else if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        end.error = "ended with code " + std::to_string(WEXITSTATUS(status));
    }
    if (!end.error.empty() || end.signal != 0) end.text.clear();
    return end;
}

}  // namespace comshu::format
