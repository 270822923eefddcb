// Compiled alone: the public header, in C++, with every inline function used.
#include "qmpi.h"

namespace {

[[maybe_unused]] int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                          MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_SEND_T);
    if (qmpi_calling_address(context) == qmpi_tool_storage(context, tool_id)) {
        return MPI_ERR_OTHER;
    }
    QMPI_Send_t* send = reinterpret_cast<QMPI_Send_t*>(next.function);
    return send(context, next.tool_id, buf, count, datatype, dest, tag, comm);
}

}  // namespace

static_assert(MPI_FILE_OPEN_T >= 1000 && MPI_LAST_FUNC == MPI_LAST_FUNC_T);
