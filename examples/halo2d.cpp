// Jacobi iteration for Laplace's equation on n x n points, ranks in a 2-D grid, halos exchanged with
// nonblocking messages, the residual summed over all ranks.
//
//   halo2d [n = 1024] [iterations = 1000]
//
// The grid of ranks is that of MPI_Dims_create, not periodic; its rows and columns split n as evenly
// as whole numbers allow, the first ones get the larger part. What every rank does:
//   MPI_Irecv, MPI_Isend      4 x iterations each: up, down, left, right. Those over the border of
//                             the domain name MPI_PROC_NULL and move nothing.
//   MPI_Waitall               iterations, of 8 requests
//   MPI_Allreduce             iterations / 10, of one double; MPI_Reduce 1, of one double
//   once each                 MPI_Init, MPI_Comm_size, MPI_Dims_create, MPI_Cart_create, MPI_Comm_rank,
//                             MPI_Cart_coords, MPI_Type_vector, MPI_Type_commit, MPI_Type_free,
//                             MPI_Comm_free, MPI_Finalize; MPI_Cart_shift and MPI_Wtime twice
// Two neighbours exchange `iterations` messages in each direction: up and down of 8 x (columns of
// the sender) bytes with tags 0 (up) and 1 (down), left and right of 8 x (rows) bytes, tags 2 and 3.
// With 2 ranks, one above the other: iterations messages of 8 x n bytes each way.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

enum Side { kUp, kDown, kLeft, kRight };

// The part of n points that position `at` of `parts` gets.
int Share(int n, int parts, int at) {
    return n / parts + (at < n % parts ? 1 : 0);
}

struct Domain {
    int rows, columns;  // of this rank, without the halo
    int stride;         // of a row in memory, with the halo
    int neighbour[4];
    MPI_Comm comm;
    MPI_Datatype column;
};

void ExchangeHalo(const Domain& d, double* u) {
    double* const first = u + d.stride + 1;
    double* const last_row = first + (d.rows - 1) * d.stride;
    double* const last_column = first + d.columns - 1;
    MPI_Request requests[8];
    MPI_Irecv(first - d.stride, d.columns, MPI_DOUBLE, d.neighbour[kUp], kDown, d.comm, requests);
    MPI_Irecv(last_row + d.stride, d.columns, MPI_DOUBLE, d.neighbour[kDown], kUp, d.comm,
              requests + 1);
    MPI_Irecv(first - 1, 1, d.column, d.neighbour[kLeft], kRight, d.comm, requests + 2);
    MPI_Irecv(last_column + 1, 1, d.column, d.neighbour[kRight], kLeft, d.comm, requests + 3);
    MPI_Isend(first, d.columns, MPI_DOUBLE, d.neighbour[kUp], kUp, d.comm, requests + 4);
    MPI_Isend(last_row, d.columns, MPI_DOUBLE, d.neighbour[kDown], kDown, d.comm, requests + 5);
    MPI_Isend(first, 1, d.column, d.neighbour[kLeft], kLeft, d.comm, requests + 6);
    MPI_Isend(last_column, 1, d.column, d.neighbour[kRight], kRight, d.comm, requests + 7);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

// One step from `u` to `next`; returns the sum of the squared changes.
double Sweep(const Domain& d, const double* u, double* next) {
    double sum = 0;
    for (int i = 1; i <= d.rows; ++i) {
        for (int j = 1; j <= d.columns; ++j) {
            const double* p = u + i * d.stride + j;
            const double value = 0.25 * (p[-d.stride] + p[d.stride] + p[-1] + p[1]);
            sum += (value - *p) * (value - *p);
            next[i * d.stride + j] = value;
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int n = argc > 1 ? std::atoi(argv[1]) : 1024;
    const int iterations = argc > 2 ? std::atoi(argv[2]) : 1000;

    int size, rank, dims[2] = {0, 0}, at[2];
    const int open_ends[2] = {0, 0};
    Domain d;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open_ends, 0, &d.comm);
    MPI_Comm_rank(d.comm, &rank);
    MPI_Cart_coords(d.comm, rank, 2, at);
    MPI_Cart_shift(d.comm, 0, 1, &d.neighbour[kUp], &d.neighbour[kDown]);
    MPI_Cart_shift(d.comm, 1, 1, &d.neighbour[kLeft], &d.neighbour[kRight]);
    d.rows = Share(n, dims[0], at[0]);
    d.columns = Share(n, dims[1], at[1]);
    d.stride = d.columns + 2;
    MPI_Type_vector(d.rows, 1, d.stride, MPI_DOUBLE, &d.column);
    MPI_Type_commit(&d.column);

    // The upper border of the domain is hot, everything else starts cold.
    std::vector<double> u(static_cast<size_t>(d.rows + 2) * d.stride, 0.0);
    if (at[0] == 0) std::fill(u.begin(), u.begin() + d.stride, 1.0);
    std::vector<double> next = u;

    double residual = 0, change = 0;
    const double begin = MPI_Wtime();
    for (int step = 1; step <= iterations; ++step) {
        ExchangeHalo(d, u.data());
        change = Sweep(d, u.data(), next.data());
        std::swap(u, next);
        if (step % 10 == 0) {
            MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_SUM, d.comm);
        }
    }
    const double elapsed = MPI_Wtime() - begin;

    double longest = 0;
    MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, d.comm);
    if (rank == 0) {
        std::printf(
            "halo2d: %d x %d points on %d x %d ranks, %d iterations, residual %.3e, %.2f s\n", n, n,
            dims[0], dims[1], iterations, std::sqrt(residual), longest);
    }
    MPI_Type_free(&d.column);
    MPI_Comm_free(&d.comm);
    MPI_Finalize();
    return 0;
}
