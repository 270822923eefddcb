/* The tool "delay_replayer": repeats the delays of another run. DELAYS names a file with lines
 * "RANK CALL MICROSECONDS": before its CALL-th MPI_Barrier (from 1) this rank waits so long. So a late
 * rank that was seen once can be had again, at will. */
#include <qmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMaxDelays = 10000 };

typedef struct {
    long call, microseconds;
} Delay;

typedef struct {
    int rank, count;
    long calls;
    Delay delays[kMaxDelays];
} Plan;

/* The rank is known when MPI has been initialised: at the first call. */
static void Read(Plan* plan) {
    int (*comm_rank)(MPI_Comm, int*) = (int (*)(MPI_Comm, int*))qmpi_mpi_function(MPI_COMM_RANK_T);
    const char* path = getenv("DELAYS");
    FILE* file = path != NULL ? fopen(path, "r") : NULL;
    comm_rank(MPI_COMM_WORLD, &plan->rank);
    if (file == NULL) {
        fprintf(stderr, "delay_replayer: DELAYS names no file that can be read\n");
        return;
    }
    int rank;
    Delay delay;
    while (plan->count < kMaxDelays &&
           fscanf(file, "%d %ld %ld", &rank, &delay.call, &delay.microseconds) == 3) {
        if (rank == plan->rank) {
            plan->delays[plan->count++] = delay;
        }
    }
    fclose(file);
}

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    Plan* plan = qmpi_tool_storage(context, tool_id);
    if (plan->calls++ == 0) {
        Read(plan);
    }
    for (int i = 0; i < plan->count; i++) {
        if (plan->delays[i].call == plan->calls) {
            const long us = plan->delays[i].microseconds;
            const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
            fprintf(stderr, "delay_replayer: rank %d waits %ld us in barrier %ld\n", plan->rank, us,
                    plan->calls);
            nanosleep(&pause, NULL);
        }
    }
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_BARRIER_T);
    return ((QMPI_Barrier_t*)next.function)(context, next.tool_id, comm);
}

static void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, calloc(1, sizeof(Plan)));
    QMPI_Register_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("delay_replayer", Init);
}
