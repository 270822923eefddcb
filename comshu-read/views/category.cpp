#include "views/category.h"

#include <algorithm>
#include <array>

namespace comshu::read {
namespace {

// The first rule that fits decides. A name without a `*` at its end must be equal; large-count
// variants (_c) count as the plain function.
struct Rule {
    std::string_view name;
    std::string_view category;
};
constexpr Rule kRules[] = {
    {"MPI_Init*", "init"},
    {"MPI_Finalize*", "init"},
    {"MPI_Query_thread", "init"},
    {"MPI_Is_thread_main", "init"},
    {"MPI_Abort", "init"},
    {"MPI_Session_init", "init"},
    {"MPI_Session_finalize", "init"},

    {"MPI_Wait*", "wait"},
    {"MPI_Test_cancelled", "other"},
    {"MPI_Test*", "wait"},
    {"MPI_Request_get_status", "wait"},
    {"MPI_Parrived", "wait"},

    {"MPI_Probe", "probe"},
    {"MPI_Iprobe", "probe"},
    {"MPI_Mprobe", "probe"},
    {"MPI_Improbe", "probe"},

    {"MPI_Send*", "p2p"},
    {"MPI_Bsend*", "p2p"},
    {"MPI_Ssend*", "p2p"},
    {"MPI_Rsend*", "p2p"},
    {"MPI_Psend*", "p2p"},
    {"MPI_Isend*", "p2p"},
    {"MPI_Ibsend", "p2p"},
    {"MPI_Issend", "p2p"},
    {"MPI_Irsend", "p2p"},
    {"MPI_Recv*", "p2p"},
    {"MPI_Irecv", "p2p"},
    {"MPI_Mrecv", "p2p"},
    {"MPI_Imrecv", "p2p"},
    {"MPI_Precv*", "p2p"},
    {"MPI_Pready*", "p2p"},
    {"MPI_Start*", "p2p"},
    {"MPI_Cancel", "p2p"},
    {"MPI_Request_free", "p2p"},
    {"MPI_Buffer_*", "p2p"},

    {"MPI_Win_fence", "sync"},
    {"MPI_Win_lock*", "sync"},
    {"MPI_Win_unlock*", "sync"},
    {"MPI_Win_flush*", "sync"},
    {"MPI_Win_sync", "sync"},
    {"MPI_Win_post", "sync"},
    {"MPI_Win_start", "sync"},
    {"MPI_Win_complete", "sync"},
    {"MPI_Win_wait", "sync"},
    {"MPI_Win_test", "sync"},
    {"MPI_Win_allocate*", "rma"},
    {"MPI_Win_create_keyval", "other"},
    {"MPI_Win_create_errhandler", "other"},
    {"MPI_Win_create*", "rma"},
    {"MPI_Win_free_keyval", "other"},
    {"MPI_Win_free", "rma"},
    {"MPI_Win_attach", "rma"},
    {"MPI_Win_detach", "rma"},
    {"MPI_Put", "rma"},
    {"MPI_Rput", "rma"},
    {"MPI_Get", "rma"},
    {"MPI_Rget", "rma"},
    {"MPI_Get_accumulate", "rma"},
    {"MPI_Rget_accumulate", "rma"},
    {"MPI_Accumulate", "rma"},
    {"MPI_Raccumulate", "rma"},
    {"MPI_Fetch_and_op", "rma"},
    {"MPI_Compare_and_swap", "rma"},

    {"MPI_File_*errhandler", "other"},
    {"MPI_File_c2f", "other"},
    {"MPI_File_f2c", "other"},
    {"MPI_File_*", "io"},

    {"MPI_Comm_c2f", "other"},
    {"MPI_Comm_f2c", "other"},
    {"MPI_Comm_*errhandler", "other"},
    {"MPI_Comm_*keyval", "other"},
    {"MPI_Comm_*attr", "other"},
    {"MPI_Comm_*", "comm"},
    {"MPI_Group_c2f", "other"},
    {"MPI_Group_f2c", "other"},
    {"MPI_Group_*", "comm"},
    {"MPI_Cart_*", "comm"},
    {"MPI_Cartdim_get", "comm"},
    {"MPI_Graph_*", "comm"},
    {"MPI_Graphdims_get", "comm"},
    {"MPI_Dist_graph_*", "comm"},
    {"MPI_Dims_create", "comm"},
    {"MPI_Topo_test", "comm"},
    {"MPI_Intercomm_*", "comm"},
    {"MPI_Open_port", "comm"},
    {"MPI_Close_port", "comm"},
    {"MPI_Publish_name", "comm"},
    {"MPI_Unpublish_name", "comm"},
    {"MPI_Lookup_name", "comm"},
    {"MPIX_Comm_*", "comm"},

    {"MPI_Reduce_local", "other"},
    {"MPI_Barrier*", "collective"},
    {"MPI_Ibarrier", "collective"},
    {"MPI_Bcast*", "collective"},
    {"MPI_Ibcast", "collective"},
    {"MPI_Gather*", "collective"},
    {"MPI_Igather*", "collective"},
    {"MPI_Scatter*", "collective"},
    {"MPI_Iscatter*", "collective"},
    {"MPI_Allgather*", "collective"},
    {"MPI_Iallgather*", "collective"},
    {"MPI_Alltoall*", "collective"},
    {"MPI_Ialltoall*", "collective"},
    {"MPI_Reduce*", "collective"},
    {"MPI_Ireduce*", "collective"},
    {"MPI_Allreduce*", "collective"},
    {"MPI_Iallreduce", "collective"},
    {"MPI_Scan*", "collective"},
    {"MPI_Iscan", "collective"},
    {"MPI_Exscan*", "collective"},
    {"MPI_Iexscan", "collective"},
    {"MPI_Neighbor_*", "collective"},
    {"MPI_Ineighbor_*", "collective"},
};

// `pattern` may hold one `*`, which stands for any characters.
bool Fits(std::string_view pattern, std::string_view name) {
    const size_t star = pattern.find('*');
    if (star == pattern.npos) return pattern == name;
    const std::string_view head = pattern.substr(0, star);
    const std::string_view tail = pattern.substr(star + 1);
    return name.size() >= head.size() + tail.size() && name.starts_with(head) &&
           name.ends_with(tail);
}

}  // namespace

std::string_view MpiCategory(std::string_view function) {
    if (function.ends_with("_c")) function.remove_suffix(2);
    const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& r) { return Fits(r.name, function); });
    return rule == std::end(kRules) ? "other" : rule->category;
}

}  // namespace comshu::read
