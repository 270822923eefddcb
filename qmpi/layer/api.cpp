// The exported interface. The prototypes are qmpi.h's and MPICH's; they are repeated here in their
// binary form because mpi.h differs between MPIs and between versions (enum or int).
#include <dlfcn.h>

#include <atomic>

#include "layer/bind.h"
#include "layer/call.h"
#include "layer/caller.h"
#include "layer/chain.h"
#include "layer/library.h"
#include "layer/tables.h"

#define QMPI_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Context {
    void** storage_stack;
};

int ResultOf(bool ok) {
    return ok ? 0 : qmpi_error_argument;
}

}  // namespace

QMPI_EXPORT int QMPI_Register_tool_name(const char* tool_name, void (*init)(int)) {
    return ResultOf(qmpi::RegisterTool(tool_name, init));
}

QMPI_EXPORT int QMPI_Register_tool_storage(int tool_id, void* storage) {
    return ResultOf(qmpi::RegisterStorage(tool_id, storage));
}

QMPI_EXPORT int QMPI_Register_function(int tool_id, int function, void (*pointer)(void)) {
    return ResultOf(qmpi::RegisterFunction(tool_id, qmpi::RowOf(function), pointer));
}

// The two that tools may call in every wrapper: loads and comparisons alone. A row without a function
// in this MPI has a null link.
QMPI_EXPORT int QMPI_Get_function(int tool_id, int function, void (**pointer)(void), int* next_id) {
    const QMPI_Chain* chain = qmpi::Chain();
    if (chain == nullptr || static_cast<unsigned>(tool_id) > unsigned(chain->tool_count) ||
        pointer == nullptr || next_id == nullptr) {
        return qmpi_error_argument;
    }
    const int row = qmpi::RowOfNumber(function, chain->rows_below, chain->row_count);
    if (row < 0) {
        return qmpi_error_argument;
    }
    const QMPI_Link& link = chain->next[tool_id * chain->row_count + row];
    if (link.function == nullptr) {
        return qmpi_error_argument;
    }
    *pointer = link.function;
    *next_id = link.tool_id;
    return 0;
}

QMPI_EXPORT int QMPI_Get_tool_storage(Context, int tool_id, void** storage) {
    const QMPI_Chain* chain = qmpi::Chain();
    if (chain == nullptr || storage == nullptr || tool_id < 1 || tool_id > chain->tool_count) {
        return qmpi_error_argument;
    }
    *storage = chain->storages[tool_id];
    return 0;
}

QMPI_EXPORT int QMPI_Get_calling_address(Context context, void** address) {
    if (context.storage_stack == nullptr || address == nullptr) {
        return qmpi_error_argument;
    }
    *address = reinterpret_cast<const QMPI_Call*>(context.storage_stack)->calling_address;
    return 0;
}

QMPI_EXPORT const char* qmpi_mpi_name() {
    return qmpi_name;
}

QMPI_EXPORT int qmpi_active() {
    return qmpi::IsActive() ? 1 : 0;
}

QMPI_EXPORT QMPI_Function qmpi_mpi_function(int function) {
    const int row = qmpi::RowOf(function);
    return row < 0 ? nullptr : reinterpret_cast<QMPI_Function>(qmpi::ProfilingFunction(row));
}

// A library that goes away takes its address range along: what was known about callers is void.
QMPI_EXPORT int dlclose(void* handle) {
    using Dlclose = int (*)(void*);
    static std::atomic<Dlclose> cached{nullptr};
    Dlclose next = cached.load(std::memory_order_acquire);
    if (next == nullptr) {
        next = reinterpret_cast<Dlclose>(dlsym(RTLD_NEXT, "dlclose"));
        cached.store(next, std::memory_order_release);
    }
    const int result = next != nullptr ? next(handle) : 0;
    qmpi::ForgetCallers();
    return result;
}
