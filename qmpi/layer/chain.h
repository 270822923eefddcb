#ifndef QMPI_LAYER_CHAIN_H
#define QMPI_LAYER_CHAIN_H

#include <cstdint>

#include "layer/call.h"
#include "qmpi_chain.h"

namespace qmpi {

// The tools of this process and who comes after whom, per function.
//
// Tools register from constructors, which run before or after this library's own initialisation:
// so all state here is constant-initialised and the library has no constructor. The table
// next[tool][row] is complete at any moment: what nobody intercepts leads to the MPI library.
// Registering is rare and serialised by a lock under which nothing outside is called; the calls
// read without one.
constexpr int kMaxTools = 1;
constexpr int kMaxNameLength = 256;

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

bool RegisterTool(const char* name, void (*init)(int));
bool RegisterStorage(int tool_id, void* storage);
bool RegisterFunction(int tool_id, int row, QMPI_Function function);
bool IsTool(int tool_id);

// Calls init of each tool that has not been called yet; true if there is any tool.
bool InitTools();
bool HasTools();

// Null before the first tool.
inline const QMPI_Chain* Chain() {
    return __atomic_load_n(&qmpi_chain, __ATOMIC_ACQUIRE);
}

// True if code between the addresses belongs to a tool.
bool ToolOwnsCode(uintptr_t begin, uintptr_t end);

}  // namespace qmpi

#endif
