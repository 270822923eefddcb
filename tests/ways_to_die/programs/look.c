// look: writes what a program can see of itself at the beginning of main, after its first MPI calls, and at
// the end: errno, signals, CPUs, locale, limits, descriptors up to 20, standard input.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { kLowDescriptors = 21 };

static void Look(const char* when, int error) {
    sigset_t set;
    cpu_set_t cpus;
    struct itimerval timer;
    char folder[4096];
    int i;
    printf("%s: errno %d\n", when, error);
    printf("%s: blocked", when);
    sigprocmask(SIG_SETMASK, NULL, &set);
    for (i = 1; i < 65; ++i) {
        if (sigismember(&set, i) == 1) printf(" %d", i);
    }
    printf("\n%s: handled", when);
    for (i = 1; i < 65; ++i) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf(" %d%s", i, action.sa_handler == SIG_IGN ? "(ignored)" : "");
    }
    sched_getaffinity(0, sizeof cpus, &cpus);
    printf("\n%s: cpus %d, policy %d, nice %d\n", when, CPU_COUNT(&cpus), sched_getscheduler(0),
           getpriority(PRIO_PROCESS, 0));
    printf("%s: locale %s, umask ", when, setlocale(LC_ALL, NULL));
    i = umask(0);
    umask(i);
    printf("%o, folder %s\n%s: descriptors", i, getcwd(folder, sizeof folder), when);
    for (i = 0; i < kLowDescriptors; ++i) {
        struct stat info;
        if (fstat(i, &info) == 0) printf(" %d(%o)", i, info.st_mode & S_IFMT);
    }
    printf("\n%s: limits", when);
    for (i = 0; i < RLIM_NLIMITS; ++i) {
        struct rlimit limit;
        getrlimit(i, &limit);
        printf(" %lx", (unsigned long)limit.rlim_cur);
    }
    getitimer(ITIMER_REAL, &timer);
    printf("\n%s: timer %ld\n", when, (long)timer.it_value.tv_sec);
}

// Lines of two ranks would mix.
static int Speaks(void) {
    const char* rank = getenv("PMI_RANK");
    if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank == NULL || atoi(rank) == 0;
}

int main(int count, char** arguments) {
    const int at_main = errno;
    int version, subversion, rank = 0, i, before;
    char line[100] = "";
    if (!Speaks() && freopen("/dev/null", "w", stdout) == NULL) return 1;
    Look("at main", at_main);
    printf("arguments %d %s\n", count, count > 1 ? arguments[1] : "");
    if (count > 1 && strcmp(arguments[1], "mpi") == 0) {
        MPI_Init(&count, &arguments);
        // The first traced call has begun all that the recorder does.
        Look("after MPI_Init", 0);
        errno = 77;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (i = 0; i < 100000; ++i) {
            MPI_Get_version(&version, &subversion);
            if (errno != 77) break;
        }
        printf("errno after calls %d\n", errno);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        Look("after MPI_Finalize", 0);
    } else {
        errno = 77;
        before = errno;
        for (i = 0; i < 100000; ++i) MPI_Get_version(&version, &subversion);
        printf("errno before %d after %d\n", before, errno);
        Look("at the end", 0);
    }
    if (rank == 0) printf("input %s", fgets(line, sizeof line, stdin) == NULL ? "none\n" : line);
    return 0;
}
