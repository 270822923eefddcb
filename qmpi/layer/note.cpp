#include "layer/note.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" __attribute__((weak)) void comshu_engine_note(const char* kind, const char* text);

namespace qmpi {

namespace {

std::atomic<bool> problems{false};

void WriteLine(const char* text) {
    char line[1200];
    const int length = snprintf(line, sizeof(line), "qmpi: %s\n", text);
    const auto bytes = static_cast<size_t>(length) < sizeof(line) ? length : sizeof(line) - 1;
    const ssize_t ignored = write(STDERR_FILENO, line, bytes);
    static_cast<void>(ignored);
}

void Say(const char* format, va_list arguments) {
    char text[1100];
    vsnprintf(text, sizeof(text), format, arguments);
    if (comshu_engine_note != nullptr) {
        comshu_engine_note("mpi", text);
    } else {
        WriteLine(text);
    }
}

}  // namespace

void Note(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Say(format, arguments);
    va_end(arguments);
}

void Problem(const char* format, ...) {
    problems.store(true);
    va_list arguments;
    va_start(arguments, format);
    Say(format, arguments);
    va_end(arguments);
}

void EndIfProblems() {
    if (problems.load() && IsSwitchedOn("QMPI_STRICT")) {
        WriteLine("QMPI_STRICT=1 ends the program, since its list of tools cannot be followed");
        _exit(1);
    }
}

bool IsSwitchedOn(const char* variable) {
    const char* value = getenv(variable);
    return value != nullptr && value[0] != '\0' && strcmp(value, "0") != 0;
}

}  // namespace qmpi
