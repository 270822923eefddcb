#ifndef QMPI_LAYER_NOTE_H
#define QMPI_LAYER_NOTE_H

namespace qmpi {

// Says what is amiss in this process: to the comshu engine when it is loaded (a record), else one line
// on stderr.
[[gnu::format(printf, 1, 2)]] void Note(const char* format, ...);

// The same for what the user's list of tools asks for and cannot have.
[[gnu::format(printf, 1, 2)]] void Problem(const char* format, ...);

// With QMPI_STRICT=1 a problem ends the process; else nothing.
void EndIfProblems();

// True for a variable that is set to something but 0.
bool IsSwitchedOn(const char* variable);

}  // namespace qmpi

#endif
