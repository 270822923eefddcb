// Leaves MPI calls by longjmp and by exceptions, from an error handler and from a reduction.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

#include <mpi.h>

namespace {

jmp_buf back;
bool throws = false;

void OnError(MPI_Comm*, int*, ...) {
    if (throws) throw std::runtime_error("from a handler");
    longjmp(back, 1);
}

void WrongSend() {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_SELF);
}

}  // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(OnError, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    volatile int jumped = 0;
    for (volatile int i = 0; i < 5; ++i) {
        if (setjmp(back) == 0)
            WrongSend();
        else
            ++jumped;
    }
    throws = true;
    int caught = 0;
    for (int i = 0; i < 5; ++i) {
        try {
            WrongSend();
        } catch (const std::exception&) {
            ++caught;
        }
    }
    std::printf("jumped %d caught %d\n", static_cast<int>(jumped), caught);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
