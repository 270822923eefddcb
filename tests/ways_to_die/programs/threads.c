// threads WAY: threads in number, threads that outlive main, and code that runs when a thread ends.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kShort = 3000, kAtOnce = 64, kMessages = 5, kDetached = 8 };

static int rank;
static pthread_key_t key;
static pthread_barrier_t barrier;

static void Calls(int count) {
    int version, subversion, i;
    for (i = 0; i < count; ++i) MPI_Get_version(&version, &subversion);
}

static void* Short(void* ignored) {
    Calls(2);
    return ignored;
}

static void* Exchange(void* number) {
    const int tag = (int)(long)number;
    int i, got;
    pthread_barrier_wait(&barrier);
    for (i = 0; i < kMessages; ++i) {
        MPI_Sendrecv(&i, 1, MPI_INT, rank, tag, &got, 1, MPI_INT, rank, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (got != i) exit(90);
    }
    return NULL;
}

static void* Forever(void* ignored) {
    Calls(3);
    pthread_barrier_wait(&barrier);
    while (1) pause();
    return ignored;
}

static void AtThreadEnd(void* value) {
    const long round = (long)value;
    Calls(1);
    if (round > 1) pthread_setspecific(key, (void*)(round - 1));
}

static void* WithDestructor(void* ignored) {
    Calls(1);
    pthread_setspecific(key, (void*)3L);
    return ignored;
}

static void Run(int count, void* (*body)(void*)) {
    pthread_t* threads = malloc(sizeof *threads * count);
    long i;
    for (i = 0; i < count; ++i) {
        if (pthread_create(&threads[i], NULL, body, (void*)i) != 0) exit(91);
    }
    for (i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    free(threads);
}

int main(int count, char** arguments) {
    int provided, i;
    const char* way = arguments[1];
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided != MPI_THREAD_MULTIPLE) return 92;
    if (strcmp(way, "short") == 0) {
        for (i = 0; i < kShort / 10; ++i) Run(10, Short);
    } else if (strcmp(way, "at-once") == 0) {
        pthread_barrier_init(&barrier, NULL, kAtOnce);
        Run(kAtOnce, Exchange);
    } else if (strcmp(way, "detached") == 0) {
        pthread_barrier_init(&barrier, NULL, kDetached + 1);
        for (i = 0; i < kDetached; ++i) {
            pthread_t thread;
            pthread_create(&thread, NULL, Forever, NULL);
            pthread_detach(thread);
        }
        pthread_barrier_wait(&barrier);
    } else if (strcmp(way, "destructor") == 0) {
        pthread_key_create(&key, AtThreadEnd);
        Run(10, WithDestructor);
    } else {
        return 93;
    }
    MPI_Finalize();
    return 0;
}
