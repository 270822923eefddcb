// Two ranks spawn two worlds of one rank each, which then meet at a port. Messages: 8 bytes times
// 1 + rank + 2 * world from each rank to each child (tag 10 + world), 4 from each child to rank 0 on a
// part of the merged communicator (tag 20 + world), 40 from the second child to the first (tag 30).
// Each merged communicator sees one MPI_Allreduce.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double data[8];

static void together(MPI_Comm between, int high, int world) {
    MPI_Comm merged, copy, part;
    int one = 1, sum = 0, rank;
    MPI_Intercomm_merge(between, high, &merged);
    MPI_Comm_dup(merged, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_rank(merged, &rank);
    MPI_Comm_split(copy, rank % 2, 0, &part);  // Ranks 0 and 2 of it: a parent and the child.
    if (high) {
        MPI_Send(&sum, 1, MPI_INT, 0, 20 + world, part);
    } else if (rank == 0) {
        MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, 20 + world, part, MPI_STATUS_IGNORE);
        printf("world %d: %d together\n", world, sum);
    }
}

static void spawn_both(const char* program, int rank) {
    MPI_Comm between[2];
    char port[MPI_MAX_PORT_NAME] = "";
    for (int world = 0; world < 2; ++world) {
        char number[] = {(char)('0' + world), '\0'};
        char* arguments[] = {number, NULL};
        MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &between[world],
                       MPI_ERRCODES_IGNORE);
        MPI_Send(data, 1 + rank + 2 * world, MPI_DOUBLE, 0, 10 + world, between[world]);
        together(between[world], 0, world);
    }
    if (rank == 0) {
        MPI_Recv(port, sizeof port, MPI_CHAR, 0, 40, between[0], MPI_STATUS_IGNORE);
        MPI_Send(port, sizeof port, MPI_CHAR, 0, 40, between[1]);
    }
}

static void meet(MPI_Comm parent, int world) {
    MPI_Comm between;
    char port[MPI_MAX_PORT_NAME] = "";
    for (int rank = 0; rank < 2; ++rank)
        MPI_Recv(data, 8, MPI_DOUBLE, rank, 10 + world, parent, MPI_STATUS_IGNORE);
    together(parent, 1, world);
    if (world == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, sizeof port, MPI_CHAR, 0, 40, parent);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
        MPI_Recv(data, 5, MPI_DOUBLE, 0, 30, between, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(port, sizeof port, MPI_CHAR, 0, 40, parent, MPI_STATUS_IGNORE);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
        MPI_Send(data, 5, MPI_DOUBLE, 0, 30, between);
    }
}

int main(int count, char** arguments) {
    MPI_Comm parent;
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        spawn_both(arguments[0], rank);
    else
        meet(parent, atoi(arguments[1]));
    MPI_Finalize();
    return 0;
}
