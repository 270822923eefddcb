#include "layer/chain.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "layer/bind.h"
#include "layer/caller.h"
#include "layer/relay.h"
#include "layer/tables.h"

const QmpiChainBlock* qmpi_chain = nullptr;
const QMPI_Chain* qmpi_chain_of_tools = nullptr;
extern "C" __attribute__((alias("qmpi_chain_of_tools"), visibility("default")))
const QMPI_Chain* qmpi_chain_of_process;

namespace qmpi {

namespace {

pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
constinit Array<Instance*> instances;  // from the outermost to the innermost
int batches = 0;                       // while not 0, somebody will make the table soon

struct Locked {
    Locked() { pthread_mutex_lock(&registration); }
    ~Locked() { pthread_mutex_unlock(&registration); }
};

// The rest is called under the lock.
Instance* Find(int tool_id) {
    for (Instance* instance : instances) {
        if (instance->id == tool_id) {
            return instance;
        }
    }
    return nullptr;
}

QMPI_Link LinkFrom(size_t place, int row) {
    for (; place < instances.size(); place++) {
        if (instances[place]->functions[row] != nullptr) {
            return {instances[place]->functions[row], instances[place]->id};
        }
    }
    return {qmpi_ends[row], 0};
}

// What an instance gets as its next link, where `next` comes next. Tools ask for it while others
// have not registered yet, so init alone says which are instances of one tool.
QMPI_Link LinkFor(const Instance& instance, int row, QMPI_Link next) {
    return instance.shares_code ? Relayed(row, instance.functions[row], next) : next;
}

size_t PlaceOf(int tool_id) {
    size_t place = 0;
    while (place < instances.size() && instances[place]->id != tool_id) {
        place++;
    }
    return place;
}

// From the innermost instance outwards, so that each link is known when it is needed.
void FillTable(QMPI_Link* first, QMPI_Link* next) {
    const auto rows = static_cast<size_t>(qmpi_row_count);
    for (size_t row = 0; row < rows; row++) {
        first[row] = {qmpi_ends[row], 0};
    }
    memcpy(next, first, rows * sizeof(*first));
    for (size_t place = instances.size(); place-- > 0;) {
        const Instance& instance = *instances[place];
        QMPI_Link* own_next = next + static_cast<size_t>(instance.id) * rows;
        memcpy(own_next, first, rows * sizeof(*first));
        for (size_t row = 0; row < rows; row++) {
            if (instance.functions[row] != nullptr) {
                own_next[row] = LinkFor(instance, static_cast<int>(row), first[row]);
                first[row] = {instance.functions[row], instance.id};
            }
        }
    }
}

void Publish() {
    const size_t rows = static_cast<size_t>(qmpi_row_count);
    const size_t ids = instances.size() + 1;
    const size_t links = (rows + ids * rows) * sizeof(QMPI_Link);
    const size_t bytes = sizeof(QmpiChainBlock) + links + sizeof(QMPI_Chain) +
                         ids * (sizeof(QMPI_ChainTool) + sizeof(QMPI_Function*));
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;  // what is registered already stays as it is
    }
    auto* block = static_cast<QmpiChainBlock*>(memory);
    QMPI_Link* next = block->first + rows;
    auto* chain = reinterpret_cast<QMPI_Chain*>(next + ids * rows);
    auto* tools = reinterpret_cast<QMPI_ChainTool*>(chain + 1);
    auto** inner = reinterpret_cast<const QMPI_Function**>(tools + ids);
    FillTable(block->first, next);
    for (size_t id = 0; id < ids; id++) {
        tools[id].next = next + id * rows;
    }
    for (Instance* instance : instances) {
        tools[instance->id].storage = instance->storage;
        inner[instance->id] = instance->inner;
    }
    *chain = {qmpi_rows_below, qmpi_row_count, static_cast<int>(instances.size()), 0};
    block->chain = chain;
    block->inner = inner;
    mprotect(memory, bytes, PROT_READ);
    __atomic_store_n(&qmpi_chain_of_tools, chain, __ATOMIC_RELEASE);
    __atomic_store_n(&qmpi_chain, block, __ATOMIC_RELEASE);
}

void FindSharedCode() {
    for (Instance* instance : instances) {
        int same = 0;
        for (const Instance* other : instances) {
            same += instance->init != nullptr && other->init == instance->init ? 1 : 0;
        }
        instance->shares_code = same > kInstancesWithoutRelay;
    }
}

bool CallInits() {
    bool called = false;
    for (;;) {
        Instance* due = nullptr;
        {
            const Locked locked;
            for (Instance* instance : instances) {
                due = instance->initialised ? due : instance;
            }
            if (due == nullptr) {
                return called;
            }
            due->initialised = true;
        }
        called = true;
        if (due->init != nullptr) {
            due->init(due->id);
        }
    }
}

}  // namespace

int RowOf(int number) {
    const int row = RowOfNumber(number, qmpi_rows_below, qmpi_row_count);
    return row >= 0 && qmpi_functions[row].name != nullptr ? row : -1;
}

Instance* AddInstance(const char* name, long place, void (*init)(int)) {
    const auto rows = static_cast<size_t>(qmpi_row_count);
    auto* instance = static_cast<Instance*>(calloc(1, sizeof(Instance)));
    auto* functions = static_cast<QMPI_Function*>(calloc(2 * rows, sizeof(QMPI_Function)));
    if (instance == nullptr || functions == nullptr) {
        return nullptr;
    }
    const Locked locked;
    const int id = static_cast<int>(instances.size()) + 1;
    *instance = {name, id, place, init, functions, functions + rows, nullptr, 0, 0, false, false};
    size_t at = instances.size();
    while (at > 0 && instances[at - 1]->place > place) {
        at--;
    }
    return instances.Insert(at, instance) != nullptr ? instance : nullptr;
}

void RemoveInstance(Instance* instance) {
    const Locked locked;
    instances.Remove(PlaceOf(instance->id));
    for (Instance* other : instances) {
        other->id -= other->id > instance->id ? 1 : 0;
    }
}

bool HasInstance(const char* name) {
    const Locked locked;
    for (Instance* instance : instances) {
        if (strcmp(instance->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void ShuffleIds() {
    const Locked locked;
    uint64_t random = 88172645463325252u;
    for (size_t left = instances.size(); left > 1; left--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        Instance& last = *instances[left - 1];
        Instance& other = *instances[random % left];
        const int id = last.id;
        last.id = other.id;
        other.id = id;
    }
}

bool CompleteChain() {
    {
        const Locked locked;
        batches++;
        FindSharedCode();
    }
    const bool called = CallInits();
    const Locked locked;
    batches--;
    if (called && batches == 0) {
        Publish();
    }
    return instances.size() > 0;
}

bool RegisterStorage(int tool_id, void* storage) {
    const Locked locked;
    Instance* instance = Find(tool_id);
    if (instance == nullptr) {
        return false;
    }
    instance->storage = storage;
    if (batches == 0 && Chain() != nullptr) {
        Publish();
    }
    return true;
}

bool RegisterFunction(int tool_id, int row, QMPI_Function function, QMPI_Function adapter) {
    if (row < 0 || function == nullptr) {
        return false;
    }
    bool published = false;
    {
        const Locked locked;
        Instance* instance = Find(tool_id);
        if (instance == nullptr) {
            return false;
        }
        instance->inner[row] = function;
        instance->functions[row] = adapter != nullptr ? adapter : function;
        RenewRelay(row, tool_id, instance->functions[row]);
        if (batches == 0 && Chain() != nullptr) {
            Publish();
            published = true;
        }
    }
    if (published) {
        ForgetCallers();
        OnFunctionRegistered(row);
    }
    return true;
}

bool IsTool(int tool_id) {
    const Locked locked;
    return Find(tool_id) != nullptr;
}

bool FindLink(int tool_id, int row, QMPI_Link* next) {
    if (row < 0 || qmpi_ends[row] == nullptr) {
        return false;
    }
    const Locked locked;
    const size_t place = tool_id == 0 ? instances.size() : PlaceOf(tool_id);
    if (tool_id != 0 && place == instances.size()) {
        return false;
    }
    *next = LinkFrom(place + 1, row);
    if (tool_id != 0) {
        *next = LinkFor(*instances[place], row, *next);
    }
    return true;
}

QMPI_Function FunctionOf(int tool_id, int row) {
    if (row < 0 || tool_id == 0) {
        return row < 0 ? nullptr : qmpi_ends[row];
    }
    const Locked locked;
    const Instance* instance = Find(tool_id);
    return instance != nullptr ? instance->functions[row] : nullptr;
}

bool FindStorage(int tool_id, void** storage) {
    const Locked locked;
    const Instance* instance = Find(tool_id);
    if (instance == nullptr) {
        return false;
    }
    *storage = instance->storage;
    return true;
}

const char* NameOf(int tool_id) {
    if (tool_id == 0) {
        return qmpi_name;
    }
    const Locked locked;
    const Instance* instance = Find(tool_id);
    return instance != nullptr ? instance->name : nullptr;
}

void ListTools(int tool_id, int row, int count, int* ids) {
    const Locked locked;
    size_t place = tool_id == 0 ? 0 : PlaceOf(tool_id) + 1;
    for (int i = 0; i < count; i++) {
        while (row >= 0 && place < instances.size() &&
               instances[place]->functions[row] == nullptr) {
            place++;
        }
        ids[i] = place < instances.size() ? instances[place++]->id : 0;
    }
}

int ToolWithCode(uintptr_t begin, uintptr_t end) {
    const auto inside = [&](auto pointer) {
        const auto at = reinterpret_cast<uintptr_t>(pointer);
        return at >= begin && at < end;
    };
    const Locked locked;
    for (size_t place = instances.size(); place-- > 0;) {
        const Instance& instance = *instances[place];
        if (instance.code_begin != 0) {
            if (instance.code_begin < end && begin < instance.code_end) {
                return instance.id;
            }
            continue;
        }
        if (inside(instance.init)) {
            return instance.id;
        }
        for (int row = 0; row < qmpi_row_count; row++) {
            if (instance.functions[row] != nullptr && inside(instance.inner[row])) {
                return instance.id;
            }
        }
    }
    return 0;
}

}  // namespace qmpi
