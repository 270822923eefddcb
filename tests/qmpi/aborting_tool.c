/* A tool that ends the program from its wrapper. */
#include "qmpi.h"

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    (void)context;
    (void)tool_id;
    return MPI_Abort(comm, 6);
}

static void Init(int tool_id) {
    QMPI_Register_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("aborting_tool", Init);
}
