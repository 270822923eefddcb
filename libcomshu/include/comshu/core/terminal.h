// Whether an output is a terminal that somebody sits at.
#ifndef COMSHU_CORE_TERMINAL_H_
#define COMSHU_CORE_TERMINAL_H_

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace comshu::core {

// Launchers give each rank a terminal to write to, so that it does not hold lines back, and pass on what
// comes out of it to wherever their own output goes. Such a terminal controls nobody.
inline bool IsTerminalOfLauncher(int fd) {
    if (tcgetpgrp(fd) >= 0) return false;
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
        if (std::getenv(name) != nullptr) return true;
    return false;
}

// Lines there can be coloured and taken back.
inline bool IsTerminal(int fd) {
    const char* term = std::getenv("TERM");
    return isatty(fd) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0 &&
           !IsTerminalOfLauncher(fd);
}

inline bool IsColorWanted() {
    const char* no_color = std::getenv("NO_COLOR");
    return no_color == nullptr || *no_color == '\0';
}

}  // namespace comshu::core

#endif  // COMSHU_CORE_TERMINAL_H_
