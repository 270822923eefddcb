/* Windows, files and datatypes (objects_test.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, other;

static void one_sided(void) {
    int *base, value = 5, result, compare = 0, zeros[4] = {1, 2, 3, 4};
    MPI_Win window, made;
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    for (int i = 0; i < 16; ++i) base[i] = 0;
    MPI_Win_set_name(window, "halo");
    MPI_Win_fence(0, window);
    MPI_Put(zeros, 4, MPI_INT, other, 2, 4, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(zeros, 3, MPI_INT, other, 0, 3, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(zeros, 2, MPI_INT, other, 8, 2, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Fetch_and_op(&value, &result, MPI_INT, other, 12, MPI_SUM, window);
    MPI_Win_flush(other, window);
    MPI_Compare_and_swap(&value, &compare, &result, MPI_INT, other, 13, window);
    MPI_Win_flush(other, window);
    MPI_Request request;
    MPI_Rput(zeros, 2, MPI_INT, other, 14, 2, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(other, window);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("window %d %d %d\n", base[2], base[12], base[13]);
    MPI_Win_free(&window);
    MPI_Win_create(zeros, sizeof zeros, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    MPI_Win_free(&made);
}

static void files(const char* path) {
    int data[8] = {0}, back[8] = {0}, count;
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < 8; ++i) data[i] = 10 * rank + i;
    MPI_File_write_at(file, rank * 32, data, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, other * 32, back, 8, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf("file %d %d\n", count, back[7]);
    MPI_File_read_at(file, 48, back, 8, MPI_INT, MPI_STATUS_IGNORE); /* 4 ints are left */
    MPI_File_iread_at(file, 0, back, 2, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, rank * 8, MPI_SEEK_SET);
    MPI_File_read_all(file, back, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (rank == 0) unlink(path);
}

static void datatypes(void) {
    double grid[100] = {0};
    MPI_Datatype column, pair;
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_set_name(column, "column");
    MPI_Sendrecv(grid, 3, column, other, 1, grid, 30, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Type_create_struct(2, lengths, places, types, &pair); /* likely the same handle */
    MPI_Type_commit(&pair);
    MPI_Sendrecv(grid, 3, pair, other, 1, grid + 50, 3, pair, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    one_sided();
    files(argv[1]);
    datatypes();
    MPI_Finalize();
    return 0;
}
