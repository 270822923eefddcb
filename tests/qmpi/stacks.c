/* For the supertool: a barrier on each of two communicators, and who is called. Exported: Trace. */
#include <mpi.h>
#include <stdio.h>

void Trace(const char* tool, int place) {
    printf(" %s%d", tool, place);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    printf("world");
    MPI_Barrier(MPI_COMM_WORLD);
    printf("\nself");
    MPI_Barrier(MPI_COMM_SELF);
    putchar('\n');
    MPI_Finalize();
    return 0;
}
