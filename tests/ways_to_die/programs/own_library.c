// With LIBRARY: stands where libstdc++.so.6 is looked for and has nothing of it. Without: a program that
// needs that one.
int OwnVersion(void);

#ifdef LIBRARY
int OwnVersion(void) {
    return 42;
}
#else
#include <mpi.h>
#include <stdio.h>

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    printf("program: version %d\n", OwnVersion());
    MPI_Finalize();
    return 0;
}
#endif
