/* A tool that is part of the program, of which two instances each count a send and a receive. It uses
 * what MPICH's mpi.h declares and nothing else, so that it compiles there without qmpi.h. */
#include <mpi.h>
#include <stdio.h>

typedef void (*Function)(void);

static int registered, counted;
static int ids[8];

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    QMPI_Send_t* next;
    int next_id;
    counted++;
    QMPI_Get_function(tool_id, MPI_SEND_T, (Function*)&next, &next_id);
    return next(context, next_id, buf, count, datatype, dest, tag, comm);
}

static int Recv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                int source, int tag, MPI_Comm comm, MPI_Status* status) {
    QMPI_Recv_t* next;
    int next_id;
    void* storage = NULL;
    QMPI_Get_tool_storage(context, tool_id, &storage);
    counted += storage == &ids[tool_id];
    QMPI_Get_function(tool_id, MPI_RECV_T, (Function*)&next, &next_id);
    return next(context, next_id, buf, count, datatype, source, tag, comm, status);
}

static void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, &ids[tool_id]);
    QMPI_Register_function(tool_id, MPI_SEND_T, (Function)Send);
    QMPI_Register_function(tool_id, MPI_RECV_T, (Function)Recv);
}

__attribute__((constructor)) static void Announce(void) {
    registered = QMPI_Register_tool_name("linked", Init) == MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int rank, sent = 1337, received = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            MPI_Send(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    printf("%s %d %d\n", received == 1337 ? "OK" : "WRONG", registered, counted);
    return 0;
}
