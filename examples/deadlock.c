/* Ranks 0 and 1 exchange numbers that way round that works with MPI_Sendrecv alone: both receive
 * first, and wait for each other for ever.
 *
 *   deadlock [rounds = 3] [tags]
 *
 * In `rounds` rounds rank 0 sends 4 bytes with tag 1 and rank 1 receives them. Then both call MPI_Recv,
 * one integer, from the other, tag 7, and stay there; the MPI_Send behind it is never called. Further
 * ranks stay in MPI_Barrier. Before: MPI_Init, MPI_Comm_rank, MPI_Comm_size once on each rank.
 *
 * With `tags`, rank 0 sends an integer with tag 7 after the rounds, and rank 1 waits for one with
 * tag 8. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    int rank, size, number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "deadlock needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    if (rank < 2) {
        const int other = 1 - rank;
        for (int i = 0; i < rounds; ++i) {
            if (rank == 0) {
                MPI_Send(&i, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
            } else {
                MPI_Recv(&number, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        if (argc > 2) {
            if (rank == 0) {
                MPI_Send(&rank, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
            } else {
                MPI_Recv(&number, 1, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            MPI_Finalize();
            return 0;
        }
        MPI_Recv(&number, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
