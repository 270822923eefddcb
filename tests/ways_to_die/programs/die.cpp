// die WAY WHO FOLDER: some calls, then the end of one rank (the last) or of all in the given way. The
// others wait for a message that never comes, or finish if that one does.
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <mpi.h>

#include "counted.h"

namespace {

constexpr int kRounds = 25;

void Exchange(int rank, int size, int round) {
    int sent = round;
    int received = 0;
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    MPI_Request request;
    CALL(MPI_Irecv(&received, 1, MPI_INT, from, round, MPI_COMM_WORLD, &request));
    CALL(MPI_Send(&sent, 1, MPI_INT, to, round, MPI_COMM_WORLD));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (received != round) std::exit(92);
}

// More sent than the receiver has room for: an error that is fatal by default.
void Truncate(int rank) {
    int large[100] = {};
    int small = 0;
    MPI_Request request;
    CALL(MPI_Isend(large, 100, MPI_INT, rank, 99, MPI_COMM_WORLD, &request));
    CALL(MPI_Recv(&small, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

bool Finishes(const char* way) {
    return std::strcmp(way, "normal") == 0 || std::strcmp(way, "exit-code") == 0 ||
           std::strncmp(way, "finalize-", 9) == 0;
}

void Die(const char* way, int rank) {
    const auto is = [way](const char* name) { return std::strcmp(way, name) == 0; };
    if (Finishes(way)) CALL(MPI_Finalize());
    if (is("normal")) std::exit(0);
    if (is("exit-code")) std::exit(3);
    if (is("finalize-_exit")) _exit(0);
    if (is("finalize-abort")) std::abort();
    if (is("exit")) std::exit(4);
    if (is("_exit")) _exit(5);
    if (is("quick_exit")) std::quick_exit(6);
    if (is("abort")) std::abort();
    if (is("mpi-abort")) CALL(MPI_Abort(MPI_COMM_WORLD, 7));
    if (is("segv")) *static_cast<volatile int*>(nullptr) = 1;
    if (is("term")) std::raise(SIGTERM);
    if (is("kill")) std::raise(SIGKILL);
    if (is("truncation")) Truncate(rank);
    if (is("exception")) throw std::runtime_error("nobody catches this");
    std::exit(93);
}

}  // namespace

int main(int count, char** arguments) {
    const char* way = arguments[1];
    const bool all = std::strcmp(arguments[2], "all") == 0;
    const char* folder = count > 3 ? arguments[3] : nullptr;
    int rank;
    int size;
    CALL(MPI_Init(&count, &arguments));
    CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CountInto(folder, rank);
    for (int round = 0; round < kRounds; ++round) Exchange(rank, size, round);
    std::printf("program: rank %d of %d\n", rank, size);
    std::fflush(stdout);
    Mark(folder, "there", rank);
    // The others know that this one is there before it ends.
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (std::strcmp(way, "wait") != 0 && (all || rank == size - 1)) Die(way, rank);
    if (Finishes(way)) {
        CALL(MPI_Finalize());
        return 0;
    }
    int never;
    CALL(MPI_Recv(&never, 1, MPI_INT, size - 1, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return 94;
}
