/* The pass-through tool of the benchmark. It intercepts Comm_size, Irecv, Send and Wait, but not
 * Comm_rank. BENCH_ASK says how it learns whom to call next and what its storage is: 0: it asked once and
 * keeps the answer, 1: inline in each call, 2: by function call in each call, as a tool does that is
 * compiled with MPICH's header; 3 to 5: it keeps the next function and asks for the calling address,
 * inline or by function call, or whose code that is. It bears the name of its file, so that copies are tools of their own.
 * BENCH_PLACE moves code and data, so that copies do not share the sets of the caches. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "qmpi.h"

enum { kMaxIds = 64 };
enum { kSize, kIrecv, kSend, kWait, kFunctions };

#define SKIP_TEXT(places) #places " * 200"
#define SKIP(places) ".skip " SKIP_TEXT(places) "\n"
__asm__(".text\n" SKIP(BENCH_PLACE) ".bss\n" SKIP(BENCH_PLACE) ".text\n");

static int storage_of_tool;
static const int numbers[kFunctions] = {MPI_COMM_SIZE_T, MPI_IRECV_T, MPI_SEND_T, MPI_WAIT_T};

/* By tool id. */
static QMPI_Function kept[kFunctions][kMaxIds];
static int kept_ids[kFunctions][kMaxIds];

static inline QMPI_Link Next(QMPI_Context context, int tool_id, int which) {
    QMPI_Link next;
    (void)context;
#if BENCH_ASK == 1 || BENCH_ASK == 2
    void* storage;
#if BENCH_ASK == 1
    next = qmpi_next(context, tool_id, numbers[which]);
    storage = qmpi_tool_storage(context, tool_id);
#else
    QMPI_Get_function(tool_id, (enum QMPI_Functions_enum)numbers[which], &next.function,
                      &next.tool_id);
    QMPI_Get_tool_storage(context, tool_id, &storage);
#endif
    if (storage != &storage_of_tool) {
        abort();
    }
#else
    void* address = &storage_of_tool;
#if BENCH_ASK == 3
    address = qmpi_calling_address(context);
#elif BENCH_ASK == 4
    QMPI_Get_calling_address(context, &address);
#elif BENCH_ASK == 5
    int owner;
    address = qmpi_calling_address(context);
    if (qmpi_classify_address(address, &owner) != QMPI_CODE_APPLICATION) {
        abort();
    }
#endif
    if (address == NULL) {
        abort();
    }
    next.function = kept[which][tool_id];
    next.tool_id = kept_ids[which][tool_id];
#endif
    return next;
}

static int CommSize(QMPI_Context context, int tool_id, MPI_Comm comm, int* size) {
    const QMPI_Link next = Next(context, tool_id, kSize);
    return ((QMPI_Comm_size_t*)next.function)(context, next.tool_id, comm, size);
}

static int Irecv(QMPI_Context context, int tool_id, void* buf, int count, MPI_Datatype datatype,
                 int source, int tag, MPI_Comm comm, MPI_Request* request) {
    const QMPI_Link next = Next(context, tool_id, kIrecv);
    return ((QMPI_Irecv_t*)next.function)(context, next.tool_id, buf, count, datatype, source, tag,
                                          comm, request);
}

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    const QMPI_Link next = Next(context, tool_id, kSend);
    return ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                         comm);
}

static int Wait(QMPI_Context context, int tool_id, MPI_Request* request, MPI_Status* status) {
    const QMPI_Link next = Next(context, tool_id, kWait);
    return ((QMPI_Wait_t*)next.function)(context, next.tool_id, request, status);
}

static void Init(int tool_id) {
    const QMPI_Function functions[kFunctions] = {(QMPI_Function)CommSize, (QMPI_Function)Irecv,
                                                 (QMPI_Function)Send, (QMPI_Function)Wait};
    QMPI_Register_tool_storage(tool_id, &storage_of_tool);
    for (int i = 0; i < kFunctions; i++) {
        QMPI_Register_function(tool_id, (enum QMPI_Functions_enum)numbers[i], functions[i]);
        QMPI_Get_function(tool_id, (enum QMPI_Functions_enum)numbers[i], &kept[i][tool_id],
                          &kept_ids[i][tool_id]);
    }
}

__attribute__((constructor)) static void Announce(void) {
    Dl_info here;
    if (dladdr((void*)Init, &here) != 0) {
        const char* slash = strrchr(here.dli_fname, '/');
        QMPI_Register_tool_name(slash != NULL ? slash + 1 : here.dli_fname, Init);
    }
}
