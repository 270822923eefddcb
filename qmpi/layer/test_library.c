/* A library to look at in tests. What it exports makes it look like an MPI or its Fortran binding. */
#include <stdlib.h>

extern int sample_imported(void);

int sample_call(void) {
    int (*volatile keep)(const char*) = atoi;
    (void)keep;
#ifdef SAMPLE_IMPORTS
    return sample_imported();
#else
    return 7;
#endif
}

#ifdef SAMPLE_PMPI
void PMPI_Init(void) {}
#endif
#ifdef SAMPLE_FORTRAN
void pmpi_init_(void) {}
#endif
