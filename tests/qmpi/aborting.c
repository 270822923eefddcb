/* Ends by MPI_Abort: `early` before MPI_Init, else after a barrier, on rank 0 while rank 1 waits. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, got;
    if (argc > 1 && strcmp(argv[1], "early") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    puts("WRONG: still here");
    return 0;
}
