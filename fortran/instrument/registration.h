#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace comshu::fortran {

// A C source whose constructor tells the runtime the context strings of one instrumented source
// before main. Needs no header.
std::string RegistrationUnit(const std::string& source, int64_t first_handle,
                             const std::vector<std::string>& contexts);

}  // namespace comshu::fortran
