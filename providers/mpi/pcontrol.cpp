// What pcontrol.S calls before and after the next tool.
#include "mpi/calls.h"

namespace comshu::provider::mpi {

namespace {
Next next{nullptr, 0, MPI_PCONTROL_T};
}

extern "C" {

__attribute__((visibility("hidden"))) QMPI_Function ComshuPcontrolBegin(QMPI_Context context,
                                                                        void* frame,
                                                                        schema::MpiCall** call,
                                                                        int* next_id) {
    *call = OpenCall(context, schema::MpiFunction::MPI_Pcontrol, frame);
    const QMPI_Function function = NextFunction<void()>(next);
    *next_id = next.tool_id;
    return function;
}

__attribute__((visibility("hidden"))) void ComshuPcontrolEnd(schema::MpiCall* call, int result) {
    CloseCall(call, result != MPI_SUCCESS);
}

}  // extern "C"

}  // namespace comshu::provider::mpi
