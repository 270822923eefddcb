/* The tool "argument_checker": finds a wrong count, rank or tag of MPI_Send and MPI_Recv before MPI does,
 * says where the application called, and returns the error to it, whatever its error handler. */
#include <qmpi.h>
#include <stdio.h>

/* Calls of MPI that no tool sees. */
static int (*comm_size)(MPI_Comm, int*);
static int (*comm_remote_size)(MPI_Comm, int*);
static int (*comm_test_inter)(MPI_Comm, int*);

static int Check(QMPI_Context context, const char* name, int count, int rank, int any_rank, int tag,
                 int any_tag, MPI_Comm comm) {
    const char* what = NULL;
    int value = 0, error = MPI_SUCCESS, peers = 0, is_inter = 0;
    if (comm == MPI_COMM_NULL) {
        return MPI_SUCCESS; /* MPI's own message is as good */
    }
    comm_test_inter(comm, &is_inter);
    (is_inter ? comm_remote_size : comm_size)(comm, &peers);
    if (count < 0) {
        what = "count", value = count, error = MPI_ERR_COUNT;
    } else if ((rank < 0 || rank >= peers) && rank != any_rank && rank != MPI_PROC_NULL) {
        what = "rank", value = rank, error = MPI_ERR_RANK;
    } else if (tag < 0 && tag != any_tag) {
        what = "tag", value = tag, error = MPI_ERR_TAG;
    }
    if (what != NULL) {
        fprintf(stderr, "argument_checker: %s at %p: wrong %s %d\n", name,
                qmpi_calling_address(context), what, value);
    }
    return error;
}

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    const int error = Check(context, "MPI_Send", count, dest, MPI_PROC_NULL, tag, 0, comm);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_SEND_T);
    return error != MPI_SUCCESS ? error
                                : ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count,
                                                                datatype, dest, tag, comm);
}

static int Recv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const int error =
        Check(context, "MPI_Recv", count, source, MPI_ANY_SOURCE, tag, MPI_ANY_TAG, comm);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_RECV_T);
    return error != MPI_SUCCESS
               ? error
               : ((QMPI_Recv_t*)next.function)(context, next.tool_id, buf, count, datatype, source,
                                               tag, comm, status);
}

static void Init(int tool_id) {
    comm_size = (int (*)(MPI_Comm, int*))qmpi_mpi_function(MPI_COMM_SIZE_T);
    comm_remote_size = (int (*)(MPI_Comm, int*))qmpi_mpi_function(MPI_COMM_REMOTE_SIZE_T);
    comm_test_inter = (int (*)(MPI_Comm, int*))qmpi_mpi_function(MPI_COMM_TEST_INTER_T);
    QMPI_Register_function(tool_id, MPI_SEND_T, (QMPI_Function)Send);
    QMPI_Register_function(tool_id, MPI_RECV_T, (QMPI_Function)Recv);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("argument_checker", Init);
}
