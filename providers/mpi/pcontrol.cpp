// What pcontrol.S calls before and after the next tool. The level 0 stops recording behind the call,
// 1 starts it before the call (so that either is seen), 2 writes what is recorded so far.
#include "comshu/rec/engine.h"
#include "mpi/calls.h"

namespace comshu::provider::mpi {

namespace {

Next next{nullptr, 0, MPI_PCONTROL_T};

enum Level { kStop = 0, kStart = 1, kFlush = 2 };

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) QMPI_Function ComshuPcontrolBegin(QMPI_Context context,
                                                                        void* frame,
                                                                        schema::MpiCall** call,
                                                                        int* next_id, int level) {
    if (level == kStart) comshu_engine_resume();
    *call = OpenCall(context, schema::MpiFunction::MPI_Pcontrol, frame);
    const QMPI_Function function = NextFunction<void()>(next);
    *next_id = next.tool_id;
    return function;
}

__attribute__((visibility("hidden"))) void ComshuPcontrolEnd(schema::MpiCall* call, int result,
                                                             int level) {
    CloseCall(call, result != MPI_SUCCESS);
    if (level == kStop) comshu_engine_pause();
    if (level == kFlush) comshu_engine_flush();
}

}  // extern "C"

}  // namespace comshu::provider::mpi
