// The exported interface. The prototypes are qmpi.h's and MPICH's; they are repeated here in their
// binary form because mpi.h differs between MPIs and between versions (enum or int).
#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "layer/bind.h"
#include "layer/call.h"
#include "layer/caller.h"
#include "layer/chain.h"
#include "layer/library.h"
#include "layer/member_call.h"
#include "layer/report.h"
#include "layer/stack.h"
#include "layer/pcontrol.h"
#include "layer/tables.h"
#include "layer/tools.h"

#define QMPI_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Context {
    void** storage_stack;
};

int ResultOf(bool ok) {
    return ok ? 0 : qmpi_error_argument;
}

bool IsUpTo(int value, int last) {
    return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

[[gnu::noinline]] int FindFunction(int tool_id, int function, QMPI_Function* pointer,
                                   int* next_id) {
    QMPI_Link link;
    if (pointer == nullptr || next_id == nullptr ||
        !qmpi::FindLink(tool_id, qmpi::RowOf(function), &link)) {
        return qmpi_error_argument;
    }
    *pointer = link.function;
    *next_id = link.tool_id;
    return 0;
}

[[gnu::noinline]] int FindStorageOf(int tool_id, void** storage) {
    return ResultOf(storage != nullptr && qmpi::FindStorage(tool_id, storage));
}

}  // namespace

QMPI_EXPORT int QMPI_Register_tool_name(const char* tool_name, void (*init)(int)) {
    return ResultOf(qmpi::RegisterTool(tool_name, init, "mpich"));
}

// The name that qmpi.h gives it on Open MPI, so that a tool of the wrong MPI is known.
QMPI_EXPORT int QMPI_Register_tool_name_openmpi(const char* tool_name, void (*init)(int)) {
    return ResultOf(qmpi::RegisterTool(tool_name, init, "openmpi"));
}

QMPI_EXPORT int QMPI_Register_tool_storage(int tool_id, void* storage) {
    return ResultOf(qmpi::RegisterStorage(tool_id, storage));
}

QMPI_EXPORT int QMPI_Register_function(int tool_id, int function, void (*pointer)(void)) {
    return ResultOf(qmpi::RegisterFunction(tool_id, qmpi::RowOf(function), pointer, nullptr));
}

// The two that tools may call in every wrapper: loads and comparisons alone, once the chain is
// complete. A row without a function in this MPI has a null link.
QMPI_EXPORT int QMPI_Get_function(int tool_id, int function, void (**pointer)(void), int* next_id) {
    const QMPI_Chain* chain = __atomic_load_n(&qmpi_chain_of_tools, __ATOMIC_ACQUIRE);
    if (chain != nullptr && IsUpTo(tool_id, chain->tool_count) &&
        IsUpTo(function, chain->rows_below - 1) && pointer != nullptr && next_id != nullptr) {
        const QMPI_Link& link = qmpi_chain_tool(chain, tool_id)->next[function];
        QMPI_Function found = link.function;
        if (found != nullptr) {
            *next_id = link.tool_id;
            *pointer = found;
            return 0;
        }
    }
    return FindFunction(tool_id, function, pointer, next_id);
}

QMPI_EXPORT int QMPI_Get_tool_storage(Context, int tool_id, void** storage) {
    const QMPI_Chain* chain = __atomic_load_n(&qmpi_chain_of_tools, __ATOMIC_ACQUIRE);
    if (chain != nullptr && tool_id > 0 && tool_id <= chain->tool_count && storage != nullptr) {
        *storage = qmpi_chain_tool(chain, tool_id)->storage;
        return 0;
    }
    return FindStorageOf(tool_id, storage);
}

QMPI_EXPORT int QMPI_Get_calling_address(Context context, void** address) {
    if (context.storage_stack == nullptr || address == nullptr) {
        return qmpi_error_argument;
    }
    *address = reinterpret_cast<const QMPI_Call*>(context.storage_stack)->calling_address;
    return 0;
}

QMPI_EXPORT int QMPI_Get_tool_ids(int count, int* ids) {
    if (count < 0 || ids == nullptr) {
        return qmpi_error_argument;
    }
    qmpi::ListTools(0, -1, count, ids);
    return 0;
}

QMPI_EXPORT int QMPI_Get_tool_name(int tool_id, char* name, int size) {
    const char* found = qmpi::NameOf(tool_id);
    if (found == nullptr || name == nullptr || size < 1) {
        return qmpi_error_argument;
    }
    snprintf(name, static_cast<size_t>(size), "%s", found);
    return 0;
}

QMPI_EXPORT int QMPI_Get_next_tool(int tool_id, int function, int count, int* ids) {
    const int row = qmpi::RowOf(function);
    if (!qmpi::IsTool(tool_id) || row < 0 || count < 0 || ids == nullptr) {
        return qmpi_error_argument;
    }
    qmpi::ListTools(tool_id, row, count, ids);
    return 0;
}

QMPI_EXPORT int QMPI_Get_tool_fn(int tool_id, int function, void (**pointer)(void),
                                 Context* context) {
    QMPI_Function found = qmpi::FunctionOf(tool_id, qmpi::RowOf(function));
    if (found == nullptr || pointer == nullptr) {
        return qmpi_error_argument;
    }
    *pointer = found;
    if (context != nullptr) {
        context->storage_stack = reinterpret_cast<void**>(&qmpi_open_call.record);
    }
    return 0;
}

QMPI_EXPORT int QMPI_Context_get_calling_stack(Context context, int count, void** addresses) {
    if (context.storage_stack == nullptr || count < 1 || addresses == nullptr) {
        return qmpi_error_argument;
    }
    qmpi::CallingStack(reinterpret_cast<const QMPI_Call*>(context.storage_stack), count, addresses);
    return 0;
}

// The interface of October 2020, where it differs: qmpi.h has macros of its names.
QMPI_EXPORT int qmpi_register_function_202010(int tool_id, int function, void (*pointer)(void)) {
    const int row = qmpi::RowOf(function);
    return ResultOf(row >= 0 &&
                    qmpi::RegisterFunction(tool_id, row, pointer, qmpi_2020_adapters[row]));
}

QMPI_EXPORT int qmpi_get_function_202010(int tool_id, int function, void (**pointer)(void),
                                         int* next_id, Context* next) {
    if (next == nullptr) {
        return qmpi_error_argument;
    }
    next->storage_stack = reinterpret_cast<void**>(&qmpi_open_call.record);
    return QMPI_Get_function(tool_id, function, pointer, next_id);
}

QMPI_EXPORT int qmpi_get_calling_address_202010(Context context, int tool_id, void* address) {
    return qmpi::IsTool(tool_id) ? QMPI_Get_calling_address(context, static_cast<void**>(address))
                                 : qmpi_error_argument;
}

QMPI_EXPORT void qmpi_describe(int file) {
    qmpi::Describe(file);
}

QMPI_EXPORT int qmpi_register_pcontrol(int tool_id, void* (*begin)(qmpi::Context, int, int, void*),
                                       void (*end)(void*, int, int)) {
    return ResultOf(qmpi::RegisterPcontrol(tool_id, {begin, end}));
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
