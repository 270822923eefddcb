// What the programs of these tests share: each process tells in a mapped file, which survives it, how
// many MPI calls it began and how many returned.
#ifndef COMSHU_TESTS_COUNTED_H_
#define COMSHU_TESTS_COUNTED_H_

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    unsigned long begun;
    unsigned long returned;
} Counters;

static Counters first_counters;
static Counters* counters = &first_counters;

#define CALL(call)            \
    do {                      \
        ++counters->begun;    \
        call;                 \
        ++counters->returned; \
    } while (0)

// Without a folder the counts stay in the process.
static inline void CountInto(const char* folder, int number) {
    char path[4096];
    Counters* shared;
    int fd;
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/%d.count", folder, number);
    fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *shared) != 0) exit(90);
    shared = (Counters*)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared == MAP_FAILED) exit(91);
    *shared = *counters;
    counters = shared;
}

// Tells the test that this process is there, and its number.
static inline void Mark(const char* folder, const char* what, int number) {
    char path[4096];
    char part[4200];
    FILE* file;
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/%s.%d", folder, what, number);
    snprintf(part, sizeof part, "%s.part", path);
    file = fopen(part, "w");
    if (file == NULL) return;
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    rename(part, path);
}

// Until the test has made that file.
static inline void AwaitFile(const char* folder, const char* what) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, what);
    while (access(path, F_OK) != 0) usleep(2000);
}

#endif  // COMSHU_TESTS_COUNTED_H_
