/* The tool "supertool": runs several stacks of tools side by side and sends each call to one of them.
 *
 *     QMPI_TOOLS=supertool:A:B:supertool:C:supertool
 *
 * has two stacks, A-B and C. The first instance chooses: calls on MPI_COMM_WORLD go to the first stack,
 * those on other communicators to the second one. The later instances stand at the ends of stacks, and
 * what comes there goes to the MPI library. */
#include <qmpi.h>
#include <stdio.h>
#include <string.h>

enum { kMaxTools = 64 };

static int stacks[2];         /* the tool before which each of them begins */
static int is_end[kMaxTools]; /* by tool id */
static int ready;

/* The ids in the order of the list, since ids need not rise. */
static void FindStacks(void) {
    int ids[kMaxTools], count = 0;
    char name[QMPI_MAX_TOOL_NAME_LENGTH];
    QMPI_Get_tool_ids(kMaxTools, ids);
    for (int place = 0; place < kMaxTools && ids[place] != QMPI_MPI_ID; place++) {
        QMPI_Get_tool_name(ids[place], name, sizeof(name));
        if (strcmp(name, "supertool") == 0 && ids[place] < kMaxTools) {
            is_end[ids[place]] = count > 0;
            if (count < 2) {
                stacks[count] = ids[place];
            }
            count++;
        }
    }
    ready = 1;
}

static int Barrier(QMPI_Context context, int tool_id, MPI_Comm comm) {
    QMPI_Function function;
    int next_id = QMPI_MPI_ID;
    if (!is_end[tool_id]) {
        const int stack = stacks[comm == MPI_COMM_WORLD ? 0 : 1];
        QMPI_Get_next_tool(stack, MPI_BARRIER_T, 1, &next_id);
    }
    QMPI_Get_tool_fn(next_id, MPI_BARRIER_T, &function, NULL);
    return ((QMPI_Barrier_t*)function)(context, next_id, comm);
}

static void Init(int tool_id) {
    if (!ready) {
        FindStacks();
    }
    QMPI_Register_function(tool_id, MPI_BARRIER_T, (QMPI_Function)Barrier);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("supertool", Init);
}
