/* The same send on three ways, a thousand times each, and a receive (stacks_test.py): main > Left > Send,
 * main > Right > Send, main > Deep (10 levels) > Send; rank 1 receives in main > Receive. */
#include <mpi.h>

#define APART __attribute__((noinline, noclone))

static int data;
static volatile int depth;     /* Work behind each call: none of them is a tail call. */
static volatile int three = 3; /* No loop is unrolled: one place of a call. */

static APART void Send(int tag) {
    MPI_Send(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD); /* send */
    ++depth;
}
static APART void Left(void) {
    Send(1);
    ++depth;
}
static APART void Right(void) {
    Send(2);
    ++depth;
}
static APART void Deep(int levels) {
    if (levels > 1)
        Deep(levels - 1);
    else
        Send(3);
    ++depth;
}
static APART void Receive(void) {
    MPI_Recv(&data, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++depth;
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000; ++i) {
        if (rank == 0) {
            Left();
            Right();
            Deep(10);
        } else {
            for (int k = 0; k < three; ++k) Receive();
        }
    }
    MPI_Finalize();
    return 0;
}
