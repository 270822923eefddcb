// footprint THREADS: one traced call on each of so many threads at once, then the memory of the process.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_barrier_t there, leave;

static void* Body(void* ignored) {
    int version, subversion;
    MPI_Get_version(&version, &subversion);
    pthread_barrier_wait(&there);
    pthread_barrier_wait(&leave);
    return ignored;
}

int main(int count, char** arguments) {
    const int threads = atoi(arguments[1]);
    pthread_t* all = malloc(sizeof *all * (threads + 1));
    char line[200];
    int i, version, subversion;
    FILE* status;
    MPI_Get_version(&version, &subversion);
    pthread_barrier_init(&there, NULL, threads + 1);
    pthread_barrier_init(&leave, NULL, threads + 1);
    for (i = 0; i < threads; ++i) pthread_create(&all[i], NULL, Body, NULL);
    pthread_barrier_wait(&there);
    status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmRSS", 5) == 0 || strncmp(line, "VmSize", 6) == 0) printf("%s", line);
    }
    fclose(status);
    pthread_barrier_wait(&leave);
    for (i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    return count - 2;
}
