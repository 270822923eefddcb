#include "instrument/line_markers.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace comshu::fortran {
namespace {

void SkipBlanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// The literal that `text` begins with.
std::optional<std::string> Unquoted(std::string_view text) {
    if (!text.starts_with('"')) {
        return std::nullopt;
    }
    std::string out;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '"') {
            return out;
        }
        at += text[at] == '\\' && at + 1 < text.size() ? 1 : 0;
        out += text[at];
    }
    return std::nullopt;
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
    if (std::optional<std::string> file = Unquoted(line)) {
        next->file = std::move(*file);
    }
    return true;
}

std::string LineMarkers::Quoted(std::string_view file) {
    std::string out = "\"";
    for (char c : file) {
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

std::string LineMarkers::WithPlainNames(std::string text,
                                        std::map<std::string, std::string>* names) {
    if (text.find('\\') == std::string::npos) {
        return text;
    }
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        MarkedLine marked;
        if (text[at] == '#' && Read(std::string_view(text).substr(at, end - at), &marked)) {
            std::string quoted = Quoted(marked.file);
            std::size_t begin = text.find(quoted, at);
            if (begin < end && quoted.size() > marked.file.size() + 2) {
                std::replace(text.begin() + begin, text.begin() + begin + quoted.size(), '\\', '_');
                std::replace(text.begin() + begin + 1, text.begin() + begin + quoted.size() - 1,
                             '"', '_');
                names->emplace(text.substr(begin + 1, quoted.size() - 2), marked.file);
            }
        }
        at = end + 1;
    }
    return text;
}

}  // namespace comshu::fortran
