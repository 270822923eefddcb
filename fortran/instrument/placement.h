#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrument/source_form.h"
#include "instrument/source_model.h"
#include "instrument/structure.h"
#include "instrument/text_edits.h"

namespace comshu::fortran {

// Puts lines before and after statements, wherever those stand: alone on a line, after a semicolon,
// as the action of a logical IF (which becomes a block), under a label that is jumped to (which moves
// to a CONTINUE before the lines). What has no place of its own (macros, include files, text glued
// together by continuation) is refused: ask CanWrap first, so that a construct gets all or nothing.
class Placement {
public:
    Placement(const SourceModel& model, const Structure& structure, const SourceForm& form,
              TextEdits* edits)
        : model_(model), structure_(structure), form_(form), edits_(edits) {}

    using Lines = std::vector<std::string>;

    bool CanWrap(int item) const;
    void Wrap(int item, const Lines& before, const Lines& after);

    // Before the statement on the way into it from above; a jump to its label passes by.
    bool CanInsertBefore(int item) const;
    void InsertBefore(int item, const Lines& lines, int rank = TextEdits::kRankBody);
    bool CanInsertAfter(int item) const;
    void InsertAfter(int item, const Lines& lines, int rank = TextEdits::kRankBody);

    // A directive, rewritten: its comment lines are kept before it.
    void ReplaceDirective(int item, const Lines& lines);
    bool CanReplaceDirective(int item) const;

    // An ELSE IF becomes ELSE, `lines` and an IF of its own, whose END IF follows that of the whole.
    bool CanSplitElseIf(int item) const;
    void SplitElseIf(int item, const Lines& lines);

    // A DO WHILE (condition) becomes a DO, with `lines` first in its body. `begin`: where WHILE stands.
    bool CanTakeWhile(int item, std::size_t* begin, std::string* condition) const;
    void TakeWhile(int item, std::size_t begin, const Lines& lines);

    // A part of a statement gives way to a name, where its lines stay short enough.
    bool CanReplacePart(int item, const Span& part, std::string_view name) const;
    void ReplacePart(const Span& part, const std::string& name);

    std::string Indent(int item) const;
    // Nothing stands before it on its line, or behind it.
    bool BeginsLine(int item) const { return At(item).span.valid && FirstOnLine(item); }
    bool EndsLine(int item) const;

private:
    enum class Tail { kLineEnd, kSemicolon, kOther };

    const Item& At(int item) const { return model_.items[item]; }
    bool IsDirective(int item) const;
    bool FirstOnLine(int item) const;
    bool AfterSemicolon(int item) const;
    Tail TailOf(int item, std::size_t* rest) const;
    std::string TailIndent(std::size_t offset) const;
    bool LabelMoves(int item) const;
    bool BlankLabel(int item, bool dry);
    std::size_t IfOfElseIf(int item) const;
    void WrapAction(int item, const Lines& before, const Lines& after);

    const SourceModel& model_;
    const Structure& structure_;
    const SourceForm& form_;
    TextEdits* edits_;
};

}  // namespace comshu::fortran
