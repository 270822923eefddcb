/* What MPI 4 added: sessions beside MPI_Init, partitioned messages, send and receive in one request,
 * large counts (mpi4_test.py). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, data[64] = {0}, sink[64];
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "org.comshu.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    const int other = 1 - rank;

    MPI_Isendrecv(data, 3 + rank, MPI_INT, other, 1, sink, 64, MPI_INT, other, 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Psend_init(data, 4, 8, MPI_INT, other, 2, comm, MPI_INFO_NULL, &request);
    } else {
        MPI_Precv_init(sink, 4, 8, MPI_INT, other, 2, comm, MPI_INFO_NULL, &request);
    }
    for (int round = 0; round < 2; ++round) {
        MPI_Start(&request);
        if (rank == 0) MPI_Pready_range(0, 3, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank == 0) {
        MPI_Send_c(data, 7, MPI_INT, other, 3, comm);
    } else {
        MPI_Recv_c(sink, 64, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
    printf("%d done\n", rank);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
