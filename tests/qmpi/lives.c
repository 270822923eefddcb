/* Calls MPI_Comm_rank twice, and in between does what its argument says. `closed early PATH` and `closed
 * late PATH` open a tool and close it again, before the first call or after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void LookAtStack(int signal) {
    void* addresses[64];
    ticks += backtrace(addresses, 64) > 1;
    (void)signal;
}

/* Until the timer has struck in the midst of calls 20 times. */
static void CallUnderSignals(void) {
    void* addresses[4];
    backtrace(addresses, 4); /* its first call loads a library */
    const struct sigaction action = {.sa_handler = LookAtStack, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    while (ticks < 20) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    setitimer(ITIMER_PROF, &never, NULL);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int rank = -1;
    void* tool = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
    if (strcmp(what, "closed early") == 0) {
        dlclose(tool);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "closed late") == 0) {
        dlclose(tool);
    } else if (strcmp(what, "signals") == 0) {
        CallUnderSignals();
    } else if (strcmp(what, "fork") == 0) {
        const pid_t child = fork();
        int status = -1;
        if (child == 0) {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            _exit(rank == 0 ? 3 : 4);
        }
        waitpid(child, &status, 0);
        printf("%s child\n", WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "good" : "WRONG");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    puts(rank == 0 ? "OK" : "WRONG rank");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
