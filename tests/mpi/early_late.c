/* Calls before MPI_Init and after MPI_Finalize, a forked child that uses no MPI, a thread that starts
 * none (early_late_test.py). */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int flag, version, subversion, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    printf("initialized: %d\n", flag);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    printf("initialized: %d\n", flag);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        int finalized;
        MPI_Finalized(&finalized); /* the one call a child may make */
        _exit(finalized);
    }
    int status = 1;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    MPI_Pcontrol(1);
    MPI_Pcontrol(2, "text", 3, 4.0, 5L, 6, 7, 8, 9);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Finalized(&flag);
    printf("finalized: %d\n", flag);
    MPI_Get_version(&version, &subversion);
    return 0;
}
