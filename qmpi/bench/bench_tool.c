/* The pass-through tool of the benchmark. It intercepts Comm_size, Irecv, Send and Wait, but not
 * Comm_rank. QMPI_BENCH_ASK=call or =inline: it asks for the next function and its storage in every
 * call, by function call or inline; else it keeps the next function. */
#include <stdlib.h>
#include <string.h>

#include "qmpi.h"

enum { kMaxIds = 64 };

static int storage_of_tool;
static enum { kKeep, kCall, kInline } mode;
static QMPI_Link kept[kMaxIds][4]; /* by tool id */
static const int numbers[4] = {MPI_COMM_SIZE_T, MPI_IRECV_T, MPI_SEND_T, MPI_WAIT_T};

static QMPI_Link Next(QMPI_Context context, int tool_id, int which) {
    QMPI_Link next = kept[tool_id][which];
    void* storage = &storage_of_tool;
    if (mode == kCall) {
        QMPI_Get_function(tool_id, (enum QMPI_Functions_enum)numbers[which], &next.function,
                          &next.tool_id);
        QMPI_Get_tool_storage(context, tool_id, &storage);
    } else if (mode == kInline) {
        next = qmpi_next(context, tool_id, numbers[which]);
        storage = qmpi_tool_storage(context, tool_id);
    }
    if (storage != &storage_of_tool) {
        abort();
    }
    return next;
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
    const char* ask = getenv("QMPI_BENCH_ASK");
    mode = ask == NULL ? kKeep : strcmp(ask, "call") == 0 ? kCall : kInline;
    QMPI_Register_tool_name("bench", Init);
}
