// What the engine puts in front of the C library: the ways in which a process image ends without
// exit handlers, and dlclose. Each does the engine's part, then what the program asked for.
#include <cstdarg>

#include <dlfcn.h>

#include "process.h"
#include "system.h"

using namespace comshu::rec;

extern "C" char** environ;

namespace {

using ExecFunction = int (*)(const char*, char* const[]);
using ExecWithEnvironment = int (*)(const char*, char* const[], char* const[]);

struct Next {
    void (*quick_exit)(int);
    int (*dlclose)(void*);
    ExecFunction execvp;
    ExecWithEnvironment execvpe;
    int (*fexecve)(int, char* const[], char* const[]);
};
Next next;

template <typename Function>
void Find(const char* name, Function* out) {
    *out = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// While the object is loaded: later, in a child of vfork(), would be in memory that is the parent's.
__attribute__((constructor)) void FindNext() {
    Find("quick_exit", &next.quick_exit);
    Find("dlclose", &next.dlclose);
    Find("execvp", &next.execvp);
    Find("execvpe", &next.execvpe);
    Find("fexecve", &next.fexecve);
}

// After all exit handlers and the destructors of the program itself.
__attribute__((destructor)) void AtExit() {
    EndProcess(false, 0);
}

int Execute(const char* path, char* const arguments[], char* const environment[]) {
    BeforeExec();
    return static_cast<int>(syscall(SYS_execve, path, arguments, environment));
}

// Takes what follows `first` in a list of arguments, up to its null; counts only, if `out` is null.
size_t TakeArguments(const char* first, va_list* list, char** out) {
    size_t count = 1;
    if (out != nullptr) out[0] = const_cast<char*>(first);
    while (true) {
        char* argument = va_arg(*list, char*);
        if (out != nullptr) out[count] = argument;
        ++count;
        if (argument == nullptr) return count;
    }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

[[noreturn]] void _exit(int code) {
    EndProcess(true, code);
    while (true) syscall(SYS_exit_group, code);
}

[[noreturn]] void _Exit(int code) {
    EndProcess(true, code);
    while (true) syscall(SYS_exit_group, code);
}

[[noreturn]] void quick_exit(int code) {
    EndProcess(true, code);
    if (next.quick_exit != nullptr) next.quick_exit(code);
    while (true) syscall(SYS_exit_group, code);
}

int dlclose(void* handle) {
    // Addresses in what is about to go must be known before.
    RefreshModules();
    return next.dlclose == nullptr ? -1 : next.dlclose(handle);
}

int execve(const char* path, char* const arguments[], char* const environment[]) {
    return Execute(path, arguments, environment);
}

int execv(const char* path, char* const arguments[]) {
    return Execute(path, arguments, environ);
}

int execvp(const char* file, char* const arguments[]) {
    BeforeExec();
    return next.execvp(file, arguments);
}

int execvpe(const char* file, char* const arguments[], char* const environment[]) {
    BeforeExec();
    return next.execvpe(file, arguments, environment);
}

int fexecve(int fd, char* const arguments[], char* const environment[]) {
    BeforeExec();
    return next.fexecve(fd, arguments, environment);
}

int execl(const char* path, const char* first, ...) {
    va_list list;
    va_start(list, first);
    va_list count;
    va_copy(count, list);
    char* arguments[TakeArguments(first, &count, nullptr)];
    va_end(count);
    TakeArguments(first, &list, arguments);
    va_end(list);
    return Execute(path, arguments, environ);
}

int execle(const char* path, const char* first, ...) {
    va_list list;
    va_start(list, first);
    va_list count;
    va_copy(count, list);
    char* arguments[TakeArguments(first, &count, nullptr)];
    va_end(count);
    TakeArguments(first, &list, arguments);
    char** environment = va_arg(list, char**);
    va_end(list);
    return Execute(path, arguments, environment);
}

int execlp(const char* file, const char* first, ...) {
    va_list list;
    va_start(list, first);
    va_list count;
    va_copy(count, list);
    char* arguments[TakeArguments(first, &count, nullptr)];
    va_end(count);
    TakeArguments(first, &list, arguments);
    va_end(list);
    return execvp(file, arguments);
}
}
#pragma GCC visibility pop
