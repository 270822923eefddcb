#pragma once

#include <string>

namespace comshu::fortran {

// Writes a file whole or not at all: beside it first, then renamed. Empty, or what went wrong.
std::string WriteFile(const std::string& path, const std::string& text);

// Whether two paths lead to one file, by links too, or would if they were written.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace comshu::fortran
