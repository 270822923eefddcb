/* The tool "message_sizes": a histogram of the bytes of MPI_Send and MPI_Isend in powers of two. */
#include <qmpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBins = 32 };

/* Counted with atomics: several threads of a rank may send at once. */
static void Count(QMPI_Context context, int tool_id, int count, MPI_Datatype datatype) {
    long* bins = qmpi_tool_storage(context, tool_id);
    int size = 0;
    const QMPI_Link type_size = qmpi_next(context, tool_id, MPI_TYPE_SIZE_T);
    ((QMPI_Type_size_t*)type_size.function)(context, type_size.tool_id, datatype, &size);
    const unsigned long bytes = (unsigned long)count * (unsigned long)size;
    const int bin = bytes == 0 ? 0 : 64 - __builtin_clzl(bytes);
    __atomic_fetch_add(&bins[bin < kBins ? bin : kBins - 1], 1, __ATOMIC_RELAXED);
}

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Count(context, tool_id, count, datatype);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_SEND_T);
    return ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                         comm);
}

static int Isend(QMPI_Context context, int tool_id, const void* buf, int count,
                 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Count(context, tool_id, count, datatype);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_ISEND_T);
    return ((QMPI_Isend_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                          comm, request);
}

static int Finalize(QMPI_Context context, int tool_id) {
    const long* bins = qmpi_tool_storage(context, tool_id);
    for (int bin = 0; bin < kBins; bin++) {
        if (bins[bin] > 0) {
            fprintf(stderr, "message_sizes: below %lu bytes: %ld\n", 1ul << bin, bins[bin]);
        }
    }
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_FINALIZE_T);
    return ((QMPI_Finalize_t*)next.function)(context, next.tool_id);
}

static void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, calloc(kBins, sizeof(long)));
    QMPI_Register_function(tool_id, MPI_SEND_T, (QMPI_Function)Send);
    QMPI_Register_function(tool_id, MPI_ISEND_T, (QMPI_Function)Isend);
    QMPI_Register_function(tool_id, MPI_FINALIZE_T, (QMPI_Function)Finalize);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("message_sizes", Init);
}
