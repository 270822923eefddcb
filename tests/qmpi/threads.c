/* Eight threads send to themselves under MPI_THREAD_MULTIPLE, and all begin at once: the slots of
 * what they call are bound under contention. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 8, kMessages = 200 };

static pthread_barrier_t start;
static int wrong;

static void* Run(void* argument) {
    const int tag = (int)(long)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < kMessages; i++) {
        int received = -1;
        const int sent = tag * kMessages + i;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(&received, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&sent, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        if (received != sent) {
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    pthread_t threads[kThreads];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        puts("OK without threads");
        MPI_Finalize();
        return 77;
    }
    pthread_barrier_init(&start, NULL, kThreads);
    for (long i = 0; i < kThreads; i++) {
        pthread_create(&threads[i], NULL, Run, (void*)i);
    }
    for (int i = 0; i < kThreads; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    puts(wrong == 0 ? "OK" : "WRONG");
    return wrong != 0;
}
