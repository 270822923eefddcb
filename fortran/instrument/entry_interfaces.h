#pragma once

#include <set>
#include <string>
#include <vector>

namespace comshu::fortran {

// Interface block of the entries that a unit calls, as statements. Those that take data of any type need one,
// since a compiler refuses the second call with another type; with it for all of them nothing that is inserted
// is a call of what the compiler does not know (-Wimplicit-interface). Interface bodies see no name of the unit,
// and their dummy arguments have names that no macro has.
// `head` stands in the place of their `dbg_`.
std::vector<std::string> EntryInterfaces(const std::set<std::string>& names, bool fixed,
                                         const std::string& head);

// Whether this is the name of an entry, and what of it stands behind `dbg_`.
bool IsEntry(const std::string& name);

// What entries begin with in a text that was instrumented; empty: it was not.
std::string HeadOfInstrumented(const std::string& text);

}  // namespace comshu::fortran
