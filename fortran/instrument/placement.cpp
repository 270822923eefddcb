#include "instrument/placement.h"

#include <algorithm>
#include <cctype>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

bool IsBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// Comments in a stretch of continued text, each as a line of its own.
std::vector<std::string> CommentsIn(std::string_view text, bool fixed) {
    std::vector<std::string> comments;
    std::size_t begin = 0;
    bool first = true;
    while (begin <= text.size()) {
        std::size_t end = text.find('\n', begin);
        std::string_view line =
            text.substr(begin, end == std::string_view::npos ? end : end - begin);
        begin = end == std::string_view::npos ? text.size() + 1 : end + 1;
        std::size_t start = line.find_first_not_of(" \t");
        bool card = !first && fixed && !line.empty() &&
                    (line[0] == 'c' || line[0] == 'C' || line[0] == '*');
        first = false;
        std::string lower(line.substr(0, std::min<std::size_t>(line.size(), start + 5)));
        for (char& c : lower) {
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        bool sentinel = start != std::string_view::npos && lower.find("$omp") == start + 1;
        char quote = 0;
        std::size_t mark = std::string_view::npos;
        for (std::size_t at = sentinel ? start + 5 : 0; at < line.size(); ++at) {
            if (quote) {
                quote = line[at] == quote ? 0 : quote;
            } else if (line[at] == '\'' || line[at] == '"') {
                quote = line[at];
            } else if (line[at] == '!') {
                mark = at;
                break;
            }
        }
        if (card && !sentinel) {
            mark = 0;
        }
        if (mark != std::string_view::npos) {
            std::string comment(line.substr(mark));
            while (!comment.empty() && IsBlank(comment.back())) {
                comment.pop_back();
            }
            comments.push_back(std::move(comment));
        }
    }
    return comments;
}

}  // namespace

bool Placement::IsDirective(int item) const {
    ItemKind kind = At(item).kind;
    return kind == ItemKind::kOmpBegin || kind == ItemKind::kOmpEnd ||
           kind == ItemKind::kOmpSection || kind == ItemKind::kOmpStandalone ||
           kind == ItemKind::kOmpThreadprivate || kind == ItemKind::kOmpOther;
}

std::string Placement::Indent(int item) const {
    if (form_.fixed() || !At(item).in_main_file) {
        return "";
    }
    std::size_t start = edits_->LineStart(At(item).span.begin);
    std::size_t at = start;
    while (at < model_.text.size() && IsBlank(model_.text[at])) {
        ++at;
    }
    return model_.text.substr(start, at - start);
}

bool Placement::FirstOnLine(int item) const {
    const Span& span = At(item).span;
    std::size_t start = edits_->LineStart(span.begin);
    std::string_view prefix(model_.text.data() + start, span.begin - start);
    std::size_t first = prefix.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return true;
    }
    // `!$` in front of a statement that is there for OpenMP alone.
    return (prefix[first] == '!' || (form_.fixed() && first == 0)) && first + 1 < prefix.size() &&
           prefix[first + 1] == '$' &&
           prefix.find_first_not_of(" \t", first + 2) == std::string_view::npos;
}

bool Placement::AfterSemicolon(int item) const {
    std::size_t at = At(item).span.begin;
    while (at > 0 && IsBlank(model_.text[at - 1])) {
        --at;
    }
    return at > 0 && model_.text[at - 1] == ';';
}

bool Placement::CanInsertBefore(int item) const {
    const Item& it = At(item);
    if (!it.in_main_file || it.logical_if != kNoItem) {
        return false;
    }
    if (IsDirective(item)) {
        return true;
    }
    if (item > 0 && At(item - 1).in_main_file && At(item - 1).span.begin == it.span.begin) {
        return false;  // out of one macro
    }
    return FirstOnLine(item) || (AfterSemicolon(item) && !(form_.fixed() && !it.label.empty()));
}

void Placement::InsertBefore(int item, const Lines& lines, int rank) {
    if (lines.empty()) {
        return;
    }
    std::size_t begin = At(item).span.begin;
    if (IsDirective(item) || FirstOnLine(item)) {
        edits_->InsertLines(edits_->LineStart(begin), lines, begin, rank);
    } else {
        edits_->SplitLine(begin, begin, "", lines, TailIndent(begin), begin, rank);
    }
}

std::string Placement::TailIndent(std::size_t offset) const {
    std::size_t start = edits_->LineStart(offset);
    if (form_.fixed()) {
        // What is left of a card keeps its columns: behind the last one nothing counts.
        bool tabs = model_.text.find('\t', start) < offset;
        return std::string(tabs ? 6 : std::max<std::size_t>(6, offset - start), ' ');
    }
    std::size_t at = start;
    while (at < offset && IsBlank(model_.text[at])) {
        ++at;
    }
    return model_.text.substr(start, at - start);
}

Placement::Tail Placement::TailOf(int item, std::size_t* rest) const {
    const std::string& text = model_.text;
    std::size_t at = At(item).span.end;
    std::size_t start = edits_->LineStart(at);
    auto at_line_end = [&](std::size_t p) {
        bool past_columns = form_.fixed() && p - start >= static_cast<std::size_t>(form_.columns());
        return p >= text.size() || text[p] == '\n' || text[p] == '!' || past_columns;
    };
    auto skip = [&] {
        while (at < text.size() && IsBlank(text[at])) {
            ++at;
        }
    };
    // A macro at the end counts as its first character.
    while (At(item).in_macro && at < text.size() && IsNamePart(text[at])) {
        ++at;
    }
    skip();
    if (at_line_end(at)) {
        return Tail::kLineEnd;
    }
    if (text[at] != ';') {
        return Tail::kOther;
    }
    ++at;
    skip();
    if (at_line_end(at)) {
        return Tail::kLineEnd;
    }
    *rest = at;
    return text[at] == '&' ? Tail::kOther : Tail::kSemicolon;
}

bool Placement::CanInsertAfter(int item) const {
    std::size_t rest = 0;
    return At(item).in_main_file && TailOf(item, &rest) != Tail::kOther;
}

void Placement::InsertAfter(int item, const Lines& lines, int rank) {
    if (lines.empty()) {
        return;
    }
    std::size_t rest = 0;
    if (TailOf(item, &rest) == Tail::kSemicolon) {
        edits_->SplitLine(rest, rest, "", lines, TailIndent(rest), At(item).span.begin, rank);
    } else {
        edits_->InsertLines(edits_->NextLine(At(item).span.end), lines, At(item).span.begin, rank);
    }
}

bool Placement::LabelMoves(int item) const {
    const Item& it = At(item);
    return !it.label.empty() && it.kind != ItemKind::kFormat &&
           (structure_.items[item].terminal ||
            structure_.units[structure_.items[item].unit].branch_targets.count(it.label));
}

// The label's digits become blanks; they are at the begin of the statement's span.
bool Placement::BlankLabel(int item, bool dry) {
    const Item& it = At(item);
    std::size_t at = it.span.begin;
    std::size_t digits = 0;
    while (at < it.span.end && digits < it.label.size()) {
        if (std::isdigit(static_cast<unsigned char>(model_.text[at]))) {
            ++digits;
        } else if (!IsBlank(model_.text[at])) {
            return false;
        }
        ++at;
    }
    // Leading zeros count as digits of the text, not of the label.
    if (digits < it.label.size() || std::isdigit(static_cast<unsigned char>(model_.text[at]))) {
        return false;
    }
    if (!dry) {
        edits_->Replace(it.span.begin, at, std::string(at - it.span.begin, ' '));
    }
    return true;
}

bool Placement::CanWrap(int item) const {
    const Item& it = At(item);
    const Nesting& nesting = structure_.items[item];
    if (it.logical_if != kNoItem) {
        const Item& condition = At(it.logical_if);
        return it.in_main_file && condition.condition.valid && !condition.in_macro &&
               condition.condition.end <= it.span.begin &&
               !structure_.items[it.logical_if].terminal && CanInsertAfter(item) &&
               (FirstOnLine(it.logical_if) || AfterSemicolon(it.logical_if));
    }
    if (!CanInsertBefore(item) || !CanInsertAfter(item)) {
        return false;
    }
    if (LabelMoves(item)) {
        bool jumped_to = structure_.units[nesting.unit].branch_targets.count(it.label) > 0;
        if ((nesting.terminal && jumped_to) || !FirstOnLine(item)) {
            return false;
        }
        return const_cast<Placement*>(this)->BlankLabel(item, true);
    }
    return true;
}

void Placement::Wrap(int item, const Lines& before, const Lines& after) {
    const Item& it = At(item);
    if (it.logical_if != kNoItem) {
        WrapAction(item, before, after);
        return;
    }
    if (!LabelMoves(item)) {
        InsertBefore(item, before);
        InsertAfter(item, after);
        return;
    }
    Lines lines = before;
    Lines landing = form_.Statement("continue", Indent(item), it.label);
    bool terminal = structure_.items[item].terminal;
    if (!terminal) {
        lines.insert(lines.begin(), landing.begin(), landing.end());
    }
    InsertBefore(item, lines);
    BlankLabel(item, false);
    lines = after;
    if (terminal) {
        lines.insert(lines.end(), landing.begin(), landing.end());
    }
    InsertAfter(item, lines);
}

void Placement::WrapAction(int item, const Lines& before, const Lines& after) {
    const Span& condition = At(At(item).logical_if).condition;
    const Span& action = At(item).span;
    std::string_view gap(model_.text.data() + condition.end, action.begin - condition.end);
    Lines lines = before;
    Lines comments = CommentsIn(gap, form_.fixed());
    lines.insert(lines.begin(), comments.begin(), comments.end());
    std::string head = " then";
    if (form_.fixed()) {
        std::size_t column = condition.end - edits_->LineStart(condition.end);
        if (column + head.size() > static_cast<std::size_t>(form_.columns())) {
            head = "\n     & then";
        }
    }
    std::string indent =
        form_.fixed() ? TailIndent(action.begin) : Indent(At(item).logical_if) + "  ";
    // No farther to the right than it was: it may reach to the last column, as macros make it.
    if (!form_.fixed()) {
        indent.resize(std::min(indent.size(), action.begin - edits_->LineStart(action.begin)));
    }
    edits_->SplitLine(condition.end, action.begin, head, lines, indent, action.begin);
    lines = after;
    Lines end = form_.Statement("end if", Indent(At(item).logical_if));
    lines.insert(lines.end(), end.begin(), end.end());
    InsertAfter(item, lines);
}

// Where the IF of an ELSE IF begins; npos where the two are not written in a row.
std::size_t Placement::IfOfElseIf(int item) const {
    const Item& it = At(item);
    std::size_t at = it.span.begin;
    auto word = [&](std::string_view letters) {
        for (char letter : letters) {
            if (at >= it.span.end ||
                std::tolower(static_cast<unsigned char>(model_.text[at])) != letter) {
                return false;
            }
            ++at;
        }
        return true;
    };
    if (!word("else")) {
        return std::string::npos;
    }
    while (at < it.span.end && IsBlank(model_.text[at])) {
        ++at;
    }
    std::size_t begin = at;
    return word("if") ? begin : std::string::npos;
}

bool Placement::CanSplitElseIf(int item) const {
    const Item& it = At(item);
    int construct = structure_.items[item].parent;
    if (!it.in_main_file || it.in_macro || !it.label.empty() || construct == kNoItem ||
        At(construct).kind != ItemKind::kIfThen || !At(construct).name.empty() ||
        IfOfElseIf(item) == std::string::npos) {
        return false;
    }
    int end = structure_.items[construct].end;
    std::size_t start = edits_->LineStart(it.span.begin);
    std::string_view before(model_.text.data() + start, it.span.begin - start);
    return before.find_first_not_of(" \t") == std::string_view::npos && end != kNoItem &&
           At(end).label.empty() && CanInsertAfter(end);
}

void Placement::SplitElseIf(int item, const Lines& lines) {
    std::size_t at = IfOfElseIf(item);
    edits_->SplitLine(At(item).span.begin, at, "else", lines, TailIndent(at), at);
}

bool Placement::CanTakeWhile(int item, std::size_t* begin, std::string* condition) const {
    const Item& it = At(item);
    std::size_t open = it.text.find('(');
    if (!it.in_main_file || it.in_macro || open == std::string::npos || !CanInsertAfter(item)) {
        return false;
    }
    *condition = it.text.substr(open);
    std::string_view text(model_.text.data() + it.span.begin, it.span.end - it.span.begin);
    std::size_t at = text.find('(');
    if (at == std::string_view::npos || text.find('\n') != std::string_view::npos ||
        text.find('\'') < at || text.find('"') < at) {
        return false;
    }
    auto blanks = [&] {
        while (at > 0 && IsBlank(text[at - 1])) {
            --at;
        }
    };
    blanks();
    constexpr std::string_view kWord = "while";
    if (at < kWord.size()) {
        return false;
    }
    for (std::size_t i = 0; i < kWord.size(); ++i) {
        if (std::tolower(static_cast<unsigned char>(text[at - kWord.size() + i])) != kWord[i]) {
            return false;
        }
    }
    at -= kWord.size();
    blanks();
    if (at > 0 && text[at - 1] == ',') {
        --at;
        blanks();
    }
    *begin = it.span.begin + at;
    return at > 0;
}

void Placement::TakeWhile(int item, std::size_t begin, const Lines& lines) {
    edits_->Replace(begin, At(item).span.end, "");
    InsertAfter(item, lines);
}

bool Placement::CanReplacePart(int item, const Span& part, std::string_view name) const {
    const Item& it = At(item);
    if (!part.valid || !it.in_main_file || it.in_macro || part.begin < it.span.begin ||
        part.end > it.span.end || part.begin >= part.end) {
        return false;
    }
    std::string_view text(model_.text.data() + part.begin, part.end - part.begin);
    std::size_t before = part.begin - edits_->LineStart(part.begin);
    std::size_t behind = edits_->LineEnd(part.end) - part.end;
    if (form_.fixed()) {
        // What is behind the last column stays there; THEN may follow.
        constexpr std::size_t kRoom = 8;
        return text.find('\n') == std::string_view::npos &&
               (name.size() <= text.size() ||
                (before + name.size() + kRoom <= static_cast<std::size_t>(form_.columns()) &&
                 before + name.size() + behind <= static_cast<std::size_t>(form_.columns())));
    }
    constexpr std::size_t kMostColumns = 132;
    bool in_line = text.find('\n') == std::string_view::npos;
    return text.find("\n#") == std::string_view::npos &&
           ((in_line && name.size() <= text.size()) ||
            before + name.size() + behind <= kMostColumns);
}

void Placement::ReplacePart(const Span& part, const std::string& name) {
    std::size_t blanks = form_.fixed() && name.size() < part.end - part.begin
                             ? part.end - part.begin - name.size()
                             : 0;
    edits_->Replace(part.begin, part.end, name + std::string(blanks, ' '));
}

bool Placement::EndsLine(int item) const {
    std::size_t rest = 0;
    return At(item).in_main_file && TailOf(item, &rest) == Tail::kLineEnd;
}

bool Placement::CanReplaceDirective(int item) const {
    return !At(item).in_macro && EndsLine(item);
}

void Placement::ReplaceDirective(int item, const Lines& lines) {
    const Span& span = At(item).span;
    std::size_t start = edits_->LineStart(span.begin);
    std::size_t end = edits_->LineEnd(span.end - 1);
    Lines all = CommentsIn(std::string_view(model_.text).substr(start, end - start), form_.fixed());
    all.insert(all.end(), lines.begin(), lines.end());
    edits_->ReplaceLines(span.begin, span.end - 1, all);
}

}  // namespace comshu::fortran
