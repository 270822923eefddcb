#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"

#include "instrument/source_model.h"

namespace comshu::fortran {

// Writes the statements and directives of a program down, in the order of its text. `file`: the source.
void ListItems(const Fortran::parser::Program& program,
               const Fortran::parser::AllCookedSources& cooked,
               const Fortran::parser::SourceFile* file, SourceModel& model);

}  // namespace comshu::fortran
