// Two ranks that may play hosts with different clocks, and end in different ways:
//
//   clocks messages N    rank 1 sends N messages to rank 0 and gets an answer to each
//   clocks abort         rank 1 calls MPI_Abort(5) while rank 0 is in MPI_Finalize
//   clocks vanish        rank 1 leaves by _exit(6) while rank 0 is in MPI_Finalize
//   clocks alone N       the messages, and rank 1 does not take part in comparing clocks
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int RankToBe(void) {
    const char* rank = getenv("PMI_RANK");
    if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank == NULL ? 0 : atoi(rank);
}

int main(int argc, char** argv) {
    if (strcmp(argv[1], "alone") == 0 && RankToBe() == 1) setenv("COMSHU_MPI_CLOCKS", "off", 1);
    MPI_Init(&argc, &argv);
    int rank, number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int messages = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 0; i < messages; ++i) {
        if (rank == 1) {
            MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Send(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        }
    }
    if (rank == 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    if (rank == 1 && strcmp(argv[1], "vanish") == 0) _exit(6);
    MPI_Finalize();
    return 0;
}
