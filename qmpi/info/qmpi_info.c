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

/* The layer lies beside the program as built and as installed. */
static int FindLayer(const char* mpi, char* path, size_t size) {
    char self[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char* slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash == NULL) {
        return 0;
    }
    *slash = '\0';
    snprintf(path, size, "%s/../lib/comshu/libqmpi-%s.so", self, mpi);
    return access(path, R_OK) == 0;
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
    char layer[PATH_MAX + 64];
    for (int i = 0; i < kMpiCount; i++) {
        if ((wanted == NULL || strcmp(wanted, kMpis[i][0]) == 0) &&
            FindLayer(kMpis[i][0], layer, sizeof(layer))) {
            setenv("QMPI_INFO", kMpis[i][0], 1);
            setenv("LD_PRELOAD", layer, 1);
            execv("/proc/self/exe", argv);
            perror("qmpi-info");
            return 1;
        }
    }
    fprintf(stderr, "qmpi-info: there is no layer for %s here\n",
            wanted != NULL ? wanted : "any MPI");
    return 1;
}
