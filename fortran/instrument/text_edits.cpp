#include "instrument/text_edits.h"

#include <algorithm>

namespace comshu::fortran {

TextEdits::TextEdits(const std::string& text, std::string marker_path)
    : text_(text), marker_path_(std::move(marker_path)), starts_{0} {
    std::size_t first = text.find('\n');
    newline_ = first != std::string::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') {
            starts_.push_back(at + 1);
        }
    }
}

int TextEdits::LineNumber(std::size_t offset) const {
    return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                            starts_.begin());
}

std::size_t TextEdits::LineStart(std::size_t offset) const {
    return starts_[LineNumber(offset) - 1];
}

std::size_t TextEdits::LineEnd(std::size_t offset) const {
    std::size_t end = text_.find('\n', offset);
    if (end == std::string::npos) {
        return text_.size();
    }
    return end > 0 && text_[end - 1] == '\r' && end > offset ? end - 1 : end;
}

std::size_t TextEdits::NextLine(std::size_t offset) const {
    std::size_t end = text_.find('\n', offset);
    return end == std::string::npos ? text_.size() : end + 1;
}

void TextEdits::InsertLines(std::size_t offset, std::vector<std::string> lines, int rank) {
    if (!lines.empty()) {
        edits_.push_back({offset, offset, "", std::move(lines), "", true, false, rank});
    }
}

void TextEdits::ReplaceLines(std::size_t begin, std::size_t end, std::vector<std::string> lines) {
    edits_.push_back({LineStart(begin), NextLine(end), "", std::move(lines), "", true, false});
}

void TextEdits::SplitLine(std::size_t begin, std::size_t end, std::string head,
                          std::vector<std::string> lines, std::string tail) {
    edits_.push_back(
        {begin, end, std::move(head), std::move(lines), std::move(tail), false, false});
}

void TextEdits::Replace(std::size_t begin, std::size_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text), {}, "", false, true});
}

std::string TextEdits::MarkerAt(std::size_t offset) const {
    return marker_path_.empty()
               ? ""
               : "# " + std::to_string(LineNumber(offset)) + " \"" + marker_path_ + "\"";
}

std::string TextEdits::Marker(std::size_t offset) const {
    return marker_path_.empty() ? "" : MarkerAt(offset) + newline_;
}

std::string TextEdits::Apply() const {
    std::vector<const Edit*> order;
    for (const Edit& edit : edits_) {
        order.push_back(&edit);
    }
    std::stable_sort(order.begin(), order.end(), [](const Edit* a, const Edit* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->rank < b->rank;
    });
    std::string out = Marker(0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Edit& edit = *order[i];
        if (edit.begin > at) {
            out.append(text_, at, edit.begin - at);
            at = edit.begin;
        }
        if (edit.whole_lines && !out.empty() && out.back() != '\n') {
            out += newline_;
        }
        out += edit.head;
        if (!edit.whole_lines && !edit.in_line) {
            out += newline_;
        }
        for (const std::string& line : edit.lines) {
            out += line + newline_;
        }
        at = std::max(at, edit.end);
        bool last_here = i + 1 == order.size() || order[i + 1]->begin > at ||
                         !order[i + 1]->whole_lines || !edit.whole_lines;
        if (!edit.in_line && last_here && (at < text_.size() || !edit.whole_lines)) {
            out += Marker(at);
        }
        out += edit.tail;
    }
    out.append(text_, at, std::string::npos);
    return out;
}

}  // namespace comshu::fortran
