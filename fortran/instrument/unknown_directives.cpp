#include "instrument/unknown_directives.h"

#include <algorithm>
#include <cctype>
#include <cstring>
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

bool GoesOn(std::string_view line) {
    std::size_t comment = line.find('!', line.find_first_not_of(" \t") + 1);
    line = line.substr(0, comment);
    std::size_t last = line.find_last_not_of(" \t\r");
    return last != std::string_view::npos && line[last] == '&';
}

// A directive with its lines: where their sentinels are, and the letters that it begins with, up to what is
// neither a letter nor blank.
struct Directive {
    std::vector<std::size_t> sentinels;
    std::string head;  // lower case, without blanks
    std::vector<std::size_t> letters;
    bool head_ends = false;

    void AddToHead(std::string_view text, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end && !head_ends && text[at] != '!'; ++at) {
            auto c = static_cast<unsigned char>(text[at]);
            if (std::isalpha(c)) {
                head += static_cast<char>(std::tolower(c));
                letters.push_back(at);
            } else {
                head_ends = !std::isspace(c) && c != '&';
            }
        }
    }
};

std::vector<Directive> DirectivesOf(std::string_view text, bool fixed_form) {
    std::vector<Directive> all;
    bool goes_on = false;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        std::size_t sentinel = SentinelOf(line, fixed_form);
        if (sentinel != std::string_view::npos) {
            std::size_t rest = sentinel + kSentinel;
            if (fixed_form) {  // the column that says so
                goes_on = !all.empty() && rest < line.size() &&
                          std::string_view(" 0\t\r").find(line[rest]) == std::string_view::npos;
                rest = std::min(rest + 1, line.size());
            }
            if (!goes_on) {
                all.emplace_back();
            }
            all.back().sentinels.push_back(at + sentinel);
            all.back().AddToHead(text, at + rest, end);
            goes_on = GoesOn(line);
        }
        at = end + 1;
    }
    return all;
}

bool IsLeftOut(const std::string& head) {
    for (const char* name : {"declarereduction", "declarevariant", "error", "nothing"}) {
        if (head.starts_with(name)) {
            return true;
        }
    }
    return false;
}

struct Replacement {
    const char* head;
    const char* own;    // the word in it that Flang does not know
    const char* shown;  // and what it is given in its place, as long or shorter
};
constexpr Replacement kReplacements[] = {
    {"parallelmaster", "master", "masked"},
    {"mastertaskloop", "master", "masked"},
    {"scope", "scope", "teams"},
    {"scaninclusive", "scaninclusive", "flush"},
    {"scanexclusive", "scanexclusive", "flush"},
};

// False: the word is continued where the other has a letter.
bool Replace(const std::size_t* letters, std::string_view own, std::string_view shown,
             std::string* text) {
    if (own.size() == shown.size()) {
        for (std::size_t i = 0; i < own.size(); ++i) {
            (*text)[letters[i]] = shown[i];
        }
        return true;
    }
    if (text->find_first_of("&\r\n", letters[0]) < letters[0] + shown.size()) {
        return false;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        (*text)[letters[i]] = ' ';
    }
    text->replace(letters[0], shown.size(), shown);
    return true;
}

}  // namespace

std::string WithKnownDirectives(const std::string& text, bool fixed_form,
                                std::vector<RenamedDirective>* renamed) {
    std::string out = text;
    for (const Directive& directive : DirectivesOf(text, fixed_form)) {
        if (IsLeftOut(directive.head)) {
            for (std::size_t sentinel : directive.sentinels) {
                out[sentinel + 1] = ' ';
            }
            continue;
        }
        std::size_t end = directive.head.starts_with("end") ? 3 : 0;
        for (const Replacement& replacement : kReplacements) {
            if (directive.head.compare(end, std::strlen(replacement.head), replacement.head) != 0) {
                continue;
            }
            std::string own = replacement.own;
            std::size_t first = directive.head.find(own, end);
            if (Replace(&directive.letters[first], own, replacement.shown, &out)) {
                renamed->push_back({directive.letters[first], replacement.shown, own});
            }
        }
    }
    return out;
}

void NameDirectives(const std::vector<RenamedDirective>& renamed, SourceModel* model) {
    for (Item& item : model->items) {
        if (!IsOpenmp(item.kind) || !item.span.valid) {
            continue;
        }
        auto name = std::lower_bound(
            renamed.begin(), renamed.end(), item.span.begin,
            [](const RenamedDirective& r, std::size_t offset) { return r.offset < offset; });
        if (name == renamed.end() || name->offset >= item.span.end) {
            continue;
        }
        std::size_t word = item.name.find(name->shown);
        if (word != std::string::npos) {
            item.name.replace(word, name->shown.size(), name->own);
        }
    }
}

}  // namespace comshu::fortran
