#ifndef QMPI_LAYER_CALLER_H
#define QMPI_LAYER_CALLER_H

namespace qmpi {

class ElfObject;

// Who made a call, told by its return address alone.
//
// MPI libraries call MPI_* themselves (Open MPI's ROMIO, MPICH's Fortran layer, ...), and so do
// tools; a tool must see the calls of the application and of the tools outside it, and no others. The
// address range of a library says who it is: the assumption is that a tool's library holds its wrappers and all they call.
//
// Three steps, each tried only when the one before gave no answer: the executable's range (inline,
// in the wrapper); a small cache of exact return addresses, since call sites are few; the sorted
// ranges of all objects, rebuilt when objects were loaded since. Readers take no lock. A library
// that is unloaded raises the generation, which makes every cached answer invalid.
enum class Caller {
    kNoObject,     // made at run time, by the application
    kApplication,  // the executable, its libraries, and bindings of other languages
    kMpi,          // the MPI library and its plug-ins
    kFortran,      // the Fortran bindings of MPI: on behalf of the application
    kTool,         // a member of the chain
    kLayer,
    kPmpiToolInFront,  // wraps MPI functions and calls PMPI_X, which is redirected to the layer
    kPmpiToolBehind,   // the same, called where the chain ends
};

Caller Classify(const void* return_address);
inline bool IsByApplication(Caller caller) {
    return caller == Caller::kApplication || caller == Caller::kNoObject;
}

// The loader is locked meanwhile.
void ForEachPmpiToolInFront(void (*visit)(const ElfObject& object));

// Called when a library has been unloaded, and when the set of tools has changed.
void ForgetCallers();

// Reads the executable's range; from then on its calls are recognised inline.
void StartCallers();

}  // namespace qmpi

#endif
