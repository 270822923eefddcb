/* A module that is linked to MPI and opened by a program that is not, as Python opens mpi4py. */
#include <mpi.h>
#include <stddef.h>

int Run(void) {
    int wrong = 0;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 3; i++) {
        int rank = -1, size = -1, sum = 0, got = -1;
        MPI_Status status;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
        wrong += rank < 0 || sum != size * size || got != i || status.MPI_TAG != 5;
    }
    MPI_Finalize();
    return wrong;
}
