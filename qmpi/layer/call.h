/* What the generated wrappers share with the rest of the layer. C, since the wrappers are C. */
#ifndef QMPI_LAYER_CALL_H
#define QMPI_LAYER_CALL_H

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

extern const QMPI_Chain* qmpi_chain;
extern QMPI_Link qmpi_first[]; /* by row: the outermost tool that intercepts the function */
extern void* qmpi_real[];      /* by row: what the application would call if there were no layer */

/* The application's address of a call that did not come from the executable, or null if the call
 * comes from inside the MPI library or a tool and goes straight on. */
void* QmpiCaller(void* return_address, int row);

/* The application's address of the Fortran routine that is under way, if the function of this row
 * stands for it and it was the application that called; then the routine is done with. Else null. */
void* QmpiFortranCaller(int row);

/* What the last Fortran thunk of this thread left: which call of which function is under way. */
typedef struct {
    void* address;
    long row_plus_one;
} QmpiFortranCall;
extern __thread QmpiFortranCall qmpi_fortran_call;

void QmpiWrap_MPI_Pcontrol(void);
void QmpiEnd_MPI_Pcontrol(void);

#pragma GCC visibility pop

#define QMPI_FROM_APPLICATION(address) \
    (__builtin_expect((uintptr_t)(address)-qmpi_application.begin < qmpi_application.size, 1))

#ifdef __cplusplus
}
#endif

#endif
