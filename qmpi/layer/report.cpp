#include "layer/report.h"

#include <cstdio>

#include "layer/array.h"
#include "layer/chain.h"
#include "layer/library.h"
#include "layer/tables.h"

namespace qmpi {

namespace {

constexpr int kMost = 4096;

int CountFunctions(int tool_id) {
    int count = 0;
    for (int row = 0; row < qmpi_row_count; row++) {
        const bool exists = qmpi_functions[row].name != nullptr;
        count += exists && (tool_id == 0 || FunctionOf(tool_id, row) != nullptr);
    }
    return count;
}

void DescribeTool(int file, int place, int tool_id) {
    const int count = CountFunctions(tool_id);
    dprintf(file, "qmpi: %d. %s (id %d), %d functions", place, NameOf(tool_id), tool_id, count);
    if (count == CountFunctions(0)) {
        dprintf(file, ": all\n");
        return;
    }
    const char* separator = ": ";
    for (int row = 0; row < qmpi_row_count; row++) {
        if (qmpi_functions[row].name != nullptr && FunctionOf(tool_id, row) != nullptr) {
            dprintf(file, "%s%s", separator, qmpi_functions[row].name);
            separator = " ";
        }
    }
    dprintf(file, "\n");
}

}  // namespace

void Describe(int file) {
    static int ids[kMost];
    const MpiFound found = FindMpi();
    ListTools(0, -1, kMost, ids);
    int count = 0;
    while (count < kMost && ids[count] != 0) {
        count++;
    }
    dprintf(file, "qmpi: layer for %s (%s), MPI of this process: %s, %d %s\n", qmpi_name,
            qmpi_soname, found.mpi == Mpi::kNone ? "none" : found.path, count,
            count == 1 ? "tool" : "tools");
    for (int i = 0; i < count; i++) {
        DescribeTool(file, i + 1, ids[i]);
    }
}

}  // namespace qmpi
