/* Requests and the calls that complete them, known by construction (completions_test.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, data[4096], sink[64][64];

/* Lets the other rank run; a bare loop of tests would be most of the capture. */
static void polled(void) {
    usleep(200);
}

/* Rank 0 sends n messages of 1, 2, ... ints with tags base, base + 1, ... */
static void send_series(int n, int base) {
    for (int i = 0; i < n; ++i) MPI_Send(data, i + 1, MPI_INT, 1, base + i, MPI_COMM_WORLD);
}

static void receive_series(MPI_Request* requests, int n, int base) {
    for (int i = 0; i < n; ++i) {
        MPI_Irecv(sink[i], 64, MPI_INT, MPI_ANY_SOURCE, base + i, MPI_COMM_WORLD, &requests[i]);
    }
}

static void waits(void) {
    MPI_Request requests[64];
    MPI_Status statuses[64];
    if (rank == 0) {
        send_series(4, 100);
        send_series(4, 200);
        send_series(50, 300);
        send_series(4, 400);
        return;
    }
    receive_series(requests, 4, 100);
    for (int left = 4, index; left > 0; --left) {
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        requests[index] = MPI_REQUEST_NULL;
    }
    int index, outcount, indices[64];
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    printf("none left: %d\n", index == MPI_UNDEFINED);
    receive_series(requests, 4, 200);
    for (int left = 4; left > 0; left -= outcount) {
        MPI_Waitsome(4, requests, &outcount, indices, MPI_STATUSES_IGNORE);
    }
    MPI_Waitsome(4, requests, &outcount, indices, MPI_STATUSES_IGNORE);
    printf("none left: %d\n", outcount == MPI_UNDEFINED);
    receive_series(requests, 50, 300);
    MPI_Waitall(50, requests, MPI_STATUSES_IGNORE);
    receive_series(requests, 4, 400);
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; ++i) printf("%d %d\n", statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
}

static void tests(void) {
    MPI_Request requests[4];
    if (rank == 0) {
        send_series(1, 500);
        send_series(2, 510);
        send_series(3, 520);
        send_series(3, 530);
        return;
    }
    int flag = 0, index, outcount, indices[4];
    receive_series(requests, 1, 500);
    for (; !flag; polled()) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag; polled()) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    receive_series(requests, 2, 510);
    for (flag = 0; !flag; polled()) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    receive_series(requests, 3, 520);
    for (int left = 3; left > 0; polled()) {
        MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        if (flag) --left;
    }
    receive_series(requests, 3, 530);
    for (int left = 3; left > 0; polled()) {
        MPI_Testsome(3, requests, &outcount, indices, MPI_STATUSES_IGNORE);
        left -= outcount;
    }
}

static void persistent(void) {
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Send_init(data, 5, MPI_INT, 1, 600, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(data, 6, MPI_INT, 1, 601, MPI_COMM_WORLD, &requests[1]);
    } else {
        MPI_Recv_init(sink[0], 64, MPI_INT, MPI_ANY_SOURCE, 600, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(sink[1], 64, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* inactive: returns at once */
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void cancelled(void) {
    MPI_Request request;
    MPI_Status status;
    int flag;
    MPI_Irecv(sink[0], 1, MPI_INT, 1 - rank, 700, MPI_COMM_WORLD, &request); /* never sent */
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    printf("cancelled: %d\n", flag);
    MPI_Irecv(sink[0], 1, MPI_INT, 1 - rank, 700, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void many(void) {
    enum { kMany = 1000 };
    MPI_Request* requests = malloc(kMany * sizeof *requests);
    for (int i = 0; i < kMany; ++i) {
        if (rank == 0) {
            MPI_Isend(data, i % 7, MPI_INT, 1, 1000 + i, MPI_COMM_WORLD, &requests[i]);
        } else {
            MPI_Irecv(&data[2 * i], 64, MPI_INT, 0, 1000 + i, MPI_COMM_WORLD, &requests[i]);
        }
    }
    MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void freed(void) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(data, 1, MPI_INT, 1, 800, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    } else {
        MPI_Recv(sink[0], 1, MPI_INT, 0, 800, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int query(void* state, MPI_Status* status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int nothing(void* state) {
    (void)state;
    return MPI_SUCCESS;
}
static int no_cancel(void* state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void generalized(void) {
    MPI_Request request;
    MPI_Grequest_start(query, nothing, no_cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    waits();
    tests();
    persistent();
    cancelled();
    many();
    freed();
    generalized();
    MPI_Finalize();
    return 0;
}
