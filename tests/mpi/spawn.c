/* A world of two spawns a world of one (spawn_test.py). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Comm parent, across, merged;
    int rank, value = 7, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across,
                       MPI_ERRCODES_IGNORE);
        if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 3, across);
    } else {
        across = parent;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, across, MPI_STATUS_IGNORE);
    }
    MPI_Intercomm_merge(across, parent != MPI_COMM_NULL, &merged);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
    if (parent == MPI_COMM_NULL && rank == 0) printf("sum %d\n", sum);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&across);
    MPI_Finalize();
    return 0;
}
