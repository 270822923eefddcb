/* A call from four known functions deep, for the tool that asks for the stack. One rank. */
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline, noclone)) void Inner(MPI_Comm comm) {
    MPI_Barrier(comm);
    __asm__ volatile("");
}

__attribute__((noinline, noclone)) void Middle(MPI_Comm comm) {
    Inner(comm);
    __asm__ volatile("");
}

__attribute__((noinline, noclone)) void Outer(MPI_Comm comm) {
    Middle(comm);
    __asm__ volatile("");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Outer(MPI_COMM_WORLD);
    MPI_Finalize();
    puts("OK");
    return 0;
}
