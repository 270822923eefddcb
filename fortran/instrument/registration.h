#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace comshu::fortran {

struct CallNames {
    std::string head;     // stands in the place of the entries' `dbg_`
    int underscores = 1;  // behind the names of procedures
};

// A C source whose constructor tells the runtime the context strings of one instrumented source
// before main. Needs no header. It also defines the entries that `text`, the instrumented source, calls:
// nearer than those of the runtime, so that a call costs half as much while nobody listens, and under names that
// its compiler makes of those in `calls`. `folder` is where `source` was seen from.
std::string RegistrationUnit(const std::string& source, const std::string& folder,
                             int64_t first_handle, const std::vector<std::string>& contexts,
                             const std::string& text, const CallNames& calls);

// Symbols that such a unit defines for its own source.
std::vector<std::string> NearEntries(const std::string& unit);

}  // namespace comshu::fortran
