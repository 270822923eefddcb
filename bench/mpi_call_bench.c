/* What one call of MPI costs on one rank: in bursts that fit a recorder's buffer (minimum, median and
 * the first of many), or back to back for many millions of calls. Prints one line of name=value pairs,
 * times in ns per call; issued: all calls of MPI that were made; traced: those of the cases; messages: of
 * self_message alone.
 *
 *   mpi_call_bench burst [calls in a burst] [bursts]
 *   mpi_call_bench stream [millions of calls]
 *   mpi_call_bench start
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

/* MPI_Init and MPI_Finalize are calls too. */
static long issued = 2;
static long messages = 0;

static void comm_size(int calls) {
    int size;
    issued += calls;
    for (int i = 0; i < calls; ++i) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
}

/* Three calls each. */
static void self_message(int calls) {
    int out = 1, in = 0;
    MPI_Request request;
    issued += calls / 3 * 3;
    messages += calls / 3 * 3;
    for (int i = 0; i < calls / 3; ++i) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void burst(const char* name, void (*calls)(int), int count, int bursts) {
    double* ns = malloc((size_t)bursts * sizeof *ns);
    const uint64_t first = __rdtsc();
    calls(count);
    const double cold = (double)(__rdtsc() - first) * ns_per_tick / count;
    for (int i = 0; i < bursts; ++i) {
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        calls(30); /* warm again after the pause */
        const uint64_t c0 = __rdtsc();
        calls(count);
        ns[i] = (double)(__rdtsc() - c0) * ns_per_tick / count;
    }
    qsort(ns, (size_t)bursts, sizeof *ns, by_value);
    printf(" %s=%.2f %s_median=%.2f %s_cold=%.2f", name, ns[0], name, ns[bursts / 2], name, cold);
    free(ns);
}

static double stream(void (*calls)(int), double millions) {
    const int turns = (int)(millions * 1000);
    const uint64_t c0 = __rdtsc();
    for (int i = 0; i < turns; ++i) calls(999);
    return (double)(__rdtsc() - c0) * ns_per_tick / (turns * 999.0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* mode = argc > 1 ? argv[1] : "burst";
    if (strcmp(mode, "start") == 0) {
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        return MPI_Finalize();
    }
    calibrate();
    printf("rdtsc=%.2f", rdtsc_cost());
    if (strcmp(mode, "burst") == 0) {
        const int calls = argc > 2 ? atoi(argv[2]) : 1500;
        const int bursts = argc > 3 ? atoi(argv[3]) : 200;
        burst("comm_size", comm_size, calls, bursts);
        burst("self_message", self_message, calls, bursts);
    } else {
        const double millions = argc > 2 ? atof(argv[2]) : 30;
        printf(" comm_size=%.2f", stream(comm_size, millions));
        printf(" self_message=%.2f", stream(self_message, millions / 10));
    }
    printf(" issued=%ld traced=%ld messages=%ld\n", issued, issued - 2, messages);
    MPI_Finalize();
    return 0;
}
