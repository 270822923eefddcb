#include "launch/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace comshu::launch {
namespace {

constexpr int kWitnessMilliseconds = 50;
constexpr int kPassedOn[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                             SIGUSR2, SIGALRM, SIGCONT, SIGXCPU, SIGXFSZ};

sigset_t PassedOnSet() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : kPassedOn) sigaddset(&set, signal);
    return set;
}

// The witness: reports each signal it gets, ends with its parent.
[[noreturn]] void Witness(int pipe, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "comshu-witness");
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t wanted = PassedOnSet();
    while (getppid() == parent) {
        int signal = sigwaitinfo(&wanted, nullptr);
        if (signal <= 0) continue;
        unsigned char byte = static_cast<unsigned char>(signal);
        if (write(pipe, &byte, 1) != 1) break;
    }
    _exit(0);
}

void CloseAllBut(int kept) {
    int limit = static_cast<int>(sysconf(_SC_OPEN_MAX));
    if (kept > 0) close_range(0, kept - 1, 0);
    if (close_range(kept + 1, ~0u, 0) != 0) {
        for (int fd = kept + 1; fd < limit; ++fd) close(fd);
    }
}

}  // namespace

Child::Child() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    pid_t parent = getpid();
    // The witness must have its mask before it can be hit.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    witness_ = fork();
    if (witness_ == 0) {
        // Nobody may wait for the end of a file because of an idle process.
        CloseAllBut(ends[1]);
        Witness(ends[1], parent);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(ends[1]);
    if (witness_ < 0) {
        close(ends[0]);
        return;
    }
    witness_pipe_ = ends[0];
    fcntl(witness_pipe_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
    if (witness_ > 0) {
        kill(witness_, SIGKILL);
        while (waitpid(witness_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (witness_pipe_ >= 0) close(witness_pipe_);
}

bool Child::WitnessSaw(int signal) {
    if (witness_pipe_ < 0) return false;
    while (true) {
        unsigned char byte;
        ssize_t got = ::read(witness_pipe_, &byte, 1);
        if (got == 1) {
            if (byte == signal) return true;
            continue;
        }
        pollfd ready{witness_pipe_, POLLIN, 0};
        if (got == 0 || poll(&ready, 1, kWitnessMilliseconds) <= 0) return false;
    }
}

void Child::PassOn(const siginfo_t& info, pid_t child) {
    if (info.si_pid == child) return;
    bool same_group = getpgid(child) == getpgrp();
    bool by_a_process =
        info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
    // What the kernel sends by itself, a terminal has caused: it goes to the whole group.
    if (same_group && (!by_a_process || WitnessSaw(info.si_signo))) return;
    kill(child, info.si_signo);
}

ChildEnd Child::Run(const LaunchPlan& plan) {
    int failure[2];
    ChildEnd end;
    if (pipe2(failure, O_CLOEXEC) != 0) return {126, 0, false, errno, 0};
    sigset_t waited = PassedOnSet();
    sigaddset(&waited, SIGCHLD);
    sigset_t before;
    sigprocmask(SIG_BLOCK, &waited, &before);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        for (const std::string& name : plan.unset) unsetenv(name.c_str());
        for (const Variable& variable : plan.set) {
            setenv(variable.name.c_str(), variable.value.c_str(), 1);
        }
        std::vector<char*> argv;
        for (const std::string& word : plan.argv) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        execvp(argv[0], argv.data());
        int error = errno;
        ssize_t ignored = write(failure[1], &error, sizeof error);
        static_cast<void>(ignored);
        _exit(127);
    }
    close(failure[1]);
    if (child < 0) {
        end = {126, 0, false, errno, 0};
        close(failure[0]);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return end;
    }
    if (::read(failure[0], &end.error, sizeof end.error) == sizeof end.error) {
        end.started = false;
    }
    close(failure[0]);

    int status = 0;
    while (waitpid(child, &status, WNOHANG) != child) {
        siginfo_t info;
        int signal = sigwaitinfo(&waited, &info);
        if (signal <= 0 || signal == SIGCHLD) continue;
        PassOn(info, child);
    }
    // What is still pending was meant for the child; only what comes from now on ends this process.
    const timespec at_once{0, 0};
    while (sigtimedwait(&waited, nullptr, &at_once) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    end.pid = child;
    if (!end.started) {
        end.exit_code = end.error == ENOENT ? 127 : 126;
    } else if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
    } else {
        end.exit_code = WEXITSTATUS(status);
    }
    return end;
}

void EndLike(const ChildEnd& end) {
    if (end.signal != 0) {
        rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(end.signal, SIG_DFL);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, end.signal);
        sigprocmask(SIG_UNBLOCK, &only, nullptr);
        raise(end.signal);
        std::exit(128 + end.signal);
    }
    std::exit(end.exit_code);
}

}  // namespace comshu::launch
