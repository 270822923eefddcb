/* What the example tools are shown: two ranks; with an argument, two barriers and a wrong send. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, value = 7, got = -1, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        double big[100] = {0};
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(big, 100, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    } else {
        double big[100];
        if (argc == 1) {
            MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Recv(big, 100, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == 1) {
        MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        printf("message %s\n", flag ? "there" : "lost");
        printf("error %d\n", MPI_Send(&value, -1, MPI_INT, 0, 5, MPI_COMM_WORLD) != MPI_SUCCESS);
    }
    MPI_Finalize();
    printf("%s %d\n", value == 14 ? "OK" : "WRONG", rank);
    return 0;
}
