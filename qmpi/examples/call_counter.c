/* The tool "call_counter": how often each rank called three functions, and from where it sent first.
 * QMPI_TOOLS=call_counter; several instances count alike. */
#include <qmpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    long sends, receives, reductions;
    void* first_send;
    int rank;
} Counts;

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Counts* counts = qmpi_tool_storage(context, tool_id);
    counts->sends++;
    if (counts->first_send == NULL) {
        counts->first_send = qmpi_calling_address(context);
    }
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_SEND_T);
    return ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                         comm);
}

static int Recv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                int source, int tag, MPI_Comm comm, MPI_Status* status) {
    ((Counts*)qmpi_tool_storage(context, tool_id))->receives++;
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_RECV_T);
    return ((QMPI_Recv_t*)next.function)(context, next.tool_id, buf, count, datatype, source, tag,
                                         comm, status);
}

static int Allreduce(QMPI_Context context, int tool_id, const void* sendbuf, void* recvbuf,
                     int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    ((Counts*)qmpi_tool_storage(context, tool_id))->reductions++;
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_ALLREDUCE_T);
    return ((QMPI_Allreduce_t*)next.function)(context, next.tool_id, sendbuf, recvbuf, count,
                                              datatype, op, comm);
}

/* The last moment at which a tool may call MPI: here through the chain, below itself. */
static int Finalize(QMPI_Context context, int tool_id) {
    Counts* counts = qmpi_tool_storage(context, tool_id);
    const QMPI_Link rank = qmpi_next(context, tool_id, MPI_COMM_RANK_T);
    ((QMPI_Comm_rank_t*)rank.function)(context, rank.tool_id, MPI_COMM_WORLD, &counts->rank);
    fprintf(stderr, "call_counter: rank %d: %ld sends, %ld receives, %ld reductions\n",
            counts->rank, counts->sends, counts->receives, counts->reductions);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_FINALIZE_T);
    return ((QMPI_Finalize_t*)next.function)(context, next.tool_id);
}

static void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, calloc(1, sizeof(Counts)));
    QMPI_Register_function(tool_id, MPI_SEND_T, (QMPI_Function)Send);
    QMPI_Register_function(tool_id, MPI_RECV_T, (QMPI_Function)Recv);
    QMPI_Register_function(tool_id, MPI_ALLREDUCE_T, (QMPI_Function)Allreduce);
    QMPI_Register_function(tool_id, MPI_FINALIZE_T, (QMPI_Function)Finalize);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("call_counter", Init);
}
