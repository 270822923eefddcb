/* Every kind of epoch of one-sided communication, and every way of moving data to and from a file, with
 * numbers that the tests know. Two ranks; the argument is the path of a file. */
#include <mpi.h>
#include <stdio.h>

enum { kInts = 64 };

static int local[kInts], ints[kInts];

static void Transfer(MPI_Win window) {
    int rank, result;
    MPI_Request request;
    MPI_Group world, group;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int peer = 1 - rank;

    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(local, 10, MPI_INT, 1, 0, 10, MPI_INT, window);
        MPI_Put(local, 1, MPI_INT, 0, 20, 1, MPI_INT, window);
        MPI_Get(local, 5, MPI_INT, 1, 20, 5, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Accumulate(local, 3, MPI_INT, 0, 0, 3, MPI_INT, MPI_SUM, window);
        MPI_Put(local, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, window);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &group);
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Win_start(group, 0, window);
            MPI_Put(local, 7, MPI_INT, 1, 0, 7, MPI_INT, window);
            MPI_Win_complete(window);
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            int done = 0;
            MPI_Win_post(group, 0, window);
            MPI_Recv(&done, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            done = 0;
            while (i == 1 && !done) {
                MPI_Win_test(window, &done);
            }
            if (!done) {
                MPI_Win_wait(window);
            }
        }
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);

    MPI_Win_lock(rank == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, peer, 0, window);
    if (rank == 0) {
        MPI_Put(local, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
        MPI_Win_flush(1, window);
        MPI_Get(local, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock(peer, window);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(local, &result, MPI_INT, peer, 40, MPI_SUM, window);
    MPI_Rput(local, 6, MPI_INT, rank, 50, 6, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
}

static void UseFile(const char* path) {
    int rank;
    MPI_File file;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 100 * rank, local, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, 100 * rank + 16, local, 2, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, 100 * rank + 24, local, 1, MPI_INT);
    MPI_File_write_at_all_end(file, local, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(file, 120, MPI_SEEK_SET);
    /* There are 128 bytes: no more than eight are left. */
    MPI_File_read(file, ints, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char** argv) {
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Win_create(ints, sizeof(ints), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    Transfer(window);
    MPI_Win_free(&window);
    if (argc > 1) {
        UseFile(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
