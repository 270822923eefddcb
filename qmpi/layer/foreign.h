#ifndef QMPI_LAYER_FOREIGN_H
#define QMPI_LAYER_FOREIGN_H

#include <cstddef>

namespace qmpi {

// Tools of another MPI must not come in: their handles have another size, and loading one brings a
// second MPI library into the process.

// The MPI whose library a shared object needs, or null.
const char* MpiOfObject(const char* path);

// False if the file cannot be a tool of this process; `why` says it.
bool CanBeOpened(const char* path, char* why, size_t size);

}  // namespace qmpi

#endif
