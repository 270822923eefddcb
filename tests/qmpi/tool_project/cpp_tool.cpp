// A tool in C++ that throws, and catches, before it goes on: it counts the calls of MPI_Comm_rank.
#include <mpi.h>
#include <qmpi.h>

#include <cstdio>
#include <exception>

namespace {

struct Called : std::exception {
    int* count;
};

int calls = 0;

int Rank(QMPI_Context context, int tool_id, MPI_Comm comm, int* rank) {
    void* storage = nullptr;
    QMPI_Get_tool_storage(context, tool_id, &storage);
    try {
        Called called;
        called.count = static_cast<int*>(storage);
        throw called;
    } catch (const Called& called) {
        ++*called.count;
    }
    QMPI_Function next = nullptr;
    int next_id = -1;
    QMPI_Get_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return reinterpret_cast<QMPI_Comm_rank_t*>(next)(context, next_id, comm, rank);
}

int Finalize(QMPI_Context context, int tool_id) {
    std::printf("cpp_tool %d\n", calls);
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_FINALIZE_T);
    return reinterpret_cast<QMPI_Finalize_t*>(next.function)(context, next.tool_id);
}

void Init(int tool_id) {
    QMPI_Register_tool_storage(tool_id, &calls);
    QMPI_Register_function(tool_id, MPI_COMM_RANK_T, reinterpret_cast<QMPI_Function>(Rank));
    QMPI_Register_function(tool_id, MPI_FINALIZE_T, reinterpret_cast<QMPI_Function>(Finalize));
}

__attribute__((constructor)) void Announce() {
    QMPI_Register_tool_name("cpp_tool", Init);
}

}  // namespace
