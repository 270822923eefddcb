#pragma once

#include <set>
#include <string>
#include <vector>

namespace comshu::fortran {

// What the entries' symbols begin with, in the place of `dbg_`, whatever the source calls them: a program may have
// procedures of their names.
inline constexpr const char* kSymbolHead = "comshu_dbg_";

// Interface blocks of the entries that a unit calls, as statements. Those that take data of any type need one,
// since a compiler refuses the second call with another type; with it for all of them nothing that is inserted
// is a call of what the compiler does not know (-Wimplicit-interface). Interface bodies see no name of the unit,
// and their dummy arguments have names that no macro has. Each entry is called by a generic name, which begins with
// `head` in the place of `dbg_`.
std::vector<std::string> EntryInterfaces(const std::set<std::string>& names, bool fixed,
                                         const std::string& head);

// The same by USE of a module, for standards of Fortran in which such interfaces cannot be written.
std::vector<std::string> EntryUse(const std::set<std::string>& names, const std::string& head);
// The source of that module, with all entries.
std::string EntryModule();
inline constexpr const char* kEntryModule = "comshu_dbg_entries";

// Whether this is the name of an entry, and what of it stands behind `dbg_`.
bool IsEntry(const std::string& name);

// What entries begin with in a text that was instrumented; empty: it was not.
std::string HeadOfInstrumented(const std::string& text);

}  // namespace comshu::fortran
