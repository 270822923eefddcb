/* Why instances of one tool are called by way of a relay (docs/qmpi.md, Cost): the same without layer and
 * MPI. A function calls itself on through a table, n times, before it reaches the end. Its one indirect
 * jump leads
 *   straight  to itself, at last to the end;
 *   own       to a jump of the level's own, which leads to itself: n targets;
 *   relay     to one place, always, where a conditional branch tells by the id. */
#include <stdio.h>
#include <time.h>

enum { kMaxLevels = 32, kBatches = 1000, kCalls = 2000 };

typedef int Function(void* context, long id, int argument, int* result);
typedef struct {
    Function* function;
    long id;
} Link;

Link links[kMaxLevels + 1];

__attribute__((noinline, used)) int End(void* context, long id, int argument, int* result) {
    (void)context;
    *result = argument;
    return (int)id;
}

__attribute__((noinline, used)) int Level(void* context, long id, int argument, int* result) {
    const Link next = links[id];
    return next.function(context, next.id, argument, result);
}

/* Jumps of 16 bytes each, one per level, and the relay. */
extern const char own_jumps[];
Function Relay;
__asm__(
    ".text\n.p2align 4\n.globl own_jumps\nown_jumps:\n"
    ".rept 33\n.p2align 4\njmp Level\n.endr\n"
    ".p2align 4\n.globl Relay\nRelay:\ntestq %rsi, %rsi\nje End\njmp Level\n");

static double Now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double Least(void) {
    double least = 1e30;
    int result = 0;
    for (int batch = 0; batch < kBatches; batch++) {
        const double begin = Now();
        for (int call = 0; call < kCalls; call++) {
            const Link first = links[0];
            first.function(NULL, first.id, call, &result);
        }
        const double each = (Now() - begin) / kCalls;
        least = each < least ? each : least;
    }
    return least;
}

/* Level `id` leads to the one above it; the outermost is the last. */
static Link To(long id, const char* way) {
    if (way[0] == 'r') {
        return (Link){Relay, id};
    }
    return (Link){way[0] == 'o' ? (Function*)(own_jumps + 16 * id) : Level, id};
}

int main(void) {
    static const char* const ways[] = {"straight", "own", "relay"};
    printf("%-10s", "ns");
    for (int levels = 4; levels <= kMaxLevels; levels *= 2) {
        printf("%8d", levels);
    }
    for (int way = 0; way < 3; way++) {
        printf("\n%-10s", ways[way]);
        for (int levels = 4; levels <= kMaxLevels; levels *= 2) {
            /* Ids fall, so that the end has the id 0. */
            links[0] = To(levels, ways[way]);
            for (long id = levels; id > 1; id--) {
                links[id] = To(id - 1, ways[way]);
            }
            links[1] = way == 2 ? (Link){Relay, 0} : (Link){End, 0};
            printf("%8.1f", Least());
        }
    }
    putchar('\n');
    return 0;
}
