/* A module that is linked to MPI and opened by a program that is not, as Python opens mpi4py. */
#include <mpi.h>
#include <stddef.h>

int Run(void) {
    int rank = -1, size = -1, sum = 0;
    const int one = 1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == size && rank >= 0 ? 0 : 1;
}
