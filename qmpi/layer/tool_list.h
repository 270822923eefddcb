#ifndef QMPI_LAYER_TOOL_LIST_H
#define QMPI_LAYER_TOOL_LIST_H

#include "layer/array.h"

namespace qmpi {

// The user's order of tools: entries between colons, the first one outermost. An entry is the name
// that a tool registers, the path of a library that registers one (it has a slash or ends in .so),
// or pmpi=PATH, a tool that knows nothing of QMPI. Blanks around entries and empty entries do not
// count. An entry that is there twice stands for two instances.
enum class EntryKind { kName, kLibrary, kPmpi };

struct Entry {
    EntryKind kind;
    const char* text;  // a name or a path
    bool resolved;     // its instances are in the chain
};

Array<Entry> ParseToolList(const char* list);

// What QMPI_TOOLS or one of MPICH's names for it holds; "" if none is set.
const char* ToolListOfEnvironment();

}  // namespace qmpi

#endif
