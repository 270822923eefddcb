#include "instrument/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace comshu::fortran {

namespace {

constexpr int kSignalled = 128;  // and more: exit codes of what a signal ended
constexpr std::array<int, 5> kCaught{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
volatile std::sig_atomic_t caught = 0;
volatile std::sig_atomic_t running = 0;

void Catch(int number) {
    caught = number;
    // Who sent it may not have sent it to the child.
    if (running > 0) {
        kill(static_cast<pid_t>(running), number);
    }
}

// Who reads no more of what is written here ends nothing.
void IgnoreInThisProcess(int) {}

// `work` never returns.
Finished RunChild(bool keep_errors, const std::function<void()>& work) {
    if (caught != 0) {
        throw Interrupted{caught};
    }
    Finished finished;
    int pipes[2] = {-1, -1};
    if (keep_errors && pipe2(pipes, O_CLOEXEC) != 0) {
        keep_errors = false;
    }
    pid_t child = fork();
    running = std::max(child, 0);
    if (child == 0) {
        if (keep_errors) {
            dup2(pipes[1], STDERR_FILENO);
        }
        work();
    }
    if (keep_errors) {
        close(pipes[1]);
        char buffer[4096];
        for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) != 0;) {
            if (n > 0) {
                finished.errors.append(buffer, static_cast<std::size_t>(n));
            } else if (errno != EINTR) {
                break;
            }
        }
        close(pipes[0]);
    }
    int status = 0;
    if (child < 0) {
        return finished;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    running = 0;
    if (caught != 0) {
        throw Interrupted{caught};
    }
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
    finished.crashed = WIFSIGNALED(status);
    return finished;
}

}  // namespace

SignalsUnwind::SignalsUnwind() {
    for (int number : kCaught) {
        before_.push_back(std::signal(number, number == SIGPIPE ? IgnoreInThisProcess : Catch));
        if (before_.back() == SIG_IGN) {
            std::signal(number, SIG_IGN);
        }
    }
}

SignalsUnwind::~SignalsUnwind() {
    for (std::size_t i = 0; i < kCaught.size(); ++i) {
        std::signal(kCaught[i], before_[i]);
    }
}

Finished RunProcess(const std::vector<std::string>& words, bool keep_errors) {
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    return RunChild(keep_errors, [&] {
        execvp(arguments[0], arguments.data());
        std::string message = words[0] + ": " + std::strerror(errno) + "\n";
        ssize_t ignored = write(STDERR_FILENO, message.data(), message.size());
        static_cast<void>(ignored);
        _exit(127);
    });
}

std::string EndedBy(const Finished& finished) {
    if (!finished.crashed) {
        return "";
    }
    int number = finished.code - kSignalled;
    return "was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

bool EndedByFault(const Finished& finished) {
    constexpr std::array<int, 6> kFaults{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    return finished.crashed &&
           std::find(kFaults.begin(), kFaults.end(), finished.code - kSignalled) != kFaults.end();
}

int CannotRun(const std::string& name) {
    auto look = [](const std::string& path) {
        struct stat status;
        if (stat(path.c_str(), &status) != 0) {
            return errno;
        }
        return S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
    };
    if (name.find('/') != std::string::npos) {
        return look(name);
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/bin:/usr/bin");
    int error = ENOENT;
    for (std::string folder; std::getline(folders, folder, ':');) {
        int found = look((folder.empty() ? "." : folder) + "/" + name);
        if (found == 0) {
            return 0;
        }
        error = found == EACCES ? EACCES : error;
    }
    return error;
}

Finished RunApart(const std::function<int()>& work) {
    std::fflush(nullptr);
    return RunChild(true, [&] {
        rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        int code = work();
        std::fflush(nullptr);
        _exit(code);
    });
}

PrivateFolder::PrivateFolder() {
    const char* place = std::getenv("TMPDIR");
    std::string name = std::string(place && *place ? place : "/tmp") + "/comshu-fc-XXXXXX";
    if (mkdtemp(name.data())) {
        path_ = name;
    }
}

PrivateFolder::~PrivateFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

std::string OwnFolder() {
    std::error_code error;
    std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "." : self.parent_path().string();
}

}  // namespace comshu::fortran
