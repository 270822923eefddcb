#include "layer/note.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

extern "C" __attribute__((weak)) void comshu_engine_note(const char* kind, const char* text);

namespace qmpi {

void Note(const char* text) {
    static std::atomic<bool> done{false};
    if (done.exchange(true)) {
        return;
    }
    if (comshu_engine_note != nullptr) {
        comshu_engine_note("mpi", text);
        return;
    }
    char line[600];
    const int length = snprintf(line, sizeof(line), "qmpi: %s\n", text);
    const auto bytes = static_cast<size_t>(length) < sizeof(line) ? length : sizeof(line) - 1;
    const ssize_t ignored = write(STDERR_FILENO, line, bytes);
    static_cast<void>(ignored);
}

}  // namespace qmpi
