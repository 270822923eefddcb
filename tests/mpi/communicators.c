/* Communicators in all ways to make them (communicators_test.py). */
#include <mpi.h>
#include <stdio.h>

static int rank;

/* A message on each, so that calls name it; the null communicator is passed over. */
static void use(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return;
    int inter, me, out = 1, in;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &me);
    const int peer = inter ? 0 : me;
    MPI_Sendrecv(&out, 1, MPI_INT, peer, 1, &in, 1, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE);
}

static void free_and_use(MPI_Comm* comm) {
    use(*comm);
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm, second, third;
    MPI_Request request;
    use(MPI_COMM_WORLD);
    use(MPI_COMM_SELF);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_set_name(second, "second duplicate");
    MPI_Comm_dup(comm, &third); /* of a duplicate */
    use(comm);
    use(second);
    use(third);
    MPI_Comm_free(&third);
    MPI_Comm_free(&second);
    MPI_Comm_idup(MPI_COMM_WORLD, &second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free_and_use(&second);

    /* Split in two, all together in reverse, and with one rank left out. */
    MPI_Comm_split(comm, rank, 0, &second);
    free_and_use(&second);
    MPI_Comm_split(comm, 0, -rank, &second);
    free_and_use(&second);
    MPI_Comm_split(comm, rank == 0 ? 0 : MPI_UNDEFINED, 0, &second);
    free_and_use(&second);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &second);
    free_and_use(&second);

    MPI_Group all, first;
    const int zero = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Comm_create(MPI_COMM_WORLD, first, &second);
    free_and_use(&second);
    if (rank == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &second);
        free_and_use(&second);
    }
    MPI_Comm_create_group(MPI_COMM_WORLD, all, 8, &second);
    free_and_use(&second);
    MPI_Group_free(&first);
    MPI_Group_free(&all);

    const int dims[2] = {1, 2}, periods[2] = {0, 0}, keep[2] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &second);
    MPI_Cart_sub(second, keep, &third);
    free_and_use(&third);
    free_and_use(&second);
    const int index[2] = {1, 2}, edges[2] = {1, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &second);
    free_and_use(&second);

    /* Two sides, twice; their duplicate; both merged. */
    MPI_Comm inter, again, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &second);
    MPI_Intercomm_create(second, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
    MPI_Intercomm_create(second, 0, MPI_COMM_WORLD, 1 - rank, 5, &again);
    use(inter);
    free_and_use(&again);
    MPI_Comm_dup(inter, &again);
    double value = 1;
    MPI_Bcast(&value, 1, MPI_DOUBLE, rank == 0 ? MPI_ROOT : 0, inter);
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, inter);
    MPI_Intercomm_merge(inter, rank, &merged);
    free_and_use(&merged);
    MPI_Comm_disconnect(&again);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&second);
    MPI_Comm_free(&comm);
    printf("%d done\n", rank);
    MPI_Finalize();
    return 0;
}
