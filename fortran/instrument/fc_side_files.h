#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "instrument/fc_command.h"

namespace comshu::fortran {

// Files that a compiler writes beside the object: dependencies (-MD), coverage, dumps, what -save-temps keeps. Their
// names come from those of source and object, which are private here: these options give them the names that the
// user's own command would give.
std::vector<std::string> SideFileOptions(const CompilerCommand& command, std::size_t source_index);

// Whether this option, of those that take their value from the next word or not, is about dependencies.
bool IsDependencyOption(const std::string& word);

// Puts the user's names into the file of dependencies of a source that was compiled as `text` into `object`.
void MendDependencies(const CompilerCommand& command, std::size_t source_index,
                      const std::string& text, const std::string& object);

// What the instrumentor has read of a source's modules, in folder `from`, is left for other sources beside what the
// compiler leaves of them, in `to`.
void LeaveModules(const std::string& from, const std::string& to);

}  // namespace comshu::fortran
