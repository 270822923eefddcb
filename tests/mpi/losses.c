/* More calls than a small ring holds, as fast as they can be made (losses_test.py). */
#include <mpi.h>

enum { kRounds = 8000, kTags = 3, kSizes = 31 };

int main(int argc, char** argv) {
    int rank, data = 0, buffer[kSizes] = {0};
    MPI_Request persistent, request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    if (rank == 0) {
        MPI_Send_init(&data, 1, MPI_INT, other, 10, MPI_COMM_WORLD, &persistent);
    } else {
        MPI_Recv_init(&data, 1, MPI_INT, other, 10, MPI_COMM_WORLD, &persistent);
    }
    for (int i = 0; i < kRounds; ++i) {
        if (rank == 0) {
            MPI_Send(&data, 1, MPI_INT, other, i % kTags, MPI_COMM_WORLD);
            MPI_Isend(buffer, 1 + i % kSizes, MPI_INT, other, 5, MPI_COMM_WORLD, &request);
        } else {
            MPI_Recv(&data, 1, MPI_INT, other, i % kTags, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Irecv(buffer, kSizes, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&persistent);
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&data, 1, MPI_INT, other, 6, other, 6, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        if (i % 10 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&persistent);
    MPI_Finalize();
    return 0;
}
