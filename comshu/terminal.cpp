#include "terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

#include "comshu/core/terminal.h"

namespace comshu {
namespace {

constexpr size_t kNarrowest = 40;

}  // namespace

Terminal Terminal::Of(std::FILE* out) {
    Terminal terminal;
    const int fd = fileno(out);
    const char* columns = std::getenv("COLUMNS");
    terminal.is_terminal = core::IsTerminal(fd);
    terminal.color = terminal.is_terminal && core::IsColorWanted();
    winsize size{};
    if (columns != nullptr && std::atoi(columns) > 0) {
        terminal.width = static_cast<size_t>(std::atoi(columns));
    } else if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.width = size.ws_col;
    }
    terminal.width = std::max(terminal.width, kNarrowest);
    return terminal;
}

size_t Columns(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string Wrapped(std::string_view text, size_t width, size_t indent) {
    std::string out;
    size_t used = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        const size_t columns = Columns(word);
        if (used > 0 && used + 1 + columns > width) {
            out += '\n' + std::string(indent, ' ');
            used = 0;
        } else if (used > 0) {
            out += ' ';
            ++used;
        }
        out += word;
        used += columns;
    }
    return out;
}

}  // namespace comshu
