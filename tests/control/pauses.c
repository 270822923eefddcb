/* Rank 0 sends to rank 1, the i-th message of i bytes with tag 7, and stops and starts recording on the
 * way (pauses_test.py). What is given as argument, in order:
 *
 *   send N     N more messages
 *   stop R, start R, flush R   MPI_Pcontrol(0), (1), (2) on rank R; -1: on both
 *   meet NAME  makes the file NAME.<rank> and waits until NAME.go is there */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, sent;
static char buffer[1 << 16];

static void Send(int count) {
    for (int i = 0; i < count; ++i) {
        ++sent;
        if (rank == 0) MPI_Send(buffer, sent, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(buffer, sizeof buffer, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void Control(int level, int on) {
    if (on == -1 || on == rank) MPI_Pcontrol(level);
}

static void Meet(const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", name, rank);
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s.go", name);
    while (access(path, F_OK) != 0) usleep(1000);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i + 1 < argc; i += 2) {
        const char* value = argv[i + 1];
        if (strcmp(argv[i], "send") == 0) Send(atoi(value));
        if (strcmp(argv[i], "stop") == 0) Control(0, atoi(value));
        if (strcmp(argv[i], "start") == 0) Control(1, atoi(value));
        if (strcmp(argv[i], "flush") == 0) Control(2, atoi(value));
        if (strcmp(argv[i], "meet") == 0) Meet(value);
    }
    MPI_Finalize();
    return 0;
}
