/* Asks for the calling address of MPI_Barrier a thousand times, and says in which function it lies, how much
 * of the heap that took, and whose code it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>

#include "qmpi.h"

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    void* address = NULL;
    Dl_info info = {0};
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; i++) {
        QMPI_Get_calling_address(context, &address);
    }
    const size_t heap = mallinfo2().uordblks - before;
    dladdr(address, &info);
    const char* const owners[] = {"application", "MPI", "tool", "other"};
    printf("ADDRESS %s %zu %s\n", info.dli_sname != NULL ? info.dli_sname : "?", heap,
           owners[qmpi_classify_address(address, NULL)]);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_BARRIER_T);
    return ((QMPI_Barrier_t*)next.function)(context, next.tool_id, comm);
}

static void Init(int tool_id) {
    QMPI_Register_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("defect_tool", Init);
}
