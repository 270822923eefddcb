#ifndef QMPI_LAYER_BIND_H
#define QMPI_LAYER_BIND_H

namespace qmpi {

// Where the slots of the exported names lead.
//
// Nothing happens before the first MPI call of a process. That call finds out which MPI is mapped.
// Ours: the tools are initialised, and a slot leads to the wrapper if a tool intercepts the
// function, else straight to the function that the application would have got without the layer.
// Another MPI, or QMPI_DISABLE=1: every slot leads straight on, and a note is left. None: the call
// fails with an error code, and the next one looks again.
//
// Slots are bound one by one, at their first call, by whichever thread makes it; binding twice
// gives the same. No lock is held while the loader is asked for something, since a constructor that
// runs under the loader's lock may make the first call of another thread.

// For the chain: a tool has come, or has intercepted one more function.
void OnToolRegistered();
void OnFunctionRegistered(int row);

// A tool is at work / will never be, in this process.
bool IsActive();
bool IsOff();

// The MPI library's own PMPI function of a row, or null.
void* ProfilingFunction(int row);

}  // namespace qmpi

#endif
