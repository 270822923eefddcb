/* A tool of the interface of October 2020 that prints the application's stack of MPI_Barrier, and checks
 * what that interface gives and how addresses are classified. */
#define _GNU_SOURCE
#define QMPI_API 202010
#include <dlfcn.h>
#include <stdio.h>

#include "qmpi.h"

static int storages[1000];

static const char* NameOf(void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0 && info.dli_sname != NULL ? info.dli_sname : "?";
}

__attribute__((noinline)) static void Check(QMPI_Context context, int tool_id, QMPI_Context next) {
    void *address = NULL, *storage = NULL, *stack[8] = {NULL};
    int owner = -1;
    QMPI_Context_get_calling_address(context, tool_id, &address);
    QMPI_Context_get_storage(context, tool_id, &storage);
    QMPI_Context_get_calling_stack(context, 8, stack);
    if (address == NULL || storage != &storages[tool_id] || stack[0] != address ||
        qmpi_calling_address(next) != address || qmpi_tool_storage(next, tool_id) != storage ||
        qmpi_classify_address(address, &owner) != QMPI_CODE_APPLICATION || owner != 0 ||
        qmpi_classify_address(__builtin_return_address(0), &owner) != QMPI_CODE_TOOL ||
        qmpi_classify_address((void*)qmpi_mpi_function(MPI_BARRIER_T), NULL) != QMPI_CODE_MPI ||
        qmpi_classify_address(&owner, NULL) != QMPI_CODE_OTHER) {
        puts("WRONG");
    }
    printf("STACK");
    for (int i = 0; i < 8 && stack[i] != NULL; i++) {
        printf(" %s", NameOf(stack[i]));
    }
    putchar('\n');
}

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    QMPI_Function function = NULL;
    QMPI_Context next = {NULL};
    int next_id = -1, size = -1;
    QMPI_Get_function(tool_id, MPI_BARRIER_T, &function, &next_id, &next);
    Check(context, tool_id, next);
    MPI_Comm_size(comm, &size); /* below it */
    Check(context, tool_id, next);
    return ((QMPI_Barrier_t*)function)(next, next_id, comm);
}

static int Size(QMPI_Context context, int tool_id, MPI_Comm comm, int* size) {
    QMPI_Function function = NULL;
    QMPI_Context next = {NULL};
    int next_id = -1;
    (void)context;
    QMPI_Get_function(tool_id, MPI_COMM_SIZE_T, &function, &next_id, &next);
    printf("SIZE %d\n", qmpi_classify_address(qmpi_calling_address(next), NULL));
    return ((QMPI_Comm_size_t*)function)(next, next_id, comm, size);
}

static void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, &storages[tool_id]);
    QMPI_Register_tool_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
    QMPI_Register_tool_function(tool_id, MPI_COMM_SIZE_T, (QMPI_Function)Size);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("stack_tool", Init);
}
