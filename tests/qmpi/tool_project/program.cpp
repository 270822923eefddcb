// Says whether the layer that it is linked to has a tool.
#include <mpi.h>
#include <qmpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    int rank = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::printf("rank %d active %d\n", rank, qmpi_active());
    MPI_Finalize();
    return 0;
}
