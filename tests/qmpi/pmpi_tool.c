/* An ordinary PMPI tool, preloaded behind the layer: it must see what it would see without it. */
#include <mpi.h>
#include <stdio.h>

static int sends, reductions, sizes;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
    int size;
    reductions++;
    MPI_Comm_size(comm, &size); /* the tool's own: no other tool's business */
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    sizes++;
    return PMPI_Comm_size(comm, size);
}

int MPI_Barrier(MPI_Comm comm) {
    return PMPI_Barrier(comm);
}

__attribute__((destructor)) static void Report(void) {
    if (sends + reductions + sizes > 0) {
        printf("PMPI %d %d %d\n", sends, reductions, sizes);
    }
}
