// A program that records with the engine preloaded or linked as providers see it, and ends in one of
// the ways in which programs end. `recorder_program MODE [ARGUMENT]`
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comshu/rec/engine.h"
#include "comshu/rec/thread_state.h"
#include "kill_counters.h"

using namespace comshu;

namespace {

[[gnu::noinline]] bool Call(uint64_t number) {
    auto* call = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
    if (call == nullptr) return false;
    call->mutate_name(number);
    rec::Begin(call);
    rec::Stop(call);
    return rec::End(call);
}

void Calls(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i <= to; ++i) Call(i);
}

// AddressSanitizer does not free its allocator's locks in a child: while the drain thread starts it
// holds them now and then, and once it has its name it allocates nothing before its first period ends.
void AwaitDrainThread() {
#if defined(__SANITIZE_ADDRESS__)
    for (int i = 0; i < 1000; ++i) {
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            std::string name;
            std::getline(std::ifstream(task.path() / "comm"), name);
            if (name == "comshu-drain") return;
        }
        usleep(1000);
    }
#endif
}

int Fork() {
    Calls(1, 3);
    AwaitDrainThread();
    const pid_t child = fork();
    if (child == 0) {
        Calls(11, 12);
        std::exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Calls(4, 6);
    return WEXITSTATUS(status);
}

int ForkInsideACall(unsigned long depth) {
    const auto frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    for (unsigned long i = 0; i < depth; ++i) {
        auto* outer =
            rec::Open<schema::UserRegion>(reinterpret_cast<void*>(frame + 16 * (depth - i)));
        outer->mutate_name(2);
        rec::Begin(outer);
    }
    auto* call = rec::Open<schema::UserRegion>(reinterpret_cast<void*>(frame));
    call->mutate_name(1);
    rec::Begin(call);
    AwaitDrainThread();
    const pid_t child = fork();
    rec::Stop(call);
    const bool recorded = rec::End(call);
    if (child == 0) {
        Calls(11, 12);
        std::exit(recorded ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return recorded ? WEXITSTATUS(status) : 2;
}

// The other threads of the parent record while it forks again and again.
int ForkAmongThreads() {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (uint64_t i = 1; !stop; ++i) {
                Call(i);
                if (i % 100 == 0) usleep(100);
            }
        });
    }
    int failed = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            Calls(1, 10);
            std::exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failed += status == 0 ? 0 : 1;
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    return failed;
}

// A thread forks while another one is in its first call. The engine finds the two functions below in
// the program, so each goes on when the other has come to where it must be.
enum class FirstCall { kNone, kAwaited, kBegun, kForking };
std::atomic<FirstCall> first_call{FirstCall::kNone};
pthread_t forking_thread;

int ForkInFirstCall() {
    forking_thread = pthread_self();
    first_call = FirstCall::kAwaited;
    std::thread other([] { Calls(1, 3); });
    while (first_call != FirstCall::kBegun) sched_yield();
    const pid_t child = fork();
    if (child == 0) {
        Calls(11, 12);
        std::exit(0);
    }
    first_call = FirstCall::kForking;
    other.join();
    int status = 0;
    // With a lock that nobody gives back it would stand for ever, with all signals blocked.
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; ++i) {
        if (i == 30'000) kill(child, SIGKILL);
        usleep(1000);
    }
    return status == 0 ? 0 : 1;
}

int Vfork() {
    Calls(1, 2);
    const pid_t child = vfork();
    if (child == 0) _exit(4);
    int status = 0;
    waitpid(child, &status, 0);
    Calls(3, 4);
    return WEXITSTATUS(status);
}

// Closes everything, as programs do that become daemons, and uses the numbers for its own files.
int CloseAll(const char* folder) {
    Calls(1, 5);
    for (int fd = 3; fd < 1000; ++fd) close(fd);
    std::vector<std::string> paths;
    for (int i = 0; i < 40; ++i) {
        paths.push_back(std::string(folder) + "/own" + std::to_string(i));
        if (open(paths.back().c_str(), O_RDWR | O_CREAT, 0644) < 0) return 1;
    }
    Calls(6, 10);
    comshu_engine_flush();
    std::thread([] { Calls(11, 12); }).join();
    std::atexit([] {});
    return 0;
}

int FileSizeLimit(const char* bytes) {
    Call(1);
    const rlimit limit{std::strtoul(bytes, nullptr, 10), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (uint64_t i = 2; i <= 100'000; ++i) Call(i * 0x9e3779b97f4a7c15);
    std::thread([] { Calls(1, 5); }).join();
    return 0;
}

int Dlclose(const char* library) {
    Call(1);
    void* handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr) return 1;
    Call(2);
    return dlclose(handle);
}

// Bound to one CPU, records a little, then prints where the drain may run and its priority.
int WhereTheDrainRuns(const char* cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(std::atoi(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) return 1;
    for (int i = 0; i < 1000; ++i) {
        Calls(1, 1000);  // The drain has something to do, soon.
        usleep(1000);
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            std::string name;
            std::getline(std::ifstream(task.path() / "comm"), name);
            const int tid = std::atoi(task.path().filename().c_str());
            if (name != "comshu-drain" || getpriority(PRIO_PROCESS, static_cast<id_t>(tid)) != 19)
                continue;
            usleep(50'000);  // Its place is chosen right after its priority.
            CPU_ZERO(&set);
            sched_getaffinity(tid, sizeof set, &set);
            std::FILE* out = std::fopen(std::getenv("WHERE"), "w");
            for (int i = 0; i < CPU_SETSIZE; ++i) {
                if (CPU_ISSET(i, &set)) std::fprintf(out, "%d ", i);
            }
            std::fclose(out);
            return 0;
        }
    }
    return 2;
}

// Records on several threads until it is killed; says in a shared mapping what is published.
int UntilKilled(const char* path) {
    const int fd = open(path, O_RDWR);
    auto* counters = static_cast<rec::KillCounters*>(
        mmap(nullptr, sizeof(rec::KillCounters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    std::vector<std::thread> threads;
    for (auto& counter : counters->of_thread) {
        threads.emplace_back([&] {
            auto* outer = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
            outer->mutate_name(rec::kOuterCall);
            outer->mutate_caller(static_cast<uint64_t>(&counter - counters->of_thread) + 1);
            rec::Begin(outer);
            counter.outer.store(1);
            for (uint64_t i = 1;; ++i) {
                if (!Call(i)) counter.lost.fetch_add(1);
                counter.issued.store(i);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return 0;
}

}  // namespace

extern "C" {

// The engine calls it while it starts, under its lock.
int on_exit(void (*function)(int, void*), void* argument) noexcept {
    static const auto next =
        reinterpret_cast<int (*)(void (*)(int, void*), void*)>(dlsym(RTLD_NEXT, "on_exit"));
    if (first_call == FirstCall::kAwaited) {
        first_call = FirstCall::kBegun;
        while (first_call == FirstCall::kBegun) sched_yield();
    }
    return next(function, argument);
}

// The engine calls it first of all when it hears of a fork.
int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    static const auto next = reinterpret_cast<int (*)(int, const sigset_t*, sigset_t*)>(
        dlsym(RTLD_NEXT, "pthread_sigmask"));
    if (first_call == FirstCall::kBegun && pthread_equal(pthread_self(), forking_thread) != 0)
        first_call = FirstCall::kForking;
    return next(how, set, before);
}
}

int main(int count, char** arguments) {
    const std::string mode = count > 1 ? arguments[1] : "";
    const char* argument = count > 2 ? arguments[2] : "";
    if (mode == "idle") return 0;
    if (mode == "fork") return Fork();
    if (mode == "fork-inside") return ForkInsideACall(std::strtoul(argument, nullptr, 10));
    if (mode == "fork-threads") return ForkAmongThreads();
    if (mode == "fork-in-first-call") return ForkInFirstCall();
    if (mode == "vfork") return Vfork();
    if (mode == "close-all") return CloseAll(argument);
    if (mode == "file-size") return FileSizeLimit(argument);
    if (mode == "dlclose") return Dlclose(argument);
    if (mode == "until-killed") return UntilKilled(argument);
    if (mode == "where") return WhereTheDrainRuns(argument);
    if (mode == "calls") {
        Calls(1, std::strtoul(argument, nullptr, 10));
        return 0;
    }
    Calls(1, 10);
    if (mode == "return") return 7;
    if (mode == "finished") {
        comshu_engine_finished();
        return 0;
    }
    if (mode == "exit") std::exit(8 - 256);  // 8, as parents see it.
    if (mode == "_exit") _exit(9);
    if (mode == "_Exit") std::_Exit(10);
    if (mode == "quick_exit") std::quick_exit(11);
    if (mode == "exec") {
        execl("/proc/self/exe", "recorder_program", "return", nullptr);
        return 1;
    }
    if (mode == "exec-fails") {
        execl("/nowhere", "nowhere", nullptr);
        Calls(11, 12);
        return 0;
    }
    if (mode == "main-thread-ends") {
        std::thread([] {
            usleep(20'000);
            Calls(1, 3);
            std::exit(12);
        }).detach();
        pthread_exit(nullptr);
    }
    if (mode == "abort") {
        signal(SIGABRT, SIG_DFL);
        auto* call = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
        call->mutate_name(99);
        rec::Begin(call);
        std::abort();
    }
    return 3;
}
