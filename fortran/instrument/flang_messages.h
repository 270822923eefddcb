#pragma once

#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"

#include "instrument/source_model.h"

namespace comshu::fortran {

// Puts what Flang says of a source into its model, each message once, in the order of lines.
void CopyMessages(Fortran::parser::Messages& messages,
                  const Fortran::parser::AllCookedSources& cooked, SourceModel& model);

}  // namespace comshu::fortran
