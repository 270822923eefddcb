/* What the generated adapters of PMPI tools, and of tools of the interface of October 2020, share. */
#ifndef QMPI_LAYER_MEMBER_CALL_H
#define QMPI_LAYER_MEMBER_CALL_H

#include "layer/call.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

enum { kQmpiMaxMembers = 16 };

/* By row: called by the chain with context and id, each leads to the function that the tool gave. */
extern void (*const qmpi_member_adapters[])(void);
extern void (*const qmpi_2020_adapters[])(void);

/* Thunks of 16 bytes: member after member, in each row after row. */
extern const char qmpi_member_thunks[];
extern const char qmpi_dlsym_thunks[]; /* by member */
extern const char qmpi_dlvsym_thunks[];

/* Which member's thunk was called last in this thread: read at once by what the thunk leads to. */
extern __thread int qmpi_member_index;

/* Who comes next after the member whose thunk was called. */
QMPI_Link QmpiMemberNext(int row);
/* The call that it belongs to: its own one if the thread is in none. */
#define QMPI_CALL_OF_MEMBER(own) (&(qmpi_open_call.origin ? &qmpi_open_call.record : (own))->call)

void QmpiMember_MPI_Pcontrol(void);
void Qmpi2020_MPI_Pcontrol(void);
void QmpiNext_MPI_Pcontrol(void);

#pragma GCC visibility pop

/* Notes the call of a context as the one under way in this thread, and what was before. */
static inline QmpiOpenCall QmpiEnter(const QMPI_Call* call) {
    const QmpiOpenCall before = qmpi_open_call;
    if (call != &qmpi_open_call.record.call) {
        qmpi_open_call.record.call = *call;
        qmpi_open_call.record.caller_frame = QmpiFrameOfCaller(call);
        qmpi_open_call.origin = call;
    }
    return before;
}

static inline void QmpiLeave(const QmpiOpenCall* before) {
    qmpi_open_call = *before;
}

/* An exception that leaves a wrapper leaves the note behind, which is a copy and does no harm; a
 * landing pad would bring a second unwinder into the process. */
#define QMPI_ENTER(context) QmpiEnter((const QMPI_Call*)(const void*)(context).storage_stack)

/* The tool's function behind an adapter: of the newest table, which has every tool. */
#define QMPI_INNER(tool_id, row) (QMPI_CHAIN_NOW->inner[tool_id][row])

#ifdef __cplusplus
}
#endif

#endif
