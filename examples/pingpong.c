/* Ranks 0 and 1 send a message to and fro, for every power of two from 1 byte up.
 *
 *   pingpong [repetitions = 100] [largest = 1048576]
 *
 * With s sizes (21 for 1 MiB): ranks 0 and 1 call MPI_Send and MPI_Recv s x repetitions times each,
 * blocking, tag = position of the size (0 for 1 byte); each sends s x repetitions messages of
 * repetitions x (2 x largest - 1) bytes together to the other (largest being a power of two). Every
 * rank calls MPI_Barrier s times, MPI_Init, MPI_Comm_rank, MPI_Comm_size and MPI_Finalize once; rank 0
 * calls MPI_Wtime 2 x s times. Ranks from 2 on only meet in the barriers. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int repetitions = argc > 1 ? atoi(argv[1]) : 100;
    const int largest = argc > 2 ? atoi(argv[2]) : 1 << 20;

    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "pingpong needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    char* buffer = calloc((size_t)largest, 1);

    for (int bytes = 1, tag = 0; bytes <= largest; bytes *= 2, ++tag) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            const double begin = MPI_Wtime();
            for (int i = 0; i < repetitions; ++i) {
                MPI_Send(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
                MPI_Recv(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            const double half = (MPI_Wtime() - begin) / repetitions / 2;
            printf("%8d bytes %10.2f us %10.1f MB/s\n", bytes, half * 1e6, bytes / half / 1e6);
        } else if (rank == 1) {
            for (int i = 0; i < repetitions; ++i) {
                MPI_Recv(buffer, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
            }
        }
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
