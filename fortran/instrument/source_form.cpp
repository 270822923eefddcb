#include "instrument/source_form.h"

#include <algorithm>

namespace comshu::fortran {
namespace {

constexpr std::size_t kFreeWidth = 100;

// Where to cut `text` so that at most `room` characters come first: after a comma or before a blank
// outside of literals; else at `room`.
std::size_t Cut(std::string_view text, std::size_t room, bool* inside_literal) {
    std::size_t best = 0;
    std::size_t outside = 0;
    char quote = 0;
    for (std::size_t at = 0; at < room; ++at) {
        char c = text[at];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            outside = at;
            quote = c;
        } else if (c == ',') {
            best = at + 1;
        } else if (c == ' ' && at > 0) {
            best = at;
        } else if (c == '(' || c == ')') {
            outside = at;
        }
    }
    if (best > room / 3) {
        return best;
    }
    *inside_literal = quote != 0 && outside == 0;
    return quote != 0 && outside > 0 ? outside : room;
}

}  // namespace

std::vector<std::string> SourceForm::Fold(std::string_view text, const std::string& first,
                                          const std::string& next, std::size_t width,
                                          std::string_view mark) const {
    std::vector<std::string> lines;
    std::string line = first;
    while (line.size() + text.size() > width) {
        std::size_t limit = width - mark.size();
        std::size_t room = limit > line.size() + 8 ? limit - line.size() : 8;
        bool inside_literal = false;
        std::size_t cut = Cut(text, std::min(room, text.size()), &inside_literal);
        if (fixed_ && inside_literal) {
            // What follows a literal's part on its card, up to the last column, belongs to it.
            cut = std::min<std::size_t>(text.size(), columns_ - line.size());
        }
        lines.push_back(line + std::string(text.substr(0, cut)) + std::string(mark));
        text.remove_prefix(cut);
        line = next;
        if (text.empty()) {
            return lines;
        }
    }
    lines.push_back(line + std::string(text));
    return lines;
}

std::vector<std::string> SourceForm::Statement(std::string_view text, std::string_view indent,
                                               std::string_view label) const {
    if (fixed_) {
        std::string first(label);
        first.resize(6, ' ');
        return Fold(text, first, "     &", std::min(columns_, 72), "");
    }
    std::string first(indent.substr(0, std::min<std::size_t>(indent.size(), 40)));
    if (!label.empty()) {
        first += std::string(label) + " ";
    }
    return Fold(text, first, std::string(indent.substr(0, 40)) + "  &", kFreeWidth, "&");
}

std::vector<std::string> SourceForm::Directive(std::string_view text,
                                               std::string_view indent) const {
    if (fixed_) {
        return Fold(text, "!$omp ", "!$omp&", std::min(columns_, 72), "");
    }
    std::string margin(indent.substr(0, std::min<std::size_t>(indent.size(), 40)));
    return Fold(text, margin + "!$omp ", margin + "!$omp &", kFreeWidth, "&");
}

}  // namespace comshu::fortran
