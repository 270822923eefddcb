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

// As in qmpi.h.
enum CodeOwner { kQmpiApplication, kQmpiMpi, kQmpiTool, kQmpiOther };

int ResultOf(bool ok) {
    return ok ? 0 : qmpi_error_argument;
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
    if (pointer == nullptr || next_id == nullptr) {
        return qmpi_error_argument;
    }
    const QmpiChainBlock* block = qmpi::Chain();
    const int row = qmpi::RowOfNumber(function, qmpi_rows_below, qmpi_row_count);
    QMPI_Link link;
    if (block != nullptr && static_cast<unsigned>(tool_id) <= unsigned(block->chain.tool_count) &&
        row >= 0) {
        link = block->chain.next[tool_id * qmpi_row_count + row];
    } else if (!qmpi::FindLink(tool_id, row, &link)) {
        return qmpi_error_argument;
    }
    if (link.function == nullptr) {
        return qmpi_error_argument;
    }
    *pointer = link.function;
    *next_id = link.tool_id;
    return 0;
}

QMPI_EXPORT int QMPI_Get_tool_storage(Context, int tool_id, void** storage) {
    const QmpiChainBlock* block = qmpi::Chain();
    if (storage == nullptr) {
        return qmpi_error_argument;
    }
    if (block != nullptr && tool_id >= 1 && tool_id <= block->chain.tool_count) {
        *storage = block->chain.storages[tool_id];
        return 0;
    }
    return ResultOf(qmpi::FindStorage(tool_id, storage));
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
        const QmpiChainBlock* block = qmpi::Chain();
        if (qmpi_open_call.origin == nullptr) {
            qmpi_open_call.call.chain = block != nullptr ? &block->chain : nullptr;
        }
        context->storage_stack = reinterpret_cast<void**>(&qmpi_open_call.call);
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
    const QmpiChainBlock* block = qmpi::Chain();
    if (qmpi_open_call.origin == nullptr && block != nullptr) {
        qmpi_open_call.call.chain = &block->chain;  // a call that the tool begins itself
    }
    next->storage_stack = reinterpret_cast<void**>(&qmpi_open_call.call);
    return QMPI_Get_function(tool_id, function, pointer, next_id);
}

QMPI_EXPORT int qmpi_get_calling_address_202010(Context context, int tool_id, void* address) {
    return qmpi::IsTool(tool_id) ? QMPI_Get_calling_address(context, static_cast<void**>(address))
                                 : qmpi_error_argument;
}

QMPI_EXPORT void qmpi_describe(int file) {
    qmpi::Describe(file);
}

QMPI_EXPORT int qmpi_classify_address(const void* address, int* tool_id) {
    int tool = 0;
    int kind = kQmpiOther;
    switch (qmpi::Classify(const_cast<void*>(address), &tool)) {
        case qmpi::Caller::kApplication:
            kind = tool < 0 ? kQmpiOther : kQmpiApplication;
            break;
        case qmpi::Caller::kMpi:
        case qmpi::Caller::kFortran:
            kind = kQmpiMpi;
            break;
        case qmpi::Caller::kTool:
        case qmpi::Caller::kPmpiToolInFront:
        case qmpi::Caller::kPmpiToolBehind:
            kind = kQmpiTool;
            break;
        default:
            break;
    }
    if (tool_id != nullptr) {
        *tool_id = tool > 0 ? tool : 0;
    }
    return kind;
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
