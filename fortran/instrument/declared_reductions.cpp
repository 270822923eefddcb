#include "instrument/declared_reductions.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace comshu::fortran {
namespace {

constexpr std::size_t kSentinel = 5;  // letters of `!$omp`

// Where the sentinel of a directive begins; npos: the line is none.
std::size_t SentinelOf(std::string_view line, bool fixed_form) {
    std::size_t at = fixed_form ? 0 : line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line.size() < at + kSentinel) {
        return std::string_view::npos;
    }
    std::string word(line.substr(at, kSentinel));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    bool mark = word[0] == '!' || (fixed_form && (word[0] == 'c' || word[0] == '*'));
    return mark && word.substr(1) == "$omp" ? at : std::string_view::npos;
}

bool DeclaresReduction(std::string_view rest) {
    std::string letters;
    for (char c : rest) {
        if (!std::isspace(static_cast<unsigned char>(c))) {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return letters.starts_with("declarereduction");
}

bool GoesOn(std::string_view line) {
    std::size_t comment = line.find('!', line.find_first_not_of(" \t") + 1);
    line = line.substr(0, comment);
    std::size_t last = line.find_last_not_of(" \t\r");
    return last != std::string_view::npos && line[last] == '&';
}

}  // namespace

std::string WithoutDeclaredReductions(const std::string& text, bool fixed_form) {
    std::string out = text;
    bool inside = false;  // of a directive that goes on
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line(text.data() + at, end - at);
        std::size_t sentinel = SentinelOf(line, fixed_form);
        if (sentinel != std::string_view::npos) {
            std::string_view rest = line.substr(sentinel + kSentinel);
            bool continues =
                fixed_form ? !rest.empty() && rest[0] != ' ' && rest[0] != '0' && rest[0] != '\t'
                           : true;
            bool masked = (inside && continues) || DeclaresReduction(rest);
            if (masked) {
                out[at + sentinel + 1] = ' ';
            }
            inside = masked && (fixed_form || GoesOn(line));
        }
        at = end + 1;
    }
    return out;
}

}  // namespace comshu::fortran
