/* Calls before MPI_Init and after MPI_Finalize, MPI_Finalize from an exit handler, and the variable
 * arguments of MPI_Pcontrol. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "pcontrol_arguments.h"

static int good = 1;

static void AtExit(void) {
    int flag = 0;
    MPI_Finalize();
    MPI_Finalized(&flag);
    puts(good && flag ? "OK" : "WRONG");
}

int main(void) {
    int flag = 1, version = 0, subversion = 0;
    MPI_Initialized(&flag);
    good &= flag == 0;
    MPI_Finalized(&flag);
    good &= flag == 0;
    MPI_Get_version(&version, &subversion);
    good &= version >= 3;
    MPI_Init(NULL, NULL);
    MPI_Pcontrol(2, PCONTROL_ARGUMENTS);
    MPI_Pcontrol(0);
    atexit(AtExit);
    return good ? 0 : 1;
}
