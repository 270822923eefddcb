#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/line_markers.h"

namespace comshu::fortran {

// Changes to a text, gathered in any order and applied at once. What no edit touches stays byte for
// byte. Whoever reads the result counts as in the original: line markers (`# 12 "a.f90"`) stand wherever
// it would count otherwise (they keep what markers in the text say), and what is put in counts as the line that it was put in for, each of its
// statements. Edits at one place apply in the order they were asked for.
class TextEdits {
public:
    // `preprocessed`: what reads the text has `#line` for a marker, and no other under -Wpedantic.
    TextEdits(const std::string& text, std::string marker_path, bool preprocessed);

    // Whole lines before the line that begins at `offset` (or at the end of the text), for the statement
    // at `owner`. What has a lower rank comes first, whenever it was asked for. Of declarations the first
    // line alone counts as the owner's.
    void InsertLines(std::size_t offset, std::vector<std::string> lines, std::size_t owner,
                     int rank = kRankBody);
    static constexpr int kRankDeclarations = 0;
    static constexpr int kRankStart = 1;
    static constexpr int kRankInterval = 2;
    static constexpr int kRankBody = 3;
    // The lines that hold [begin, end) give way to `lines`.
    void ReplaceLines(std::size_t begin, std::size_t end, std::vector<std::string> lines);
    // [begin, end) gives way to `head`, a line end, `lines` for the statement at `owner`, and `tail`, which
    // what follows continues.
    void SplitLine(std::size_t begin, std::size_t end, std::string head,
                   std::vector<std::string> lines, std::string tail, std::size_t owner,
                   int rank = kRankBody);
    // [begin, end) gives way to text.
    void Replace(std::size_t begin, std::size_t end, std::string text);

    std::string Apply() const;
    // Says that what follows is the line at `offset`; empty where markers are not wanted.
    std::string MarkerAt(std::size_t offset) const;
    bool empty() const { return edits_.empty(); }

    std::size_t LineStart(std::size_t offset) const;
    std::size_t BeginOfLine(int line) const;         // from 1; of the text's end behind the last
    std::size_t LineEnd(std::size_t offset) const;   // of its line end, or of the text
    std::size_t NextLine(std::size_t offset) const;  // begin of the following line
    int LineNumber(std::size_t offset) const;        // from 1
    // What a line of the text counts as, by markers that are in it already.
    MarkedLine Counts(int line) const;

private:
    struct Edit {
        std::size_t begin;
        std::size_t end;
        std::string head;
        std::vector<std::string> lines;
        std::string tail;
        bool whole_lines;
        bool in_line;
        int line;  // that `lines` count as
        int rank = kRankBody;
    };
    class Writer;

    std::string MarkerOf(const MarkedLine& line) const;

    const std::string& text_;
    LineMarkers markers_;
    std::string marker_path_;  // empty: no markers
    std::string marker_head_;
    std::string newline_;
    std::vector<std::size_t> starts_;
    std::vector<Edit> edits_;
};

}  // namespace comshu::fortran
