// heap N: reads the N-th byte of 16 on the heap, as a sanitizer finds or not; adds large numbers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    volatile char* bytes = calloc(16, 1);
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("program: byte %d\n", bytes[atoi(arguments[1])]);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    free((void*)bytes);
    return 3;
}
