#ifndef QMPI_LAYER_TOOLS_H
#define QMPI_LAYER_TOOLS_H

namespace qmpi {

// The tools that have announced themselves, and the user's list of those that take part.
//
// A tool comes in one of four ways: linked into the program, preloaded, or opened here because the
// list gives its path or its name is found in QMPI_TOOL_PATH (lib<name>.so or <name>.so). Each
// announces itself from a constructor. What the list asks for and nobody can give is reported, with
// what there is; the program runs on without it, or ends at once if QMPI_STRICT=1.
//
// The tool "comshu", the recorder, takes part unnamed as well, then as the innermost.
constexpr int kMaxNameLength = 256;

// False for a tool that the list does not ask for, a name that is taken, or a tool that was built
// for another MPI.
// `mpi` is the one that the tool's header was made for.
bool RegisterTool(const char* name, void (*init)(int), const char* mpi);

// Makes the chain that the list asks for: loads what is not there yet, calls the init functions.
// True if it has any tool. ExtendTools does the same for tools that registered since, and loads
// nothing.
bool StartTools();
bool ExtendTools();

// Names of all tools that have registered, between commas.
void KnownTools(char* text, unsigned long size);

}  // namespace qmpi

#endif
