#ifndef QMPI_LAYER_NOTE_H
#define QMPI_LAYER_NOTE_H

namespace qmpi {

// Says why this process is not intercepted: to the comshu engine when it is loaded (a record), else
// one line on stderr, once per process.
void Note(const char* text);

}  // namespace qmpi

#endif
