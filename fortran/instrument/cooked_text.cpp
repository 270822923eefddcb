#include "instrument/cooked_text.h"

#include <algorithm>
#include <cctype>

namespace comshu::fortran {
namespace {

bool IsNameStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

// Past a literal that begins at `at`.
std::size_t SkipLiteral(std::string_view text, std::size_t at) {
    char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] == quote) {
            return at + 1;
        }
    }
    return text.size();
}

// Past a number with its exponent and kind. The point of `1.and.x` is not its own.
std::size_t SkipNumber(std::string_view text, std::size_t at) {
    while (at < text.size() && IsNamePart(text[at])) {
        ++at;
    }
    if (at == text.size() || text[at] != '.') {
        return at;
    }
    std::size_t word = at + 1;
    while (word < text.size() && std::isalpha(static_cast<unsigned char>(text[word]))) {
        ++word;
    }
    if (word > at + 1 && word < text.size() && text[word] == '.') {
        return at;
    }
    for (++at; at < text.size() && IsNamePart(text[at]); ++at) {
    }
    return at;
}

bool IsQuote(char c) {
    return c == '\'' || c == '"';
}

}  // namespace

bool IsNamePart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string Collapse(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (IsQuote(text[at])) {
            std::size_t end = SkipLiteral(text, at);
            out.append(text.substr(at, end - at));
            at = end;
            continue;
        }
        if (!std::isspace(static_cast<unsigned char>(text[at]))) {
            out.push_back(text[at]);
        }
        ++at;
    }
    return out;
}

ClauseText SplitClause(std::string_view text) {
    ClauseText clause;
    clause.text = text;
    std::string whole = Collapse(text);
    std::size_t open = whole.find('(');
    clause.name = whole.substr(0, open);
    std::transform(clause.name.begin(), clause.name.end(), clause.name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (open != std::string::npos) {
        std::size_t close = MatchingParenthesis(whole, open);
        clause.has_argument = true;
        clause.argument = whole.substr(
            open + 1, close == std::string::npos ? std::string::npos : close - open - 1);
    }
    return clause;
}

std::vector<std::string> SplitList(std::string_view text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        char c = text[at];
        if (IsQuote(c)) {
            at = SkipLiteral(text, at);
            continue;
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0) {
            parts.emplace_back(text.substr(begin, at - begin));
            begin = at + 1;
        }
        ++at;
    }
    if (begin < text.size()) {
        parts.emplace_back(text.substr(begin));
    }
    return parts;
}

std::size_t MatchingParenthesis(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size();) {
        if (IsQuote(text[at])) {
            at = SkipLiteral(text, at);
            continue;
        }
        if (text[at] == '(') {
            ++depth;
        } else if (text[at] == ')' && --depth == 0) {
            return at;
        }
        ++at;
    }
    return std::string_view::npos;
}

std::vector<std::string> NamesIn(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
        char c = text[at];
        if (IsQuote(c)) {
            at = SkipLiteral(text, at);
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            at = SkipNumber(text, at);
        } else if (c == '.') {
            // .and. and its like, or the point of a literal.
            std::size_t end = at + 1;
            while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) {
                ++end;
            }
            at = end < text.size() && text[end] == '.' && end > at + 1 ? end + 1 : at + 1;
        } else if (c == '%') {
            for (++at; at < text.size() && IsNamePart(text[at]); ++at) {
            }
        } else if (IsNameStart(c)) {
            std::size_t end = at;
            while (end < text.size() && IsNamePart(text[end])) {
                ++end;
            }
            std::string name(text.substr(at, end - at));
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
            at = end;
        } else {
            ++at;
        }
    }
    return names;
}

bool IsIntegerLiteral(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace comshu::fortran
