#ifndef QMPI_LAYER_STACK_H
#define QMPI_LAYER_STACK_H

#include "layer/call.h"

namespace qmpi {

// The return addresses of the application's frames from the MPI call outwards.
//
// The first is the calling address. From there frame pointers lead on: each frame holds the pointer
// of its caller's frame and above it the return address. Code that was compiled without frame
// pointers leaves anything in that register, so each step must lead upwards, inside this thread's
// stack, and to an address in some object's code; where it does not, the walk ends. Frames of tools,
// of this layer and of MPI are left out. Fills what remains with null.
//
// Cost: one look into the sorted ranges of objects per frame. The bounds of the stack are asked for
// once per thread.
void CallingStack(const QMPI_Call* call, int count, void** addresses);

}  // namespace qmpi

#endif
