#pragma once

#include <string>

namespace comshu::fortran {

// Writes a file whole or not at all: beside it first, then renamed. Empty, or what went wrong.
std::string WriteFile(const std::string& path, const std::string& text);

}  // namespace comshu::fortran
