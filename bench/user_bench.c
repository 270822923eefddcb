/* What the calls of comshu.h cost: ns per call, the least of many rounds. Alone it shows the price where
 * nobody listens; under `comshu run -p user --` that of recording. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>

#include "comshu/comshu.h"

enum { kCalls = 100000, kRounds = 50 };

static double Now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define MEASURE(name, calls, statement)                           \
    do {                                                          \
        double least = 1e30;                                      \
        for (int round = 0; round < kRounds; ++round) {           \
            const double begin = Now();                           \
            for (int i = 0; i < kCalls; ++i) {                    \
                statement;                                        \
            }                                                     \
            const double ns = (Now() - begin) / kCalls / (calls); \
            if (ns < least) least = ns;                           \
        }                                                         \
        printf("%-24s %6.2f ns\n", name, least);                  \
    } while (0)

int main(void) {
    MEASURE("region, begin or end", 2, comshu_region_begin("region"); comshu_region_end("region"));
    MEASURE("mark", 1, comshu_mark("mark", i));
    MEASURE("counter", 1, comshu_counter("counter", i));
    MEASURE("message", 1, comshu_message_sent("wire", 1, i & 7, 64));
    return 0;
}
