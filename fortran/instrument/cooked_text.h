#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

// Small operations on cooked statement text, where only literals need care.

// Whether it may stand in a name, behind the first character.
bool IsNamePart(char c);

// Without the blanks and line ends that stand outside of character literals.
std::string Collapse(std::string_view text);

// `private(a, b)` into name and argument.
ClauseText SplitClause(std::string_view text);

// At commas that stand outside of parentheses and literals.
std::vector<std::string> SplitList(std::string_view text);

// Position of the parenthesis that closes the one at `open`; npos without one.
std::size_t MatchingParenthesis(std::string_view text, std::size_t open);

// Names that occur in an expression, outside of literals and kind suffixes, in order, each once.
std::vector<std::string> NamesIn(std::string_view expression);

// An integer literal without kind.
bool IsIntegerLiteral(std::string_view text);

}  // namespace comshu::fortran
