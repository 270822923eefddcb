#ifndef QMPI_LAYER_MEMBERS_H
#define QMPI_LAYER_MEMBERS_H

#include <cstddef>

namespace qmpi {

// PMPI tools as members of the chain, as they are.
//
// Such a tool exports MPI_X and calls PMPI_X, or what dlsym() gave it for MPI_X or PMPI_X. What it
// exports becomes an interceptor: an adapter takes context and id away and calls it. What it calls
// next is redirected: the loader's slots of MPI_* and PMPI_* in its memory lead to thunks, one per
// member and function, behind which stands whoever comes next in the chain; its slots of dlsym and
// dlvsym lead to thunks that answer for names of MPI functions and hand on all others. So several of
// them run at once, and none has to be built anew.
//
// Many such tools ask dlsym() in a constructor. The slots must be changed before that runs, and the
// loader has no place between. So a copy of the file is loaded in which no constructor is listed, the
// slots are changed, and then the constructors are called here. Each member has a copy of its own,
// so one file may be there several times; libraries that it needs are shared as always.
constexpr int kMaxMembers = 16;

// Loads the file and puts it into the chain at its place. False, and why, if that cannot work.
bool AddMember(const char* path, long place, char* why, size_t size);

// What constructors get; from this library's own.
void KeepArguments(int argc, char** argv);

}  // namespace qmpi

#endif
