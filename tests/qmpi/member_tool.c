/* An ordinary PMPI tool. TOOL_ASKS: it asks dlsym in its constructor for what it calls next, else it
 * calls PMPI_*. It says when it is called, and counts its own calls and constructors. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#include "pcontrol_arguments.h"

void Trace(const char* tool, int place) __attribute__((weak));

static int constructed, calls;
static int (*volatile table[1])(MPI_Comm) = {PMPI_Barrier};

#ifdef TOOL_ASKS
static int (*next_size)(MPI_Comm, int*);
static int (*next_rank)(MPI_Comm, int*);
static int (*next_pcontrol)(const int, ...);
static double (*next_wtime)(void);
#else
#define next_size PMPI_Comm_size
#define next_rank PMPI_Comm_rank
#define next_pcontrol PMPI_Pcontrol
#define next_wtime PMPI_Wtime
#endif

static void Say(int what) {
    calls++;
    if (Trace != NULL) {
        Trace(TOOL_NAME, what);
    }
}

__attribute__((constructor)) static void Construct(int argc, char** argv, char** environment) {
    constructed++;
    if (argc < 1 || argv == NULL || argv[0] == NULL || environment == NULL) {
        puts("WRONG constructor");
    }
#ifdef TOOL_ASKS
    next_size = (int (*)(MPI_Comm, int*))dlsym(RTLD_NEXT, "MPI_Comm_size");
    next_rank = (int (*)(MPI_Comm, int*))dlvsym(RTLD_DEFAULT, "PMPI_Comm_rank", "MPI_1");
    if (next_rank ==
        NULL) { /* the MPI library has no versions; under the layer none is asked for */
        next_rank = (int (*)(MPI_Comm, int*))dlsym(RTLD_DEFAULT, "PMPI_Comm_rank");
    }
    next_pcontrol = (int (*)(const int, ...))dlsym(RTLD_NEXT, "MPI_Pcontrol");
    next_wtime = (double (*)(void))dlsym(RTLD_DEFAULT, "PMPI_Wtime");
    if (dlsym(RTLD_DEFAULT, "puts") != (void*)puts || dlsym(RTLD_NEXT, "MPI_Nothing") != NULL) {
        puts("WRONG dlsym");
    }
#endif
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    int rank;
    Say(constructed);
    MPI_Comm_rank(comm, &rank); /* its own: below it */
    return next_size(comm, size);
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    Say(constructed);
    return next_rank(comm, rank);
}

int MPI_Barrier(MPI_Comm comm) {
    Say(constructed);
    return table[0](comm);
}

double MPI_Wtime(void) {
    return next_wtime();
}

int MPI_Pcontrol(const int level, ...) {
    if (level != 2) {
        Say(constructed);
        return next_pcontrol(level);
    }
    va_list list;
    va_start(list, level);
    const PcontrolArguments arguments = ReadPcontrolArguments(list);
    va_end(list);
    if (!ArePcontrolArguments(&arguments)) {
        puts("WRONG MPI_Pcontrol");
    }
    Say(constructed);
    return next_pcontrol(level, PCONTROL_WORDS(arguments));
}

__attribute__((destructor)) static void Report(void) {
    if (calls > 0) {
        printf("PMPI " TOOL_NAME " %d\n", calls);
    }
}
