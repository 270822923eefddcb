#ifndef QMPI_LAYER_FORTRAN_H
#define QMPI_LAYER_FORTRAN_H

namespace qmpi {

// Makes the calls of Fortran programs visible.
//
// A Fortran routine converts handles, strings, logicals and sentinels and then calls PMPI_X (or
// MPI_X), in a way that only the library itself knows well. So the layer lets the library do it and
// catches the C call: the slots of PMPI_* inside the binding libraries are made to lead to the
// layer's own MPI_*. The application's address comes from the thunks on the Fortran names
// (stubs.S). Conversions of handles are left alone, they are most of what a binding calls.
//
// Repeated only when objects were loaded since.
void RedirectFortranBindings();

// The same for libraries in front of this one that wrap MPI functions: what they call next is then the
// chain. A library that was loaded with the program is in front or behind once and for all.
void RedirectPmpiToolsInFront();

}  // namespace qmpi

#endif
