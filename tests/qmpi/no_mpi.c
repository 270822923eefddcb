/* A program that only asks whether there is an MPI, in a process without one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    int (*initialized)(int*) = (int (*)(int*))dlsym(RTLD_DEFAULT, "MPI_Initialized");
    int (*barrier)(long) = (int (*)(long))dlsym(RTLD_DEFAULT, "MPI_Barrier");
    double (*wtime)(void) = (double (*)(void))dlsym(RTLD_DEFAULT, "MPI_Wtime");
    void (*fortran)(int*) = (void (*)(int*))dlsym(RTLD_DEFAULT, "mpi_finalize_");
    if (initialized == NULL || barrier == NULL || wtime == NULL) {
        puts("OK without the layer");
        return 0;
    }
    int flag = 1, error = 0;
    int good = initialized(&flag) == 0 && flag == 0 && barrier(0) != 0 && wtime() == 0;
    if (fortran != NULL) {
        fortran(&error);
    }
    puts(good ? "OK" : "WRONG");
    return good ? 0 : 1;
}
