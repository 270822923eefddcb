#include "instrument/text_edits.h"

#include <algorithm>

namespace comshu::fortran {

TextEdits::TextEdits(const std::string& text, std::string marker_path, bool preprocessed)
    : text_(text),
      markers_(text),
      marker_path_(std::move(marker_path)),
      marker_head_(preprocessed ? "#line " : "# "),
      starts_{0} {
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

std::size_t TextEdits::BeginOfLine(int line) const {
    return line <= static_cast<int>(starts_.size()) ? starts_[line - 1] : text_.size();
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

void TextEdits::InsertLines(std::size_t offset, std::vector<std::string> lines, std::size_t owner,
                            int rank) {
    if (!lines.empty()) {
        edits_.push_back(
            {offset, offset, "", std::move(lines), "", true, false, LineNumber(owner), rank});
    }
}

void TextEdits::ReplaceLines(std::size_t begin, std::size_t end, std::vector<std::string> lines) {
    edits_.push_back({LineStart(begin), NextLine(end), "", std::move(lines), "", true, false,
                      LineNumber(begin)});
}

void TextEdits::SplitLine(std::size_t begin, std::size_t end, std::string head,
                          std::vector<std::string> lines, std::string tail, std::size_t owner,
                          int rank) {
    edits_.push_back({begin, end, std::move(head), std::move(lines), std::move(tail), false, false,
                      LineNumber(owner), rank});
}

void TextEdits::Replace(std::size_t begin, std::size_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text), {}, "", false, true, LineNumber(begin)});
}

MarkedLine TextEdits::Counts(int line) const {
    MarkedLine counts = markers_.At(line);
    if (counts.file.empty()) {
        counts.file = marker_path_;
    }
    return counts;
}

std::string TextEdits::MarkerOf(const MarkedLine& line) const {
    return marker_path_.empty()
               ? ""
               : marker_head_ + std::to_string(line.line) + " " + LineMarkers::Quoted(line.file);
}

std::string TextEdits::MarkerAt(std::size_t offset) const {
    return MarkerOf(Counts(LineNumber(offset)));
}

// The text as it grows, and the number that its reader gives to the line that it ends in.
class TextEdits::Writer {
public:
    // Room for all: what is not used is no memory, where a text that grows is there twice.
    explicit Writer(const TextEdits& edits) : edits_(edits) {
        constexpr std::size_t kDigits = 16;
        const std::size_t marker = edits.marker_path_.size() + kDigits;
        std::size_t most = edits.text_.size() + marker;
        for (const Edit& edit : edits.edits_) {
            most += edit.head.size() + edit.tail.size() + 2 * marker;
            for (const std::string& line : edit.lines) {
                most += line.size() + edits.newline_.size() + marker;
            }
        }
        out_.reserve(most);
        if (edits.markers_.IsMarker(1)) {
            now_ = edits.Counts(1);  // nothing stands before it
        }
    }

    // What comes next counts as this line of the original.
    void CountAs(int line) {
        if (!AtLineStart() || edits_.marker_path_.empty()) {
            return;
        }
        MarkedLine counts = edits_.Counts(line);
        if (counts != now_) {
            out_ += edits_.MarkerOf(counts) + edits_.newline_;
            now_ = std::move(counts);
        }
    }
    void Add(std::string_view text) {
        out_ += text;
        now_.line += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    }
    void Original(std::size_t begin, std::size_t end) {
        if (begin < end) {
            CountAs(edits_.LineNumber(begin));
            out_ += std::string_view(edits_.text_).substr(begin, end - begin);
            now_ = edits_.Counts(edits_.LineNumber(end));
        }
    }
    void EndLine() {
        if (!AtLineStart()) {
            Add(edits_.newline_);
        }
    }
    void Line(const std::string& line) {
        Add(line);
        Add(edits_.newline_);
        if (line.starts_with("#") && !LineMarkers::Read(line, &now_)) {
            now_.line = 0;
        }
    }
    bool AtLineStart() const { return out_.empty() || out_.back() == '\n'; }
    std::string Take() { return std::move(out_); }

private:
    const TextEdits& edits_;
    std::string out_;
    MarkedLine now_;
};

namespace {

bool IsContinuation(std::string_view line) {
    std::size_t first = line.find_first_not_of(' ');
    std::string_view rest = line.substr(first == std::string_view::npos ? line.size() : first);
    return rest.starts_with("&") || rest.starts_with("!$omp&") || rest.starts_with("!$omp &");
}

}  // namespace

std::string TextEdits::Apply() const {
    std::vector<const Edit*> order;
    order.reserve(edits_.size());
    for (const Edit& edit : edits_) {
        order.push_back(&edit);
    }
    std::stable_sort(order.begin(), order.end(), [](const Edit* a, const Edit* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->rank < b->rank;
    });
    Writer out(*this);
    out.CountAs(1);
    std::size_t at = 0;
    for (const Edit* edit : order) {
        out.Original(at, edit->begin);
        at = std::max(at, edit->begin);
        if (edit->whole_lines) {
            out.EndLine();
        }
        out.Add(edit->head);
        if (!edit->whole_lines && !edit->in_line) {
            out.Line("");
        }
        bool copy = false;  // of the original's lines, between two markers
        bool first = true;
        for (const std::string& line : edit->lines) {
            bool marker = line.starts_with("#");
            copy ^= marker;
            if (!marker && !copy && !IsContinuation(line) &&
                (first || edit->rank != kRankDeclarations)) {
                out.CountAs(edit->line);
            }
            first = false;
            out.Line(line);
        }
        at = std::max(at, edit->end);
        if (!edit->tail.empty()) {
            out.CountAs(LineNumber(at));
            out.Add(edit->tail);
        }
    }
    out.Original(at, text_.size());
    return out.Take();
}

}  // namespace comshu::fortran
