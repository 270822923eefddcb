#include "launch/guardian.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "launch/capture_folder.h"
#include "launch/finish.h"
#include "launch/members.h"

namespace comshu::launch {
namespace {

constexpr auto kRanksDieWithin = std::chrono::seconds(5);
constexpr auto kLookAgain = std::chrono::milliseconds(20);

void KeepStderrAlone() {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    close_range(STDERR_FILENO + 1, ~0u, 0);
}

void Watch(const std::string& path, const std::string& folder, const std::string& pass,
           const Job& job) {
    const auto begin = std::chrono::steady_clock::now();
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    for (bool all_came = false; !all_came;) {
        while (flock(fd, LOCK_EX) != 0) {
            if (errno != EINTR) return;
        }
        struct stat status;
        const bool dismissed = fstat(fd, &status) != 0 || status.st_nlink == 0;
        if (dismissed) return;
        const int members = open(Members::PathOf(folder, pass, job).c_str(), O_RDONLY | O_CLOEXEC);
        all_came = Members::AllHaveCome(members, job, begin);
        if (members >= 0) close(members);
        if (all_came) break;
        flock(fd, LOCK_UN);
        std::this_thread::sleep_for(kLookAgain);
    }
    unlink(path.c_str());
    // Ranks are killed one after the other.
    const auto give_up = std::chrono::steady_clock::now() + kRanksDieWithin;
    while (StillRuns(folder) && std::chrono::steady_clock::now() < give_up)
        std::this_thread::sleep_for(kLookAgain);
    FinishCapture(folder, pass, job, nullptr, nullptr);
    unlink(Members::PathOf(folder, pass, job).c_str());
}

}  // namespace

Guardian::Guardian(const std::string& folder, const std::string& pass, const Job& job)
    : path_(folder + "/" + pass + "/" + job.host + ".alive") {
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool first = fd_ >= 0;
    if (!first) fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0 || flock(fd_, LOCK_SH) != 0 || !first) return;
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return;
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        prctl(PR_SET_NAME, "comshu-guardian");
        for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE})
            signal(number, SIG_IGN);
        KeepStderrAlone();  // With the pipe: the parent goes on.
        Watch(path_, folder, pass, job);
        _exit(0);
    }
    close(ready[1]);
    char nothing;
    while (child > 0 && ::read(ready[0], &nothing, 1) < 0 && errno == EINTR) {
    }
    close(ready[0]);
}

Guardian::~Guardian() {
    if (fd_ >= 0) close(fd_);
}

void Guardian::Dismiss() {
    if (fd_ >= 0) unlink(path_.c_str());
}

}  // namespace comshu::launch
