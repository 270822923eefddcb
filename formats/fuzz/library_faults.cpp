#include "fuzz/library_faults.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

// What the instrumentation leaves: a counter per edge, and its address with flags.
extern "C" {
extern uint8_t __start___sancov_cntrs[];
extern uint8_t __stop___sancov_cntrs[];
struct SancovPlace {
    uintptr_t address;
    uintptr_t flags;
};
extern const SancovPlace __start___sancov_pcs[];
extern const SancovPlace __stop___sancov_pcs[];
}

namespace comshu::format {
namespace {

constexpr size_t kCounters = size_t{256} << 10;

__attribute__((section("__libfuzzer_extra_counters"), aligned(4096))) uint8_t counters[kCounters];

const char* library_name = "";

bool IsOurs(const void* address) {
    static const auto range = std::minmax_element(
        __start___sancov_pcs, __stop___sancov_pcs,
        [](const SancovPlace& a, const SancovPlace& b) { return a.address < b.address; });
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= range.first->address && at <= range.second->address;
}

bool IsOfLibrary(const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && std::strstr(info.dli_fname, library_name) != nullptr;
}

[[noreturn]] void End() {
    void* stack[256];
    const int depth = backtrace(stack, static_cast<int>(std::size(stack)));
    // The first ones are of this file.
    constexpr int kHere = 2;
    for (int i = kHere; i < depth; ++i) {
        if (IsOfLibrary(stack[i])) {
            HandOverCoverage();
            _exit(kLibraryFault);
        }
        if (IsOurs(stack[i])) break;
    }
    _exit(kOwnFault);
}

void OnDeath() {
    End();
}

void OnSignal(int) {
    End();
}

}  // namespace

void ShareCoverage() {
    if (static_cast<size_t>(__stop___sancov_cntrs - __start___sancov_cntrs) > kCounters)
        std::abort();
    if (mmap(counters, kCounters, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        std::abort();
    void* first[1];
    backtrace(first, 1);  // Loads what it needs.
}

void HandOverCoverage() {
    std::copy(__start___sancov_cntrs, __stop___sancov_cntrs, counters);
}

void EndInFault(const char* library, unsigned seconds, bool quiet) {
    library_name = library;
    __sanitizer_set_death_callback(OnDeath);
    if (quiet) {
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDERR_FILENO);
    }
    struct sigaction action {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTRAP})
        sigaction(number, &action, nullptr);
    alarm(seconds);
}

}  // namespace comshu::format
