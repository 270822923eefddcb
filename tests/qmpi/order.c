/* Prints who is called, in which order, for four functions; one rank. Exported for the tools: Trace.
 * With the argument `late` it opens libtool_late.so, a tool, between two rounds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "pcontrol_arguments.h"

static char trace[4096];

void Trace(const char* tool, int place) {
    char text[64];
    snprintf(text, sizeof(text), " %s%d", tool, place);
    strncat(trace, text, sizeof(trace) - strlen(trace) - 1);
}

static void Print(const char* name) {
    printf("%s%s\n", name, trace);
    trace[0] = '\0';
}

static void Round(void) {
    int size = -1, rank = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Print("size");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Print("rank");
    MPI_Barrier(MPI_COMM_WORLD);
    Print("barrier");
    MPI_Pcontrol(2, PCONTROL_ARGUMENTS);
    Print("pcontrol");
    if (size != 1 || rank != 0) {
        puts("WRONG result");
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    trace[0] = '\0';
    int (*ids)(int, int*) = (int (*)(int, int*))dlsym(RTLD_DEFAULT, "QMPI_Get_tool_ids");
    int (*name)(int, char*, int) =
        (int (*)(int, char*, int))dlsym(RTLD_DEFAULT, "QMPI_Get_tool_name");
    if (ids != NULL) {
        int all[1025] = {0};
        char text[256];
        ids(1024, all);
        printf("ids");
        for (int i = 0; all[i] != 0; i++) {
            name(all[i], text, sizeof(text));
            printf(" %d=%s", all[i], text);
        }
        putchar('\n');
    }
    Round();
    if (argc > 1 && dlopen(argv[1], RTLD_NOW) == NULL) {
        printf("WRONG %s\n", dlerror());
    }
    if (argc > 1) {
        Round();
    }
    MPI_Finalize();
    return 0;
}
