/* The generated tables: which functions and Fortran routines this MPI has. */
#ifndef QMPI_LAYER_TABLES_H
#define QMPI_LAYER_TABLES_H

#include "qmpi_chain.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

enum QmpiResult { kQmpiInt, kQmpiDouble, kQmpiHandle, kQmpiFlag };

typedef struct {
    const char* name; /* null: this MPI lacks the function of this row */
    const char* profiling_name;
    enum QmpiResult result;
} QmpiFunction;

typedef struct {
    const char* name;
    const char* twin;
    int row;
} QmpiRoutine;

extern const char qmpi_name[];
extern const char qmpi_soname[];
extern const int qmpi_error_argument;
extern const int qmpi_error_other;
extern const int qmpi_rows_below;
extern const int qmpi_row_count;
extern const int qmpi_fortran_count;
extern const int qmpi_pcontrol_row;
extern const QmpiFunction qmpi_functions[];
extern const QmpiRoutine qmpi_routines[];

/* See relay.h. The generated assembly (generate/emit_wrappers.py) counts on the order. */
typedef struct {
    unsigned long usual_ids; /* bit by tool id: whose function is the usual one */
    void (*usual)(void);
    void (**by_id)(void); /* of all others */
} QmpiRelay;
extern QmpiRelay qmpi_relays[];
extern void (*const qmpi_relay_entries[])(void); /* null: the function's arguments vary */

extern void (*const qmpi_wrappers[])(void);
extern void (*const qmpi_ends[])(void);

extern void* qmpi_slots[];
extern void* qmpi_fortran_slots[];
extern void* const qmpi_stubs[];

/* See fortran_direct.h. */
extern void (*qmpi_fortran_twins[])(void);
extern void (*const qmpi_fortran_direct[])(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
