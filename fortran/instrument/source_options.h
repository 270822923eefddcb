#pragma once

#include <string>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

// What the name of a source says of it, by the rules of gfortran.
bool IsFortranSource(const std::string& path);
bool IsFixedFormName(const std::string& path);
bool IsPreprocessedName(const std::string& path);

// Macros that gfortran's preprocessor defines and sources test for.
std::vector<std::string> CompilerMacros(bool openmp);

}  // namespace comshu::fortran
