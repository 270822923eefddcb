// An object that uses MPI, opened and closed by loader.c and by Python.
#include <mpi.h>
#include <stddef.h>

int UseMpi(int calls) {
    int initialized = 0, version, subversion, i;
    MPI_Initialized(&initialized);
    if (!initialized) MPI_Init(NULL, NULL);
    for (i = 0; i < calls; ++i) MPI_Get_version(&version, &subversion);
    return version;
}

void EndMpi(void) {
    MPI_Finalize();
}
