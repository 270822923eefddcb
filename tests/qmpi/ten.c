/* Ten routines, each called once by each of two ranks. Prints OK when the results are right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, size, length, value = 1, other = -1, seed = -1;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seed = 42;
    } else {
        MPI_Recv(&other, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Bcast(&seed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    double t = MPI_Wtime();
    MPI_Get_processor_name(name, &length);
    MPI_Finalize();
    const int good =
        size == 2 && other == 1 - rank && seed == 42 && value == 2 && t >= 0 && length > 0;
    printf("%s %d\n", good ? "OK" : "WRONG", rank);
    return good ? 0 : 1;
}
