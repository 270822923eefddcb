/* What a QMPI_Context points to, and the table of the chain. Nothing here depends on an MPI.
 *
 * Every intercepted call has a QMPI_Call on its stack; the context that travels down the chain of
 * tools is a pointer to it. Rows of the table are functions: row = number below QMPI_ROWS_BELOW,
 * the numbers from 1000 on follow. The table is read-only; a tool that registers late brings a new
 * one.
 */
#ifndef QMPI_CHAIN_H
#define QMPI_CHAIN_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*QMPI_Function)(void);

typedef struct {
    QMPI_Function function; /* called with (context, tool_id, MPI arguments) */
    int tool_id;            /* 0: the MPI library */
} QMPI_Link;

typedef struct {
    void* storage;
    const QMPI_Link* next; /* [row] */
} QMPI_ChainTool;

/* Followed by tool_count + 1 QMPI_ChainTool, by id; id 0 is the MPI library itself. */
typedef struct {
    int rows_below;
    int row_count;
    int tool_count; /* ids are 1..tool_count */
    int unused;
} QMPI_Chain;

typedef struct {
    void* calling_address; /* where the application called */
} QMPI_Call;

/* The chain of this process. By way of the GOT, so that no executable gets a copy of the pointer. */
static inline const QMPI_Chain* qmpi_chain_now(void) {
    const QMPI_Chain* const* where;
    __asm__("movq qmpi_chain_of_process@GOTPCREL(%%rip), %0" : "=r"(where));
    return __atomic_load_n(where, __ATOMIC_ACQUIRE);
}

static inline const QMPI_ChainTool* qmpi_chain_tool(const QMPI_Chain* chain, int tool_id) {
    return (const QMPI_ChainTool*)(const void*)(chain + 1) + tool_id;
}

#ifdef __cplusplus
}
#endif

#endif
