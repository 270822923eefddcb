// The MPI library's own functions that this provider calls itself: no tool sees these calls, and they
// are made only between the return of MPI_Init and the call of MPI_Finalize (library.h).
#ifndef COMSHU_PROVIDERS_MPI_REAL_MPI_H_
#define COMSHU_PROVIDERS_MPI_REAL_MPI_H_

#include <mpi.h>

namespace comshu::provider::mpi {

#define COMSHU_REAL_MPI_FUNCTIONS(X)                          \
    X(Cancel, CANCEL)                                         \
    X(Comm_get_errhandler, COMM_GET_ERRHANDLER)               \
    X(Comm_get_parent, COMM_GET_PARENT)                       \
    X(Comm_group, COMM_GROUP)                                 \
    X(Comm_idup, COMM_IDUP)                                   \
    X(Comm_rank, COMM_RANK)                                   \
    X(Comm_remote_group, COMM_REMOTE_GROUP)                   \
    X(Comm_set_errhandler, COMM_SET_ERRHANDLER)               \
    X(Comm_size, COMM_SIZE)                                   \
    X(Comm_test_inter, COMM_TEST_INTER)                       \
    X(Cartdim_get, CARTDIM_GET)                               \
    X(Dist_graph_neighbors_count, DIST_GRAPH_NEIGHBORS_COUNT) \
    X(Errhandler_free, ERRHANDLER_FREE)                       \
    X(Error_class, ERROR_CLASS)                               \
    X(Get_library_version, GET_LIBRARY_VERSION)               \
    X(Graph_neighbors_count, GRAPH_NEIGHBORS_COUNT)           \
    X(Group_free, GROUP_FREE)                                 \
    X(Group_rank, GROUP_RANK)                                 \
    X(Group_size, GROUP_SIZE)                                 \
    X(Group_translate_ranks, GROUP_TRANSLATE_RANKS)           \
    X(Iallgather, IALLGATHER)                                 \
    X(Irecv, IRECV)                                           \
    X(Isend, ISEND)                                           \
    X(Query_thread, QUERY_THREAD)                             \
    X(Request_free, REQUEST_FREE)                             \
    X(Test, TEST)                                             \
    X(Topo_test, TOPO_TEST)                                   \
    X(Type_get_extent_x, TYPE_GET_EXTENT_X)                   \
    X(Type_size_x, TYPE_SIZE_X)                               \
    X(Win_get_group, WIN_GET_GROUP)

struct RealMpi {
#define COMSHU_DECLARE(name, number) decltype(&PMPI_##name) name = nullptr;
    COMSHU_REAL_MPI_FUNCTIONS(COMSHU_DECLARE)
#if MPI_VERSION >= 4
    COMSHU_DECLARE(Group_from_session_pset, GROUP_FROM_SESSION_PSET)
#endif
#undef COMSHU_DECLARE
};
extern RealMpi real;

// False if the library lacks one of them.
bool LoadRealMpi();

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_REAL_MPI_H_
