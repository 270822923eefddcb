/* What the calls cost that `comshu fc` puts into Fortran programs: ns per call, as "name least median". Alone it
 * shows the price where nobody listens; under `comshu run -p openmp --` that of recording, in bursts that fit
 * the ring, what is written between them not counted. The entries that the program calls are those of a
 * registration unit (dbg_bench.f90), as in any instrumented program. Several calls stand in a row: the branch
 * of a loop with one costs a quarter of it, more or less by where the compiler puts it. */
#define _POSIX_C_SOURCE 199309L
#include "comshu/fortran/dbg_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void dbg_before_barrier_(const int64_t* h, int64_t* t);
void dbg_after_barrier_(const int64_t* h, int64_t* t);
void dbg_omp_loop_event_(const int64_t* h, int64_t* t, const int64_t* index);
void dbg_read_var_(const int64_t* h, int64_t* t, void* address, const int64_t* v);
/* Of another library, and does nothing (dbg_bench_empty.c). */
void comshu_bench_empty(const int64_t* h, int64_t* t, const int64_t* index);
void comshu_engine_flush(void) __attribute__((weak));

static const struct comshu_dbg_string strings[] = {
    {"2**", 3},
    {"37*type=barrier*file=bench.f*line1=12**", 39},
    {"88*type=var_name*file=bench.f*line1=3*name1=x*vtype=4*isindata=0*isincommon=0*isinsave=0**",
     90},
};
static struct comshu_dbg_unit unit = {
    sizeof unit, COMSHU_DBG_VERSION, "bench.f", 123456789000000, 3, strings, 0, 0, 0};
__attribute__((constructor)) static void Register(void) {
    comshu_dbg_register(&unit);
}

enum { kCalls = 2000, kMostBursts = 3000 };

static double Now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int Compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

#define MEASURE(name, calls, statement)                                    \
    do {                                                                   \
        static double ns[kMostBursts];                                     \
        for (int burst = 0; burst < bursts; ++burst) {                     \
            const double begin = Now();                                    \
            _Pragma("GCC unroll 4") for (int64_t i = 0; i < kCalls; ++i) { \
                statement;                                                 \
            }                                                              \
            ns[burst] = (Now() - begin) / kCalls / (calls);                \
            if (comshu_engine_flush) comshu_engine_flush();                \
        }                                                                  \
        qsort(ns, (size_t)bursts, sizeof *ns, Compare);                    \
        printf("%s %.2f %.2f\n", name, ns[0], ns[bursts / 2]);             \
    } while (0)

int main(int argc, char** argv) {
    int bursts = argc > 1 ? atoi(argv[1]) : 1000;
    if (bursts < 1 || bursts > kMostBursts) bursts = kMostBursts;
    static const int64_t construct = 123456789000001, variable = 123456789000002;
    int64_t thread = -1, value = 0, index;
    volatile uint64_t ticks = 0;
    MEASURE("clock", 1, ticks = __builtin_ia32_rdtsc());
    MEASURE("event", 2, dbg_before_barrier_(&construct, &thread);
            dbg_after_barrier_(&construct, &thread));
    /* As instrumented programs do: the number of the iteration is stored anew each time. */
    MEASURE("iteration", 1, index = i; dbg_omp_loop_event_(&construct, &thread, &index));
    MEASURE("access", 1, dbg_read_var_(&construct, &thread, &value, &variable));
    MEASURE("empty", 1, index = i; comshu_bench_empty(&construct, &thread, &index));
    (void)ticks;
    return 0;
}
