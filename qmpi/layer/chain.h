#ifndef QMPI_LAYER_CHAIN_H
#define QMPI_LAYER_CHAIN_H

#include <cstdint>

#include "layer/array.h"
#include "layer/call.h"
#include "qmpi_chain.h"

namespace qmpi {

// The instances of tools in this process and who comes after whom, per function.
//
// Each place in the user's list of tools is an instance with an id, storage and intercepted
// functions of its own. From these one table next[tool][function] is made, in which what nobody
// intercepts leads to the MPI library: so neither the number of tools nor their order costs anything
// in a call, and a tool that does not intercept a function is not in its way.
//
// The table is read-only memory. Registering after it was made makes a new one, and one store
// exchanges them; calls that are under way keep the one they began with, which is therefore never
// freed. A lock serialises registering; nothing outside is called under it, and the calls of the
// program read without one. All state is constant-initialised: tools register from constructors,
// before or after this library's own initialisation.
struct Instance {
    const char* name;
    int id;
    long place;         // in the list; later ones are further in
    void (*init)(int);  // null: the functions were there from the beginning
    // By row, what the chain calls; null: not intercepted.
    QMPI_Function* functions;
    // By row, what stands behind the functions that are adapters.
    QMPI_Function* inner;
    void* storage;
    uintptr_t code_begin, code_end;  // of a tool without init
    bool initialised;
    bool shares_code;  // with so many that relay.h is of use
};

// Row of a function's number, -1 if it is out of range.
inline int RowOfNumber(int number, int rows_below, int row_count) {
    constexpr int kFirstOutsideEnum = 1000;
    if (number >= 0 && number < rows_below) {
        return number;
    }
    const int row = rows_below + number - kFirstOutsideEnum;
    return number >= kFirstOutsideEnum && row < row_count ? row : -1;
}

// The same, -1 also if this MPI has no such function.
int RowOf(int function_number);

// Adds an instance behind those of the same or an earlier place. Null when memory is short.
Instance* AddInstance(const char* name, long place, void (*init)(int));
// Before its functions were called.
void RemoveInstance(Instance* instance);
bool HasInstance(const char* name);

// Calls init of each new instance, innermost first, so that a tool may ask for its successors there,
// and makes the table. True if there is any instance.
bool CompleteChain();
// Before that, at the start: gives ids that neither rise nor fall, to test tools with.
void ShuffleIds();

bool RegisterStorage(int tool_id, void* storage);
// `adapter`: not null if it is to be called in place of the function (member_call.h).
bool RegisterFunction(int tool_id, int row, QMPI_Function function, QMPI_Function adapter);

inline const QmpiChainBlock* Chain() {
    return QMPI_CHAIN_NOW;
}
inline bool IsIntercepted(int row) {
    const QmpiChainBlock* block = Chain();
    return block != nullptr && block->first[row].tool_id != 0;
}

// Questions. For ids or rows that do not exist they give false, null or 0.
bool IsTool(int tool_id);
bool FindLink(int tool_id, int row, QMPI_Link* next);
QMPI_Function FunctionOf(int tool_id, int row);  // id 0: the MPI library
bool FindStorage(int tool_id, void** storage);
const char* NameOf(int tool_id);
// Fills `ids` from the outermost tool on, behind the last one with 0; all tools are given that come
// after `tool_id` (0: all), and with a row those alone that intercept it (-1: any).
void ListTools(int tool_id, int row, int count, int* ids);
// The innermost tool with code between the addresses, or 0.
int ToolWithCode(uintptr_t begin, uintptr_t end);

}  // namespace qmpi

#endif
