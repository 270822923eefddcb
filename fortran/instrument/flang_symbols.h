#pragma once

#include "flang/Common/Fortran-features.h"
#include "flang/Parser/provenance.h"

#include "instrument/flang_places.h"
#include "instrument/source_model.h"

namespace Fortran::parser {
struct Program;
}

namespace comshu::fortran {

// Runs Flang's name resolution on a parse tree (and changes it) and tells which data objects each
// statement of the model reads and writes. Where a name stays unknown (a module that is not there),
// its accesses are counted and named instead.
void ReadSymbols(parser::Program& program, parser::AllCookedSources& cooked,
                 const Fortran::common::LanguageFeatureControl& features,
                 const CookedPlaces& places, const ReadOptions& options, SourceModel& model);

}  // namespace comshu::fortran
