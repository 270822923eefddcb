#pragma once

#include <string>
#include <vector>

#include "instrument/handles.h"
#include "instrument/session.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

struct Instrumented {
    std::string text;
    std::vector<std::string> contexts;  // in the order of their handles
    int64_t first_handle = 0;
    std::vector<Skipped> skipped;
    std::vector<Diagnostic> diagnostics;
    bool changed = false;
    bool has_main = false;
    int scratch = 0;  // elements of the 8-byte integers that the widest unit needs
};

// Instruments a source that was parsed.
Instrumented Instrument(const SourceModel& model, InstrumentOptions options);

}  // namespace comshu::fortran
