#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "comshu/core/terminal.h"
#include "comshu/read/report.h"

namespace comshu::read {
namespace {

constexpr size_t kNarrowest = 60;
constexpr size_t kWidest = 160;

// The first of these that is set decides, as the C library has it.
bool LocaleIsUtf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        return strcasestr(value, "utf-8") != nullptr || strcasestr(value, "utf8") != nullptr;
    }
    return false;
}

size_t TerminalWidth(int fd) {
    const char* columns = std::getenv("COLUMNS");
    if (columns != nullptr && std::atoi(columns) > 0) {
        return static_cast<size_t>(std::atoi(columns));
    }
    winsize size{};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ReportStyle ReportStyle::Of(std::FILE* out) {
    ReportStyle style;
    const int fd = fileno(out);
    style.color = core::IsTerminal(fd) && core::IsColorWanted();
    style.width = std::clamp(TerminalWidth(fd), kNarrowest, kWidest);
    style.utf8 = LocaleIsUtf8();
    return style;
}

}  // namespace comshu::read
