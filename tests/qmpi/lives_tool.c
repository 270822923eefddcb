/* A tool that does what LIFE says, at odd moments, and counts the calls of MPI_Comm_rank: its destructor
 * prints how many there were. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qmpi.h"

static int calls;

static int Is(const char* what) {
    const char* life = getenv("LIFE");
    return life != NULL && strcmp(life, what) == 0;
}

static void AskMpi(const char* where) {
    int initialized = -1;
    MPI_Initialized(&initialized);
    printf("%s: %d\n", where, initialized);
    fflush(stdout);
}

static void* AskInThread(void* where) {
    AskMpi(where);
    return NULL;
}

static int Rank(QMPI_Context context, int tool_id, MPI_Comm comm, int* rank) {
    if (Is("exit in wrapper")) {
        exit(7);
    }
    if (++calls < 100 && Is("recursion")) {
        volatile int result = MPI_Comm_rank(comm, rank); /* no tail call */
        return result;
    }
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_COMM_RANK_T);
    return ((QMPI_Comm_rank_t*)next.function)(context, next.tool_id, comm, rank);
}

static void Init(int tool_id) {
    if (Is("exit in init")) {
        exit(8);
    }
    if (Is("MPI in init")) {
        pthread_t thread;
        AskMpi("init");
        pthread_create(&thread, NULL, AskInThread, "thread");
        pthread_join(thread, NULL);
    }
    QMPI_Register_function(tool_id, MPI_COMM_RANK_T, (QMPI_Function)Rank);
}

__attribute__((constructor)) static void Announce(void) {
    if (Is("exit in constructor")) {
        exit(9);
    }
    if (Is("MPI in constructor")) {
        AskMpi("constructor");
    }
    QMPI_Register_tool_name("lives_tool", Init);
}

__attribute__((destructor)) static void Report(void) {
    printf("TOOL %d\n", calls);
    fflush(stdout);
}
