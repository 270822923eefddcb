/* What the generated wrappers share with the rest of the layer. C, since the wrappers are C. */
#ifndef QMPI_LAYER_CALL_H
#define QMPI_LAYER_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "qmpi_chain.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

typedef struct {
    uintptr_t begin;
    uintptr_t size;
} QmpiRange;

/* Code of the executable: where nearly all calls come from. Empty until the layer has started. */
extern QmpiRange qmpi_application;

/* The chain as it lies in memory: where each function begins, at a place that wrappers know, and
 * behind it what tools read. */
typedef struct {
    const QMPI_Chain* chain;
    const QMPI_Function* const*
        inner; /* [id][row]: what stands behind functions that are adapters */
    void* unused[6];
    QMPI_Link first[]; /* by row: the outermost tool that intercepts it, else the MPI library */
} QmpiChainBlock;

/* The generated assembly (generate/emit_wrappers.py) counts on it. */
#define QMPI_LIES_AT(type, member, offset) \
    typedef char type##_##member##_lies_there[offsetof(type, member) == (offset) ? 1 : -1]
QMPI_LIES_AT(QmpiChainBlock, first, 64);
QMPI_LIES_AT(QMPI_Link, tool_id, 8);
#undef QMPI_LIES_AT
/* An argument that is one word, or less, in a register for integers: no float, no struct. */
#define QMPI_IN_WORDS(type)                                                                    \
    _Static_assert(sizeof(type) <= 8 && (__builtin_classify_type(*(__typeof__(type)*)0) < 8 || \
                                         __builtin_classify_type(*(__typeof__(type)*)0) > 13), \
                   "generate/emit_wrappers.py hands on words")

/* Null before the first tool. Never changed in place: a new one takes its place. */
extern const QmpiChainBlock* qmpi_chain;
/* Its public part, by a pointer of its own: a tool that asks in each call has one step less to go. */
extern const QMPI_Chain* qmpi_chain_of_tools;
extern void* qmpi_real[]; /* by row: what the application would call if there were no layer */
#define QMPI_REAL(row) __atomic_load_n(&qmpi_real[row], __ATOMIC_ACQUIRE)

/* The QMPI_Call of a context is either the first member of a QmpiRecord, or, where the executable
 * called, the word of the stack in which the return address lies. The alignment tells which. */
typedef struct {
    QMPI_Call call;
    void* caller_frame; /* the frame pointer there, if that code keeps one */
} __attribute__((aligned(16))) QmpiRecord;

/* Where wrappers of the other kind leave the caller's frame pointer: in the place that the address of
 * the QMPI_Call gives, until a call of this thread with the same place comes. */
typedef struct {
    const QMPI_Call* call;
    void* caller_frame;
} QmpiCallersFrame;
enum { kQmpiCallersFrames = 16 };
extern __thread QmpiCallersFrame qmpi_callers_frames[kQmpiCallersFrames];

static inline void* QmpiFrameOfCaller(const QMPI_Call* call) {
    const uintptr_t at = (uintptr_t)call;
    if (at % sizeof(QmpiRecord) == 0) {
        return ((const QmpiRecord*)call)->caller_frame;
    }
    const QmpiCallersFrame* frame =
        &qmpi_callers_frames[at / sizeof(QmpiRecord) % kQmpiCallersFrames];
    return frame->call == call ? frame->caller_frame : NULL;
}

/* Where a call begins. Address and frame in `record` are set to the application's where the return
 * address is not. A tool's own call begins below the tool, one
 * from inside the MPI library goes to the MPI library. */
QMPI_Link QmpiStart(const QmpiChainBlock* block, QmpiRecord* record, int row);

/* The application's address of the Fortran routine that is under way, if the function of this row
 * stands for it and it was the application that called; then the routine is done with. Else null. */
void* QmpiFortranCaller(int row);

/* What the last Fortran thunk of this thread left: which call of which function is under way. */
typedef struct {
    void* address;
    long row_plus_one;
    void* frame; /* the caller's frame pointer, if it keeps one */
} QmpiFortranCall;
extern __thread QmpiFortranCall qmpi_fortran_call;

/* What is known of the call that this thread is in, for tools that are handed no context (PMPI
 * tools), and for those of the interface of October 2020, which asks for one. Wrappers of such tools
 * keep it here: a copy, because frames can be left by longjmp. */
typedef struct {
    QmpiRecord record;
    const QMPI_Call* origin; /* the call itself, to compare with, never followed */
} QmpiOpenCall;
extern __thread QmpiOpenCall qmpi_open_call;

void QmpiWrap_MPI_Pcontrol(void);
void QmpiEnd_MPI_Pcontrol(void);

#pragma GCC visibility pop

#define QMPI_CHAIN_NOW __atomic_load_n(&qmpi_chain, __ATOMIC_ACQUIRE)

/* In a function that keeps a frame pointer: its caller's. */
#define QMPI_CALLERS_FRAME (*(void**)__builtin_frame_address(0))

#define QMPI_FROM_APPLICATION(address) \
    (__builtin_expect((uintptr_t)(address)-qmpi_application.begin < qmpi_application.size, 1))

#ifdef __cplusplus
}
#endif

#endif
