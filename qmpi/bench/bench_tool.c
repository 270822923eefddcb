/* The pass-through tool of the benchmark. It intercepts Comm_size, Irecv, Send and Wait, but not
 * Comm_rank. BENCH_ASK says how it learns whom to call next and what its storage is: 0: it asked once and
 * keeps the answer, 1: inline in each call, 2: by function call in each call, as a tool does that is
 * compiled with MPICH's header. */
#include <stdlib.h>

#include "qmpi.h"

enum { kMaxIds = 64 };

static int storage_of_tool;
static QMPI_Link kept[kMaxIds][4]; /* by tool id */
static const int numbers[4] = {MPI_COMM_SIZE_T, MPI_IRECV_T, MPI_SEND_T, MPI_WAIT_T};

static inline QMPI_Link Next(QMPI_Context context, int tool_id, int which) {
#if BENCH_ASK == 0
    (void)context;
    return kept[tool_id][which];
#else
    QMPI_Link next;
    void* storage;
#if BENCH_ASK == 1
    next = qmpi_next(context, tool_id, numbers[which]);
    storage = qmpi_tool_storage(context, tool_id);
#else
    QMPI_Get_function(tool_id, (enum QMPI_Functions_enum)numbers[which], &next.function,
                      &next.tool_id);
    QMPI_Get_tool_storage(context, tool_id, &storage);
#endif
    if (storage != &storage_of_tool) {
        abort();
    }
    return next;
#endif
}

static int CommSize(QMPI_Context context, int tool_id, MPI_Comm comm, int* size) {
    const QMPI_Link next = Next(context, tool_id, 0);
    return ((QMPI_Comm_size_t*)next.function)(context, next.tool_id, comm, size);
}

static int Irecv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                 int source, int tag, MPI_Comm comm, MPI_Request* request) {
    const QMPI_Link next = Next(context, tool_id, 1);
    return ((QMPI_Irecv_t*)next.function)(context, next.tool_id, buf, count, datatype, source, tag,
                                          comm, request);
}

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    const QMPI_Link next = Next(context, tool_id, 2);
    return ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                         comm);
}

static int Wait(QMPI_Context context, int tool_id, MPI_Request* request, MPI_Status* status) {
    const QMPI_Link next = Next(context, tool_id, 3);
    return ((QMPI_Wait_t*)next.function)(context, next.tool_id, request, status);
}

static void Init(int tool_id) {
    const QMPI_Function functions[4] = {(QMPI_Function)CommSize, (QMPI_Function)Irecv,
                                        (QMPI_Function)Send, (QMPI_Function)Wait};
    QMPI_Register_tool_storage(tool_id, &storage_of_tool);
    for (int i = 0; i < 4; i++) {
        QMPI_Register_function(tool_id, (enum QMPI_Functions_enum)numbers[i], functions[i]);
        QMPI_Link* next = &kept[tool_id][i];
        QMPI_Get_function(tool_id, (enum QMPI_Functions_enum)numbers[i], &next->function,
                          &next->tool_id);
    }
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("bench", Init);
}
