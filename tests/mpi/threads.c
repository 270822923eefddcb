/* Eight threads of each of two ranks exchange messages under MPI_THREAD_MULTIPLE (threads_test.py). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 8, kMessages = 200 };
static int other;

static void* work(void* argument) {
    const int thread = (int)(long)argument;
    int out[64] = {0}, in[64];
    for (int i = 0; i < kMessages; ++i) {
        MPI_Request requests[2];
        MPI_Irecv(in, 64, MPI_INT, other, thread, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 1 + thread, MPI_INT, other, thread, MPI_COMM_WORLD, &requests[1]);
        if (i % 2 == 0) {
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    printf("multiple: %d\n", provided == MPI_THREAD_MULTIPLE);
    pthread_t threads[kThreads];
    for (long t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, work, (void*)t);
    for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
    MPI_Finalize();
    return 0;
}
