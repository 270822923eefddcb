/* Calls every function of the MPI once, with thirteen distinct arguments, and asks the fake library
 * behind what arrived. Whatever lies between must pass them on as they are: every argument of an MPI
 * function is an integer or a pointer, so one call shape serves all. */
#include <stdio.h>
#include <stdlib.h>

#include "fake_mpi.h"

#define X(name, number, count, mask, returns_double) extern void name(void);
#include "calls.h"
#undef X

typedef struct {
    const char* name;
    void (*function)(void);
    int count;
    int mask;
    int returns_double;
} Call;

static const Call calls[] = {
#define X(name, number, count, mask, returns_double) {#name, name, count, mask, returns_double},
#include "calls.h"
#undef X
};

typedef long LongFunction(long, long, long, long, long, long, long, long, long, long, long, long,
                          long);
typedef double DoubleFunction(long, long, long, long, long, long, long, long, long, long, long,
                              long, long);

static long Argument(int function, int position) {
    return 0x0123456700000000l + function * 64 + position + 1;
}

#define ARGUMENTS(f)                                                                    \
    Argument(f, 0), Argument(f, 1), Argument(f, 2), Argument(f, 3), Argument(f, 4),     \
        Argument(f, 5), Argument(f, 6), Argument(f, 7), Argument(f, 8), Argument(f, 9), \
        Argument(f, 10), Argument(f, 11), Argument(f, 12)

int main(void) {
    int wrong = 0;
    const int total = (int)(sizeof(calls) / sizeof(calls[0]));
    /* MPI_Initialized first and all of it twice: the first call binds, the second is the usual one. */
    for (int i = 0; i < 2 * total; i++) {
        const int f = i % total;
        const Call* call = &calls[f];
        fake_last_call.calls = 0;
        const double result = call->returns_double
                                  ? ((DoubleFunction*)call->function)(ARGUMENTS(f))
                                  : (double)(int)((LongFunction*)call->function)(ARGUMENTS(f));
        int good = fake_last_call.calls == 1 && fake_last_call.function == f && result == 1000 + f;
        for (int a = 0; a < call->count; a++) {
            const long sent = Argument(f, a);
            const long got = fake_last_call.arguments[a];
            good &= (call->mask >> a & 1) != 0 ? got == sent : (int)got == (int)sent;
        }
        if (!good) {
            printf("WRONG %s: calls %d, function %d, result %g\n", call->name, fake_last_call.calls,
                   fake_last_call.function, result);
            wrong++;
        }
    }
    printf("%s %d functions\n", wrong == 0 ? "OK" : "WRONG", total);
    return wrong == 0 ? 0 : 1;
}
