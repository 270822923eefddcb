// Error handlers that leave MPI by an exception and by longjmp, through wrapper and tool.
#include <mpi.h>

#include <csetjmp>
#include <cstdio>

namespace {

struct Error {
    int code;
};

std::jmp_buf outside;
bool jumps = false;

void Fail(MPI_Comm*, int* code, ...) {
    if (jumps) {
        std::longjmp(outside, 1);
    }
    throw Error{*code};
}

void SendToNobody() {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(Fail, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    int caught = 0;
    for (int i = 0; i < 3; i++) {
        try {
            SendToNobody();
        } catch (const Error& error) {
            caught += error.code != MPI_SUCCESS;
        }
    }
    volatile bool jumped = false;
    jumps = true;
    if (setjmp(outside) == 0) {
        SendToNobody();
    } else {
        jumped = true;
    }
    const bool good = caught == 3 && jumped;
    std::puts(good ? "OK" : "WRONG");
    MPI_Finalize();
    return good ? 0 : 1;
}
