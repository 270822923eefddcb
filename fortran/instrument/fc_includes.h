#pragma once

#include <string>
#include <vector>

namespace comshu::fortran {

// Folders in which a compiler looks for include files, beside the source's own, in its order: out of what it
// says that it would run (`-###`), which shows also those that a wrapper like mpif90 adds. Those of
// `#include` alone are the last. Empty where it says nothing of that kind.
std::vector<std::string> IncludeFolders(const std::string& dry_run);

// Whether a source may include files.
bool MayInclude(const std::string& text);

}  // namespace comshu::fortran
