#ifndef QMPI_LAYER_PCONTROL_H
#define QMPI_LAYER_PCONTROL_H

#include "layer/call.h"

namespace qmpi {

struct Context {
    const QMPI_Call* call;
};

// What a tool does around MPI_Pcontrol without knowing its arguments: begin(context, tool id, level,
// frame of the call) gives what end(state, level, result) gets.
struct PcontrolHooks {
    void* (*begin)(Context, int, int, void*);
    void (*end)(void*, int, int);
};

bool RegisterPcontrol(int tool_id, const PcontrolHooks& hooks);

}  // namespace qmpi

#endif
