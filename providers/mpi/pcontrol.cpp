// MPI_Pcontrol, whose variable arguments nobody knows: the layer hands them on, the span is made on
// either side of the call. The level 0 stops recording behind the call, 1 starts it before the call (so
// that either is seen), 2 writes what is recorded so far.
#include "mpi/pcontrol.h"

#include "comshu/rec/engine.h"
#include "mpi/calls.h"

namespace comshu::provider::mpi {

namespace {

enum Level { kStop = 0, kStart = 1, kFlush = 2 };

void* Begin(QMPI_Context context, int, int level, void* frame) {
    if (level == kStart) comshu_engine_resume();
    return OpenCall(context, schema::MpiFunction::MPI_Pcontrol, frame);
}

void End(void* call, int level, int result) {
    CloseCall(static_cast<schema::MpiCall*>(call), result != MPI_SUCCESS);
    if (level == kStop) comshu_engine_pause();
    if (level == kFlush) comshu_engine_flush();
}

}  // namespace

void RegisterPcontrol(int tool_id) {
    qmpi_register_pcontrol(tool_id, Begin, End);
}

}  // namespace comshu::provider::mpi
