/* What one call of MPI costs on one rank: in bursts that fit a recorder's buffer (minimum of many), or
 * back to back for many millions of calls. Prints one line of name=value pairs, times in ns per call.
 *
 *   mpi_call_bench burst [calls in a burst] [bursts]
 *   mpi_call_bench stream [millions of calls]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

static double ns_per_tick;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void calibrate(void) {
    const double t0 = now_ns();
    const uint64_t c0 = __rdtsc();
    while (now_ns() - t0 < 5e7) {
    }
    ns_per_tick = (now_ns() - t0) / (double)(__rdtsc() - c0);
}

static double rdtsc_cost(void) {
    double best = 1e9;
    for (int i = 0; i < 200; ++i) {
        uint64_t sum = 0;
        const uint64_t c0 = __rdtsc();
        for (int k = 0; k < 1000; ++k) sum += __rdtsc();
        const double ns = (double)(__rdtsc() - c0) * ns_per_tick / 1000;
        __asm__ volatile("" : : "r"(sum));
        if (ns < best) best = ns;
    }
    return best;
}

static void comm_size(int calls) {
    int size;
    for (int i = 0; i < calls; ++i) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
}

/* Three calls each. */
static void self_message(int calls) {
    int out = 1, in = 0;
    MPI_Request request;
    for (int i = 0; i < calls / 3; ++i) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static double burst(void (*calls)(int), int count, int bursts) {
    double best = 1e9;
    calls(count);
    for (int i = 0; i < bursts; ++i) {
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        calls(30); /* warm again after the pause */
        const uint64_t c0 = __rdtsc();
        calls(count);
        const double ns = (double)(__rdtsc() - c0) * ns_per_tick / count;
        if (ns < best) best = ns;
    }
    return best;
}

static double stream(void (*calls)(int), double millions) {
    const uint64_t c0 = __rdtsc();
    for (int i = 0; i < (int)millions; ++i) calls(999999);
    return (double)(__rdtsc() - c0) * ns_per_tick / (millions * 999999);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* mode = argc > 1 ? argv[1] : "burst";
    calibrate();
    printf("rdtsc=%.2f", rdtsc_cost());
    if (strcmp(mode, "burst") == 0) {
        const int calls = argc > 2 ? atoi(argv[2]) : 1500;
        const int bursts = argc > 3 ? atoi(argv[3]) : 200;
        printf(" comm_size=%.2f", burst(comm_size, calls, bursts));
        printf(" self_message=%.2f", burst(self_message, calls, bursts));
    } else {
        const double millions = argc > 2 ? atof(argv[2]) : 30;
        printf(" comm_size=%.2f", stream(comm_size, millions));
        printf(" self_message=%.2f", stream(self_message, millions / 10));
    }
    printf("\n");
    MPI_Finalize();
    return 0;
}
