/* Blocking and nonblocking messages between two ranks, known by construction (point_to_point_test.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, other, data[4096], sink[4096];

static void blocking(void) {
    if (rank == 0) {
        for (int i = 1; i <= 5; ++i) MPI_Send(data, 10 * i, MPI_INT, 1, i, MPI_COMM_WORLD);
        MPI_Ssend(data, 7, MPI_DOUBLE, 1, 20, MPI_COMM_WORLD);
        char* space = malloc(1000 + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(space, 1000 + MPI_BSEND_OVERHEAD);
        MPI_Bsend(data, 9, MPI_CHAR, 1, 21, MPI_COMM_WORLD);
        int size;
        MPI_Buffer_detach(&space, &size);
        free(space);
        MPI_Recv(sink, 1, MPI_INT, 1, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data, 3, MPI_INT, 1, 23, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i <= 5; ++i) {
            MPI_Recv(sink, 4096, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        MPI_Status status;
        MPI_Recv(sink, 100, MPI_DOUBLE, 0, 20, MPI_COMM_WORLD, &status);
        printf("ssend from %d tag %d\n", status.MPI_SOURCE, status.MPI_TAG);
        MPI_Recv(sink, 9, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request request;
        MPI_Irecv(sink, 3, MPI_INT, 0, 23, MPI_COMM_WORLD, &request);
        MPI_Send(data, 1, MPI_INT, 0, 22, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void both_ways(void) {
    MPI_Status status;
    MPI_Sendrecv(data, 11 + rank, MPI_INT, other, 30 + rank, sink, 4096, MPI_INT, MPI_ANY_SOURCE,
                 MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(data, 6, MPI_INT, other, 40, other, 40, MPI_COMM_WORLD, &status);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    printf("replaced %d from %d\n", count, status.MPI_SOURCE);
    MPI_Send(data, 5, MPI_INT, MPI_PROC_NULL, 50, MPI_COMM_WORLD);
    MPI_Recv(sink, 5, MPI_INT, MPI_PROC_NULL, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request request[2];
    MPI_Irecv(sink, 5, MPI_INT, MPI_PROC_NULL, 51, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(data, 5, MPI_INT, MPI_PROC_NULL, 51, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void probes(void) {
    if (rank == 0) {
        MPI_Send(data, 12, MPI_INT, 1, 60, MPI_COMM_WORLD);
        MPI_Send(data, 13, MPI_INT, 1, 61, MPI_COMM_WORLD);
        MPI_Send(data, 14, MPI_INT, 1, 62, MPI_COMM_WORLD);
    } else {
        int flag = 0, count;
        MPI_Status status;
        MPI_Message message;
        MPI_Probe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(sink, count, MPI_INT, status.MPI_SOURCE, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* never sent */
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(sink, 4096, MPI_INT, &message, MPI_STATUS_IGNORE);
        while (!flag) MPI_Improbe(0, 62, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Request request;
        MPI_Imrecv(sink, 4096, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("matched %d\n", count);
    }
}

// Of 8 numbers there is room for two.
static void errors(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int i = 0; i < 6; ++i) MPI_Send(data, 8, MPI_INT, 1, 70, MPI_COMM_WORLD);
        MPI_Sendrecv(data, 8, MPI_INT, 1, 71, sink, 2, MPI_INT, 1, 71, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    } else {
        MPI_Request requests[2];
        MPI_Status status;
        const int result = MPI_Recv(sink, 2, MPI_INT, 0, 70, MPI_COMM_WORLD, &status);
        printf("truncated: %d\n", result != MPI_SUCCESS);
        MPI_Recv(sink, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(sink, 2, MPI_INT, 77, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(sink, 2, MPI_INT, MPI_ANY_SOURCE, 70, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Irecv(sink, 2, MPI_INT, 0, 70, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(sink + 8, 8, MPI_INT, 0, 70, MPI_COMM_WORLD, &requests[1]);
        while (MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS) continue;
        MPI_Recv(sink, 8, MPI_INT, 0, 70, MPI_COMM_WORLD, &status);
        MPI_Sendrecv(data, 8, MPI_INT, 0, 71, sink, 2, MPI_INT, 0, 71, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    printf("bad rank: %d\n", MPI_Send(data, 1, MPI_INT, 77, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < 4096; ++i) data[i] = i + rank;
    blocking();
    both_ways();
    probes();
    errors();
    MPI_Finalize();
    return 0;
}
