// What the engine puts in front of the C library: the ways a process ends without exit handlers,
// and dlclose. Each does the engine's part, then what the program asked for.
#include <dlfcn.h>

#include "process.h"
#include "system.h"

using namespace comshu::rec;

namespace {

// After all exit handlers and the destructors of the program itself.
__attribute__((destructor)) void AtExit() {
    EndProcess(false, 0);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"), noreturn)) void _exit(int code) {
    EndProcess(true, code);
    while (true) syscall(SYS_exit_group, code);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int code) {
    EndProcess(true, code);
    while (true) syscall(SYS_exit_group, code);
}

__attribute__((visibility("default"), noreturn)) void quick_exit(int code) {
    EndProcess(true, code);
    using Function = void (*)(int);
    if (auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "quick_exit"))) next(code);
    while (true) syscall(SYS_exit_group, code);
}

__attribute__((visibility("default"))) int dlclose(void* handle) {
    // Addresses in what is about to go must be known before.
    RefreshModules();
    using Function = int (*)(void*);
    static Function next = nullptr;
    Function call = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (call == nullptr) {
        call = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "dlclose"));
        __atomic_store_n(&next, call, __ATOMIC_RELAXED);
    }
    return call == nullptr ? -1 : call(handle);
}
}
