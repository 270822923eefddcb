// halves FOLDER [CALLS]: makes so many calls, tells the test, and as many more when it says `go`.
#include <mpi.h>

#include "counted.h"

int main(int count, char** arguments) {
    const char* folder = arguments[1];
    const int calls = count > 2 ? atoi(arguments[2]) : 200;
    int rank, version, subversion, i, half;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (half = 0; half < 2; ++half) {
        for (i = 0; i < calls; ++i) MPI_Get_version(&version, &subversion);
        if (half == 0) {
            Mark(folder, "half", rank);
            AwaitFile(folder, "go");
            if (chdir("/") != 0) return 90;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("program: rank %d is done\n", rank);
    return 0;
}
