/* The MPI library calls back into the program: operations, attributes, generalized requests, error handlers.
 * Each callback comes as often as it should, with what it was given, and calls MPI itself. One rank. */
#include <mpi.h>
#include <stdio.h>

static int ops, copies, deletes, queries, frees, cancels, errors, sizes;
static int state = 41;

static void CallMpi(void) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_SELF, &size);
    sizes += size;
}

static void Add(void* in, void* inout, int* count, MPI_Datatype* type) {
    ops++;
    CallMpi();
    for (int i = 0; i < *count && *type == MPI_INT; i++) {
        ((int*)inout)[i] += ((int*)in)[i];
    }
}

static int Copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
    (void)comm;
    (void)keyval;
    copies += extra == &state && in == &copies;
    CallMpi();
    *(void**)out = &deletes;
    *flag = 1;
    return MPI_SUCCESS;
}

static int Delete(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm;
    (void)keyval;
    deletes += extra == &state && (value == &copies || value == &deletes);
    return MPI_SUCCESS;
}

static int Query(void* extra, MPI_Status* status) {
    queries += extra == &state;
    CallMpi();
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int Free(void* extra) {
    frees += extra == &state;
    return MPI_SUCCESS;
}

static int Cancel(void* extra, int complete) {
    cancels += extra == &state && complete == 0;
    return MPI_SUCCESS;
}

static void Fail(MPI_Comm* comm, int* code, ...) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(*code, &error_class);
    errors += *comm == MPI_COMM_SELF && error_class == MPI_ERR_RANK;
}

int main(int argc, char** argv) {
    const int value[2] = {3, 4};
    int sum[2] = {1, 2}, key, count = -1, flag = 0;
    void* found = NULL;
    MPI_Op op;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Status status;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);

    MPI_Op_create(Add, 1, &op);
    MPI_Reduce_local(value, sum, 2, MPI_INT, op);
    MPI_Op_free(&op);

    MPI_Comm_create_keyval(Copy, Delete, &key, &state);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &copies);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_get_attr(comm, key, &found, &flag);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);

    MPI_Grequest_start(Query, Free, Cancel, &state, &request);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);

    MPI_Comm_create_errhandler(Fail, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Send(value, 1, MPI_INT, 5, 0, MPI_COMM_SELF);

    const int good = ops == 1 && sum[0] == 4 && sum[1] == 6 && copies == 1 && deletes == 2 &&
                     found == &deletes && flag && queries == 1 && frees == 1 && cancels == 1 &&
                     count == 7 && errors == 1 && sizes == 3;
    if (!good) {
        printf("WRONG %d %d %d %d %d %d %d %d\n", ops, copies, deletes, queries, frees, cancels,
               errors, sizes);
    }
    MPI_Finalize();
    puts(good ? "OK" : "WRONG");
    return 0;
}
