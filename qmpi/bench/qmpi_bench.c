/* Cost of the QMPI layer per call: the same program runs bare, under the layer, and under the layer
 * with pass-through tools (qmpi_bench.py compares). One rank; the least of many batches counts, in
 * ns per call. With `count` it makes a thousand calls for callgrind to count instead. It is
 * compiled once more as a library, which the program calls if it is given the path of it. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kBatches = 400, kCalls = 2000 };

static double Now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#define MEASURE(name, calls_per_turn, statement)                             \
    do {                                                                     \
        double least = 1e30;                                                 \
        for (int batch = 0; batch < kBatches; batch++) {                     \
            const double begin = Now();                                      \
            for (int call = 0; call < kCalls; call++) {                      \
                statement;                                                   \
            }                                                                \
            const double each = (Now() - begin) / kCalls / (calls_per_turn); \
            least = each < least ? each : least;                             \
        }                                                                    \
        printf("%s %.2f\n", name, least);                                    \
    } while (0)

__attribute__((noinline)) void Counted(int calls) {
    int size;
    for (int call = 0; call < calls; call++) {
        MPI_Comm_size(MPI_COMM_SELF, &size);
    }
}

int main(int argc, char** argv) {
    if (argc > 1 && strchr(argv[1], '/') != NULL) {
        void* library = dlopen(argv[1], RTLD_NOW);
        int (*run)(int, char**) =
            library != NULL ? (int (*)(int, char**))dlsym(library, "Run") : NULL;
        return run != NULL ? run(argc - 1, argv + 1) : 1;
    }
    int size, buffer = 0, message = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    if (argc > 1) {
        Counted(1000);
        MPI_Finalize();
        return 0;
    }
    MEASURE("PMPI_Comm_size", 1, PMPI_Comm_size(MPI_COMM_SELF, &size));
    MEASURE("MPI_Comm_size", 1, MPI_Comm_size(MPI_COMM_SELF, &size));
    MEASURE("MPI_Comm_rank", 1, MPI_Comm_rank(MPI_COMM_SELF, &size));
    MEASURE("Irecv+Send+Wait", 1, {
        MPI_Irecv(&buffer, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
        MPI_Send(&message, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    MPI_Finalize();
    return buffer == 1 ? 0 : 1;
}
