/* qmpi-info [--mpi mpich|openmpi] [LIST]: prints which tools a list loads, in which order, and what each
 * intercepts. It starts itself anew with the layer preloaded, brings that MPI's library into the process
 * and makes the first call that a program makes; MPI itself is not initialised. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const kMpis[][2] = {{"mpich", "libmpich.so.12"}, {"openmpi", "libmpi.so.40"}};
enum { kMpiCount = 2 };

/* The objects lie beside the program as built and as installed. */
static int FindObject(const char* name, const char* mpi, char* path, size_t size) {
    char self[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char* slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash == NULL) {
        return 0;
    }
    *slash = '\0';
    snprintf(path, size, "%s/../lib/comshu/lib%s%s.so", self, name, mpi);
    return access(path, R_OK) == 0;
}

/* Whether the list has the name, not as part of another one or of a path. */
static int Names(const char* list, const char* name) {
    const char* const others = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    const size_t length = strlen(name);
    for (const char* at = list; (at = strstr(at, name)) != NULL; at += length) {
        const int begins = at == list || strchr(others, at[-1]) == NULL;
        if (begins && (at[length] == '\0' || strchr(others, at[length]) == NULL)) {
            return 1;
        }
    }
    return 0;
}

/* `comshu run` preloads the recorder, which is the tool `comshu`: it is no library of the tool's name. */
static void AddRecorder(const char* mpi, char* objects, size_t size) {
    const char* list = getenv("QMPI_TOOLS");
    char engine[PATH_MAX + 64];
    char recorder[PATH_MAX + 64];
    if (list == NULL || !Names(list, "comshu") ||
        !FindObject("comshu_engine", "", engine, sizeof(engine)) ||
        !FindObject("comshu_mpi-", mpi, recorder, sizeof(recorder))) {
        return;
    }
    unsetenv("COMSHU_DIR"); /* It is to tell of itself, not to record. */
    const size_t used = strlen(objects);
    snprintf(objects + used, size - used, ":%s:%s", engine, recorder);
}

static int Describe(const char* mpi) {
    const char* library = strcmp(mpi, kMpis[0][0]) == 0 ? kMpis[0][1] : kMpis[1][1];
    if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) == NULL) {
        fprintf(stderr, "qmpi-info: %s\n", dlerror());
        return 1;
    }
    int flag = 0;
    int (*initialized)(int*) = (int (*)(int*))dlsym(RTLD_DEFAULT, "MPI_Initialized");
    void (*describe)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "qmpi_describe");
    if (initialized == NULL || describe == NULL) {
        fprintf(stderr, "qmpi-info: the layer was not loaded\n");
        return 1;
    }
    initialized(&flag);
    describe(STDOUT_FILENO);
    return 0;
}

static int Usage(FILE* to) {
    fputs("usage: qmpi-info [--mpi mpich|openmpi] [LIST]\n", to);
    return to == stdout ? 0 : 2;
}

int main(int argc, char** argv) {
    const char* described = getenv("QMPI_INFO");
    if (described != NULL) {
        return Describe(described);
    }
    const char* wanted = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            return Usage(stdout);
        }
        if (strcmp(argv[i], "--mpi") == 0 && i + 1 < argc) {
            wanted = argv[++i];
        } else if (argv[i][0] == '-') {
            return Usage(stderr);
        } else {
            setenv("QMPI_TOOLS", argv[i], 1);
        }
    }
    char objects[3 * (PATH_MAX + 64)];
    for (int i = 0; i < kMpiCount; i++) {
        if ((wanted == NULL || strcmp(wanted, kMpis[i][0]) == 0) &&
            FindObject("qmpi-", kMpis[i][0], objects, PATH_MAX + 64)) {
            AddRecorder(kMpis[i][0], objects, sizeof(objects));
            setenv("QMPI_INFO", kMpis[i][0], 1);
            setenv("LD_PRELOAD", objects, 1);
            execv("/proc/self/exe", argv);
            perror("qmpi-info");
            return 1;
        }
    }
    fprintf(stderr, "qmpi-info: there is no layer for %s here\n",
            wanted != NULL ? wanted : "any MPI");
    return 1;
}
