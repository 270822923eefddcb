/* What a call costs that does nothing, in a library beside the program (dbg_bench.c). */
#include <stdint.h>

void comshu_bench_empty(const int64_t* h, int64_t* t, const int64_t* index);

void comshu_bench_empty(const int64_t* h, int64_t* t, const int64_t* index) {
    (void)h;
    (void)t;
    (void)index;
}
