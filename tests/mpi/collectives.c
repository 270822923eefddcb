/* Each collective once, blocking and where it exists nonblocking, on two ranks: what goes in and out is
 * known by construction (collectives_test.py). */
#include <mpi.h>
#include <stdio.h>

static double a[64], b[64];

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Comm world = MPI_COMM_WORLD;
    const int counts[2] = {3, 5}, displs[2] = {0, 8};
    const int byte_displs[2] = {0, 64};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    const int own = counts[rank];
    for (int i = 0; i < 64; ++i) a[i] = i;

    MPI_Barrier(world);
    MPI_Bcast(a, 4, MPI_DOUBLE, 1, world);
    MPI_Gather(a, 4, MPI_DOUBLE, b, rank == 0 ? 4 : -1, rank == 0 ? MPI_DOUBLE : MPI_DATATYPE_NULL,
               0, world);
    MPI_Gatherv(a, own, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, 0, world);
    MPI_Scatter(b, 4, MPI_DOUBLE, a, 4, MPI_DOUBLE, 0, world);
    MPI_Scatterv(b, counts, displs, MPI_DOUBLE, a, own, MPI_DOUBLE, 0, world);
    MPI_Allgather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_DOUBLE, world);
    MPI_Allgatherv(a, own, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, world);
    MPI_Alltoall(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_DOUBLE, world);
    /* Rank r sends counts[q] to q, so it gets counts[r] from each. */
    const int from[2] = {own, own};
    MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, from, displs, MPI_DOUBLE, world);
    MPI_Alltoallw(a, counts, byte_displs, types, b, from, byte_displs, types, world);
    MPI_Reduce(a, b, 4, MPI_DOUBLE, MPI_MAX, 0, world);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : a, a, 4, MPI_DOUBLE, MPI_SUM, 0, world);
    MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, world);
    MPI_Allreduce(MPI_IN_PLACE, b, 4, MPI_DOUBLE, MPI_PROD, world);
    MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, world);
    MPI_Reduce_scatter_block(a, b, 4, MPI_DOUBLE, MPI_MIN, world);
    MPI_Scan(a, b, 4, MPI_DOUBLE, MPI_SUM, world);
    MPI_Exscan(a, b, 4, MPI_DOUBLE, MPI_SUM, world);

    MPI_Request requests[4];
    MPI_Ibarrier(world, &requests[0]);
    MPI_Ibcast(a, 4, MPI_DOUBLE, 0, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Iallreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Ialltoallw(a, counts, byte_displs, types, b, from, byte_displs, types, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    /* A ring: each has the other twice as neighbour, 2 sources and 2 destinations. */
    MPI_Comm ring;
    const int two = 2, periodic = 1;
    MPI_Cart_create(world, 1, &two, &periodic, 0, &ring);
    MPI_Neighbor_allgather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, ring);
    MPI_Neighbor_alltoall(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, ring);
    const int equal[2] = {3, 3};
    MPI_Neighbor_alltoallv(a, equal, displs, MPI_DOUBLE, b, equal, displs, MPI_DOUBLE, ring);
    MPI_Ineighbor_alltoall(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, ring, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);

    /* Rank 0 knows of one destination, rank 1 of one source. */
    MPI_Comm graph;
    const int peer = 1 - rank;
    MPI_Dist_graph_create_adjacent(world, rank, &peer, MPI_UNWEIGHTED, 1 - rank, &peer,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, graph);
    MPI_Comm_free(&graph);

#if MPI_VERSION >= 4
    MPI_Allreduce_init(a, b, 4, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &requests[0]);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Bcast_c(a, 4, MPI_DOUBLE, 0, world);
#endif
    printf("%g %g\n", b[0], b[1]);
    MPI_Finalize();
    return 0;
}
