/* A tool named TOOL_NAME that says when it is called, in which place of the chain it stands, and
 * whether storage, context and successors are what they should be. TOOL_FUNCTIONS says what it
 * intercepts: r = MPI_Comm_rank, s = MPI_Comm_size, b = MPI_Barrier; S = MPI_Comm_size and in it a
 * plain call of MPI_Comm_rank, of PMPI_Comm_size and one of MPI_Comm_size down the chain more; p =
 * MPI_Pcontrol. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "order.h"
#include "qmpi.h"

typedef struct {
    int tool_id;
    int next_id; /* of MPI_Comm_size, as it was known in Init */
} Instance;

static Instance instances[1024];
static int count;

static int Place(int tool_id) {
    int ids[1024] = {0};
    QMPI_Get_tool_ids(1024, ids);
    for (int i = 0; i < 1024 && ids[i] != QMPI_MPI_ID; i++) {
        if (ids[i] == tool_id) {
            return i + 1;
        }
    }
    return -1;
}

static void Check(QMPI_Context context, int tool_id, int number) {
    void* storage = NULL;
    QMPI_Function asked = NULL;
    int next_id = -1, list[2] = {-1, -1};
    const QMPI_Link link = qmpi_next(context, tool_id, number);
    QMPI_Get_tool_storage(context, tool_id, &storage);
    QMPI_Get_function(tool_id, number, &asked, &next_id);
    QMPI_Get_next_tool(tool_id, number, 2, list);
    const Instance* instance = storage;
    if (instance == NULL || instance->tool_id != tool_id ||
        storage != qmpi_tool_storage(context, tool_id) || asked != link.function ||
        next_id != link.tool_id || list[0] != next_id ||
        (number == MPI_COMM_SIZE_T && instance->next_id != next_id)) {
        printf("WRONG %s %d\n", TOOL_NAME, tool_id);
    }
    if (Trace != NULL) {
        Trace(TOOL_NAME, Place(tool_id));
    }
}

static int Size(QMPI_Context context, int tool_id, MPI_Comm comm, int* size) {
    Check(context, tool_id, MPI_COMM_SIZE_T);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_COMM_SIZE_T);
    QMPI_Comm_size_t* call = (QMPI_Comm_size_t*)next.function;
    if (strchr(TOOL_FUNCTIONS, 'S') != NULL) {
        int rank = -1, own_size = -1;
        MPI_Comm_rank(comm, &rank);
        ((int (*)(MPI_Comm, int*))qmpi_mpi_function(MPI_COMM_SIZE_T))(comm, &own_size);
        call(context, next.tool_id, comm, size);
        if (rank != 0 || own_size != 1 || *size != 1) {
            puts("WRONG own calls");
        }
    }
    return call(context, next.tool_id, comm, size);
}

static int Rank(QMPI_Context context, int tool_id, MPI_Comm comm, int* rank) {
    Check(context, tool_id, MPI_COMM_RANK_T);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_COMM_RANK_T);
    return ((QMPI_Comm_rank_t*)next.function)(context, next.tool_id, comm, rank);
}

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    Check(context, tool_id, MPI_BARRIER_T);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_BARRIER_T);
    return ((QMPI_Barrier_t*)next.function)(context, next.tool_id, comm);
}

static void* Begin(QMPI_Context context, int tool_id, int level, void* frame) {
    Check(context, tool_id, MPI_PCONTROL_T);
    return level == 2 ? frame : NULL;
}

static void End(void* frame, int level, int result) {
    if (level != 2 || frame == NULL || result != MPI_SUCCESS) {
        puts("WRONG MPI_Pcontrol");
    }
}

static void Init(int tool_id) {
    Instance* instance = &instances[count++ % 1024];
    instance->tool_id = tool_id;
    QMPI_Register_tool_storage(tool_id, instance);
    if (strpbrk(TOOL_FUNCTIONS, "sS") != NULL) {
        QMPI_Register_function(tool_id, MPI_COMM_SIZE_T, (QMPI_Function)Size);
    }
    if (strchr(TOOL_FUNCTIONS, 'r') != NULL) {
        QMPI_Register_function(tool_id, MPI_COMM_RANK_T, (QMPI_Function)Rank);
    }
    if (strchr(TOOL_FUNCTIONS, 'b') != NULL) {
        QMPI_Register_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
    }
    if (strchr(TOOL_FUNCTIONS, 'p') != NULL) {
        qmpi_register_pcontrol(tool_id, Begin, End);
    }
    QMPI_Function next;
    QMPI_Get_function(tool_id, MPI_COMM_SIZE_T, &next, &instance->next_id);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name(TOOL_NAME, Init);
}
