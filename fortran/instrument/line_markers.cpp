#include "instrument/line_markers.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace comshu::fortran {
namespace {

void SkipBlanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

LineMarkers::LineMarkers(std::string_view text) {
    MarkedLine last;
    int number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        if (text[at] == '#' && Read(text.substr(at, end - at), &last)) {
            behind_[number + 1] = last;
        }
        at = end + 1;
    }
}

MarkedLine LineMarkers::At(int line) const {
    auto after = behind_.upper_bound(line);
    if (after == behind_.begin()) {
        return {"", line};
    }
    const auto& [first, marked] = *std::prev(after);
    return {marked.file, marked.line + line - first};
}

bool LineMarkers::Read(std::string_view line, MarkedLine* next) {
    if (line.empty() || line[0] != '#') {
        return false;
    }
    line.remove_prefix(1);
    SkipBlanks(line);
    if (line.starts_with("line")) {
        line.remove_prefix(4);
        SkipBlanks(line);
    }
    int number = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || number < 0) {
        return false;
    }
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    SkipBlanks(line);
    next->line = number;
    std::size_t quote = line.find('"', 1);
    if (line.starts_with('"') && quote != std::string_view::npos) {
        next->file = line.substr(1, quote - 1);
    }
    return true;
}

}  // namespace comshu::fortran
