/* Fortran routines that reach no C function: attributes, and the creation of keyvals and error
 * handlers. The library must know the language of the callback or of the value, so they must never
 * be routed through the C function. A tool sees them all the same: its function is called with the
 * arguments converted to C, and at the end of the chain stands the routine's profiling twin with the
 * Fortran arguments as they came.
 */
#ifndef QMPI_LAYER_FORTRAN_DIRECT_H
#define QMPI_LAYER_FORTRAN_DIRECT_H

#include "layer/call.h"
#include "qmpi.h"

#pragma GCC visibility push(hidden)

/* The call of such a routine that is under way in this thread. */
typedef struct {
    const QMPI_Call* call; /* recognises the end of the same call */
    void* arguments[4];
    void (*twin)(void);
    MPI_Fint error;
} QmpiFortranFrame;

extern __thread QmpiFortranFrame* qmpi_fortran_frame;

/* By routine: the profiling twin, once the routine is bound, and the function that a thunk leads to
 * instead of it, or null. */
extern void (*qmpi_fortran_twins[])(void);
#define QMPI_TWIN(routine) __atomic_load_n(&qmpi_fortran_twins[routine], __ATOMIC_ACQUIRE)
extern void (*const qmpi_fortran_direct[])(void);

/* The frame if the chain that ends now belongs to it, else null: then it is a call from C. */
static inline QmpiFortranFrame* QmpiFrameOf(QMPI_Context context) {
    QmpiFortranFrame* frame = qmpi_fortran_frame;
    const void* call = context.storage_stack;
    if (call == &qmpi_open_call.record.call) {
        call = qmpi_open_call.origin;
    }
    return frame != 0 && (const void*)frame->call == call ? frame : 0;
}

#pragma GCC visibility pop

#ifdef OPEN_MPI
#define QMPI_FROM_FORTRAN(type, name, NAME, value) \
    (((type(*)(MPI_Fint))qmpi_mpi_function(MPI_##NAME##_F2C_T))(value))
#else
#define QMPI_FROM_FORTRAN(type, name, NAME, value) MPI_##name##_f2c(value)
#endif

#endif
