#pragma once

#include <set>
#include <string>
#include <vector>

namespace comshu::fortran {

// Interface block of the entries that a unit calls, as statements. Those that take data of any type need one,
// since a compiler refuses the second call with another type; with it for all of them nothing that is inserted
// is a call of what the compiler does not know (-Wimplicit-interface). Interface bodies see no name of the unit,
// and their dummy arguments have names that no macro has.
std::vector<std::string> EntryInterfaces(const std::set<std::string>& names, bool fixed);

}  // namespace comshu::fortran
