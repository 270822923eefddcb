#ifndef QMPI_LAYER_LIBRARY_H
#define QMPI_LAYER_LIBRARY_H

namespace qmpi {

// Which MPI library a process runs, and the functions that it really has.
//
// The layer links no MPI and has not one reference to PMPI_*: it is preloaded into shells and
// launchers too. Everything is looked up when it is first called, behind this object in the search
// order as if the layer were not there; a library that came by dlopen(RTLD_LOCAL) is in no search
// order and is found among the loaded objects. What was found is never unloaded.

// The function that the application would have got without the layer, or null.
void* FindNext(const char* name);

enum class Mpi {
    kNone,   // no MPI is mapped (yet)
    kOurs,   // the one that this library was built for, or one with its binary interface
    kOther,  // another one: its handles have another size, nothing may be looked at
};

struct MpiFound {
    Mpi mpi;
    char path[256];
};
MpiFound FindMpi();

// The loaded library of this path is not unloaded any more.
void Pin(const char* path);

}  // namespace qmpi

#endif
