// Two ranks that wait for each other in every way, on purpose:
//
//   mpirun -n 2 ./waits [milliseconds = 20]
//
// In each of the steps below one rank comes that much later than the other: a late sender, a late
// receiver, a barrier, an all-to-all, a root that comes early, one that comes late, a scan, an
// all-to-all that is not blocking and is waited for at once. Known by
// construction: from its return of the barrier before, the late one does not call for at least that
// long; it is rank 0 in steps of even number, rank 1 in the others.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double milliseconds = 20;

static void ComeLate(void) {
    const long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1) milliseconds = atof(argv[1]);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0) fprintf(stderr, "waits: needs 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int number = rank, sum = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    // 0: late sender.
    if (rank == 0) {
        ComeLate();
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // 1: late receiver.
    if (rank == 0) {
        MPI_Ssend(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        ComeLate();
        MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // 2: barrier.
    if (rank == 0) ComeLate();
    MPI_Barrier(MPI_COMM_WORLD);
    // 3: all to all.
    if (rank == 1) ComeLate();
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    // 4: the root of a reduction comes early.
    if (rank == 0) ComeLate();
    MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    // 5: the root of a broadcast comes late.
    if (rank == 1) ComeLate();
    MPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    // 6: a scan.
    if (rank == 0) ComeLate();
    MPI_Scan(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    // 7: all to all, not blocking.
    if (rank == 1) ComeLate();
    MPI_Request request;
    MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
