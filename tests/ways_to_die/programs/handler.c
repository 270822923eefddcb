// handler RAISED|TIMER: a signal handler that calls MPI, while the program calls MPI itself. Says how many
// calls there were in all.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile long in_handler;
static long outside;

static void Call(void) {
    int version, subversion;
    MPI_Get_version(&version, &subversion);
}

static void OnSignal(int number) {
    (void)number;
    ++in_handler;
    Call();
}

int main(int count, char** arguments) {
    const int timer = strcmp(arguments[1], "timer") == 0;
    const struct itimerval often = {{0, 500}, {0, 500}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    int i;
    signal(SIGALRM, OnSignal);
    signal(SIGUSR1, OnSignal);
    MPI_Init(&count, &arguments);
    if (timer) setitimer(ITIMER_REAL, &often, NULL);
    for (i = 0; timer ? in_handler < 200 : i < 500; ++i) {
        Call();
        ++outside;
        if (!timer && i % 5 == 0) raise(SIGUSR1);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    fprintf(stderr, "calls %ld\n", outside + in_handler);
    MPI_Finalize();
    return 0;
}
