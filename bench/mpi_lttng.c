/* The calls of mpi_call_bench.c through LTTng-UST: a PMPI tool with an event before and one behind
 * each, with what comshu records of it. Preloaded by bench/run.py. */
#include <mpi.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "engine_bench_lttng_tp.h"

enum { kCommSize, kIrecv, kSend, kWait };

#define TRACED(function, bytes, request, tag, peer, call)                                    \
    lttng_ust_tracepoint(comshu_bench, call_begin, (uint64_t)__builtin_return_address(0), 0, \
                         (uint64_t)(bytes), (uint64_t)(request), tag, peer, peer, function); \
    const int result = call;                                                                 \
    lttng_ust_tracepoint(comshu_bench, call_end, function);                                  \
    return result

int MPI_Comm_size(MPI_Comm comm, int* size) {
    TRACED(kCommSize, 0, 0, 0, 0, PMPI_Comm_size(comm, size));
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
    TRACED(kIrecv, count, request, tag, source,
           PMPI_Irecv(buffer, count, type, source, tag, comm, request));
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
    TRACED(kSend, count, 0, tag, target, PMPI_Send(buffer, count, type, target, tag, comm));
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    TRACED(kWait, 0, request, 0, 0, PMPI_Wait(request, status));
}
