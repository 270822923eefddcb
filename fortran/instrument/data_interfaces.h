#pragma once

#include <set>
#include <string>
#include <vector>

namespace comshu::fortran {

// Interface block of entries that take data of any type: without one a compiler refuses the second
// call with another type.
std::vector<std::string> DataInterfaces(const std::set<std::string>& names);

}  // namespace comshu::fortran
