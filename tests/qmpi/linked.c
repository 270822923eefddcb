/* A tool that is part of the program, of which two instances each count a send and a receive. It keeps the
 * next functions from its wrapper of MPI_Init_thread on, by instance, and uses what MPICH's mpi.h declares
 * and nothing else, so that it compiles there without qmpi.h. What is expected of it if it cannot
 * register is that nothing is counted. */
#include <mpi.h>
#include <stdio.h>

typedef void (*Function)(void);

typedef struct {
    int id;
    QMPI_Send_t* send;
    QMPI_Recv_t* recv;
    QMPI_Finalize_t* finalize;
    int send_id, recv_id, finalize_id;
} Instance;

static Instance instances[8]; /* by tool id */
static int registered, counted, finalized;

static Instance* Of(QMPI_Context context, int tool_id) {
    void* storage = NULL;
    QMPI_Get_tool_storage(context, tool_id, &storage);
    Instance* instance = storage;
    return instance != NULL && instance->id == tool_id ? instance : NULL;
}

static int InitThread(QMPI_Context context, int tool_id, int* argc, char*** argv, int required,
                      int* provided) {
    QMPI_Init_thread_t* next;
    int next_id;
    Instance* own = Of(context, tool_id);
    QMPI_Get_function(tool_id, MPI_INIT_THREAD_T, (Function*)&next, &next_id);
    QMPI_Get_function(tool_id, MPI_SEND_T, (Function*)&own->send, &own->send_id);
    QMPI_Get_function(tool_id, MPI_RECV_T, (Function*)&own->recv, &own->recv_id);
    QMPI_Get_function(tool_id, MPI_FINALIZE_T, (Function*)&own->finalize, &own->finalize_id);
    return next(context, next_id, argc, argv, required, provided);
}

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    const Instance* own = Of(context, tool_id);
    counted++;
    return own->send(context, own->send_id, buf, count, datatype, dest, tag, comm);
}

static int Recv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const Instance* own = Of(context, tool_id);
    counted++;
    return own->recv(context, own->recv_id, buf, count, datatype, source, tag, comm, status);
}

static int Finalize(QMPI_Context context, int tool_id) {
    const Instance* own = Of(context, tool_id);
    finalized++;
    return own->finalize(context, own->finalize_id);
}

static void Init(int tool_id) {
    instances[tool_id].id = tool_id;
    QMPI_Register_tool_storage(tool_id, &instances[tool_id]);
    QMPI_Register_function(tool_id, MPI_INIT_THREAD_T, (Function)InitThread);
    QMPI_Register_function(tool_id, MPI_SEND_T, (Function)Send);
    QMPI_Register_function(tool_id, MPI_RECV_T, (Function)Recv);
    QMPI_Register_function(tool_id, MPI_FINALIZE_T, (Function)Finalize);
}

__attribute__((constructor)) static void Announce(void) {
    registered = QMPI_Register_tool_name("linked", Init) == MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int rank, provided, sent = 1337, received = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            MPI_Send(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    printf("%s %d %d %d\n", received == 1337 ? "OK" : "WRONG", registered, counted, finalized);
    return 0;
}
