/* Tells comshu of itself (user_test.py). Each rank: region "outer" around three regions "inner" around
 * one MPI_Barrier each; mark "step" with 0, 1, 2; counter "level" with 0.5, 1.5, 2.5; ten messages with
 * tag 3 over "pigeon" to the other rank, the i-th of i bytes, the first five of rank 0 within a pause;
 * five more of rank 0 that nobody receives, with tag 4. */
#include <mpi.h>

#include "comshu/comshu.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comshu_region_begin("outer");
    for (int i = 0; i < 3; ++i) {
        comshu_region_begin("inner"); /* here */
        comshu_mark("step", i);
        comshu_counter("level", i + 0.5);
        MPI_Barrier(MPI_COMM_WORLD);
        comshu_region_end("inner");
    }
    comshu_region_end("never begun");
    comshu_region_begin("left open inside");
    comshu_region_end("outer");
    if (rank == 0) comshu_pause();
    for (int i = 1; i <= 10; ++i) {
        if (i == 6) comshu_resume();
        comshu_message_sent("pigeon", 1 - rank, 3, (uint64_t)i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= 10; ++i) comshu_message_received("pigeon", 1 - rank, 3, (uint64_t)i);
    for (int i = 0; i < 5 && rank == 0; ++i) comshu_message_sent("pigeon", 1, 4, 9);
    comshu_flush();
    MPI_Finalize();
    return 0;
}
