#include "layer/chain.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "layer/call.h"
#include "layer/caller.h"
#include "layer/bind.h"
#include "layer/tables.h"

extern "C" {
// Sized for every MPI: rows are below 1000 + 1000.
constexpr int kMaxRows = 2000;
QMPI_Link qmpi_first[kMaxRows];
}

namespace qmpi {

namespace {

struct Tool {
    char name[kMaxNameLength];
    void (*init)(int);
    std::atomic<bool> initialised;
};

pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
Tool tools[kMaxTools + 1];
std::atomic<int> tool_count{0};
void* storages[kMaxTools + 1];
QMPI_Link next[(kMaxTools + 1) * kMaxRows];
QMPI_Chain chain;

struct Locked {
    Locked() { pthread_mutex_lock(&registration); }
    ~Locked() { pthread_mutex_unlock(&registration); }
};

QMPI_Link& Next(int tool_id, int row) {
    return next[tool_id * qmpi_row_count + row];
}

// Under the lock, before the first tool: everything leads to the MPI library.
void PrepareChain() {
    if (chain.next != nullptr) {
        return;
    }
    for (int tool_id = 0; tool_id <= kMaxTools; tool_id++) {
        for (int row = 0; row < qmpi_row_count; row++) {
            Next(tool_id, row) = {qmpi_ends[row], 0};
        }
    }
    chain = {qmpi_rows_below, qmpi_row_count, 0, storages, next};
    qmpi_chain = &chain;
}

// The user's list of tools: names between colons. Without a list whoever registers is taken.
const char* ToolList() {
    for (const char* name : {"QMPI_TOOLS", "MPIR_CVAR_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST"}) {
        const char* value = getenv(name);
        if (value != nullptr && value[0] != '\0') {
            return value;
        }
    }
    return nullptr;
}

bool IsListed(const char* name) {
    const char* at = ToolList();
    if (at == nullptr || strcmp(name, "comshu") == 0) {
        return true;
    }
    const size_t length = strlen(name);
    while (at != nullptr) {
        if (strncmp(at, name, length) == 0 && (at[length] == ':' || at[length] == '\0')) {
            return true;
        }
        at = strchr(at, ':');
        at = at != nullptr ? at + 1 : nullptr;
    }
    return false;
}

}  // namespace

int RowOf(int number) {
    const int row = RowOfNumber(number, qmpi_rows_below, qmpi_row_count);
    return row >= 0 && qmpi_functions[row].name != nullptr ? row : -1;
}

bool RegisterTool(const char* name, void (*init)(int)) {
    if (name == nullptr || init == nullptr || name[0] == '\0' || strlen(name) >= kMaxNameLength ||
        !IsListed(name)) {
        return false;
    }
    {
        const Locked locked;
        const int id = tool_count.load(std::memory_order_relaxed) + 1;
        if (id > kMaxTools || qmpi_row_count > kMaxRows) {
            return false;
        }
        PrepareChain();
        strcpy(tools[id].name, name);
        tools[id].init = init;
        chain.tool_count = id;
        tool_count.store(id, std::memory_order_release);
    }
    OnToolRegistered();
    return true;
}

bool IsTool(int tool_id) {
    return tool_id >= 1 && tool_id <= tool_count.load(std::memory_order_acquire);
}

bool RegisterStorage(int tool_id, void* storage) {
    if (!IsTool(tool_id)) {
        return false;
    }
    storages[tool_id] = storage;
    return true;
}

bool RegisterFunction(int tool_id, int row, QMPI_Function function) {
    if (!IsTool(tool_id) || row < 0 || function == nullptr) {
        return false;
    }
    {
        const Locked locked;
        const QMPI_Link link = {function, tool_id};
        for (int before = 0; before < tool_id; before++) {
            auto& slot = before == 0 ? qmpi_first[row] : Next(before, row);
            if (slot.function == nullptr || slot.tool_id == 0 || slot.tool_id >= tool_id) {
                slot.tool_id = link.tool_id;
                __atomic_store_n(&slot.function, link.function, __ATOMIC_RELEASE);
            }
        }
    }
    ForgetCallers();
    OnFunctionRegistered(row);
    return true;
}

bool HasTools() {
    return tool_count.load(std::memory_order_acquire) > 0;
}

bool InitTools() {
    const int count = tool_count.load(std::memory_order_acquire);
    for (int id = 1; id <= count && id <= kMaxTools; id++) {
        if (!tools[id].initialised.exchange(true)) {
            tools[id].init(id);
        }
    }
    return count > 0;
}

bool ToolOwnsCode(uintptr_t begin, uintptr_t end) {
    auto inside = [&](auto pointer) {
        const auto at = reinterpret_cast<uintptr_t>(pointer);
        return at >= begin && at < end;
    };
    const int count = tool_count.load(std::memory_order_acquire);
    for (int id = 1; id <= count; id++) {
        if (inside(tools[id].init)) {
            return true;
        }
    }
    for (int row = 0; row < qmpi_row_count; row++) {
        if (qmpi_first[row].function != nullptr && inside(qmpi_first[row].function)) {
            return true;
        }
    }
    return false;
}

}  // namespace qmpi

const QMPI_Chain* qmpi_chain = nullptr;
