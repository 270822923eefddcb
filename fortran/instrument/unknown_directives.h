#pragma once

#include <string>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

// A directive that LLVM Flang 19 is given another name for.
struct RenamedDirective {
    std::size_t offset = 0;  // of a letter of its name
    std::string shown;       // a word of the name that Flang has
    std::string own;         // and what stands there
};

// The text without what LLVM Flang 19 does not parse of OpenMP's directives, as long as it was. Those that have no
// region and no part in what is told (DECLARE REDUCTION, ERROR, ...) become comments: Flang parses some DECLARE
// REDUCTION only, and fails where it resolves the names of any. The others get the name of one that it knows, which
// has the same clauses and the same place: MASKED for the MASTER of combined ones, TEAMS for SCOPE, FLUSH for SCAN.
std::string WithKnownDirectives(const std::string& text, bool fixed_form,
                                std::vector<RenamedDirective>* renamed);

// Items of such directives get their own names. `renamed`: in the order of the text.
void NameDirectives(const std::vector<RenamedDirective>& renamed, SourceModel* model);

}  // namespace comshu::fortran
