// Starts two ranks more (MPI_Comm_spawn), exchanges a message with each.
#include <mpi.h>
#include <stdio.h>

int main(int count, char** arguments) {
    MPI_Comm parent, between;
    int rank, value, i;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(arguments[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between,
                       MPI_ERRCODES_IGNORE);
        for (i = 0; i < 2; ++i) MPI_Send(&i, 1, MPI_INT, i, 5, between);
        MPI_Comm_disconnect(&between);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
        printf("spawned %d got %d\n", rank, value);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
