#include "picl/events_1992.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace comshu::format::picl {
namespace {

using Category = schema::ImportCategory;
using Function = schema::MpiFunction;

constexpr EventShape kEvents[] = {
    {-11, "open", EventKind::kTracing},
    {-12, "close", EventKind::kTracing},
    {-13, "who", EventKind::kState},
    {-14, "receive info", EventKind::kState},
    {-15, "set buffering", EventKind::kState},
    {-16, "communication status", EventKind::kState},
    {-21, "send", EventKind::kSend, Function::MPI_Send, Category::p2p},
    {-22, "bsend", EventKind::kSend, Function::MPI_Bsend, Category::p2p},
    {-23, "ssend", EventKind::kSend, Function::MPI_Ssend, Category::p2p},
    {-24, "rsend", EventKind::kSend, Function::MPI_Rsend, Category::p2p},
    {-51, "recv", EventKind::kRecv, Function::MPI_Recv, Category::p2p},
    {-52, "recv blocked", EventKind::kRecv, Function::MPI_Recv, Category::wait},
    {-53, "iprobe found", EventKind::kCall, Function::MPI_Iprobe, Category::probe},
    {-54, "iprobe not found", EventKind::kCall, Function::MPI_Iprobe, Category::probe},
    {-55, "probe", EventKind::kCall, Function::MPI_Probe, Category::probe},
    {-56, "probe blocked", EventKind::kCall, Function::MPI_Probe, Category::probe},
    {-57, "irecv", EventKind::kIrecv, Function::MPI_Irecv, Category::p2p},
    {-58, "irecv test done", EventKind::kRecvEnd, Function::MPI_Test, Category::wait},
    {-59, "irecv test not done", EventKind::kTest, Function::MPI_Test, Category::wait},
    {-60, "irecv end", EventKind::kRecvEnd, Function::MPI_Wait, Category::wait},
    {-61, "irecv end blocked", EventKind::kRecvEnd, Function::MPI_Wait, Category::wait},
    {-62, "irecv cancel", EventKind::kCall, Function::MPI_Cancel, Category::p2p},
    {-201, "file open", EventKind::kState, Function::MPI_Abort, Category::io},
    {-202, "file close", EventKind::kState, Function::MPI_Abort, Category::io},
    {-221, "file write", EventKind::kState, Function::MPI_Abort, Category::io},
    {-251, "file read", EventKind::kState, Function::MPI_Abort, Category::io},
    {-401, "clock sync", EventKind::kState},
    {-402, "barrier", EventKind::kBarrier, Function::MPI_Barrier, Category::collective},
    {-501, "get processors", EventKind::kState},
    {-502, "release processors", EventKind::kState},
    {-503, "spawn", EventKind::kState},
    {-601, "idle", EventKind::kState, Function::MPI_Abort, Category::wait},
    {-602, "system overhead", EventKind::kState},
    {-603, "user overhead", EventKind::kState},
    {-756, "pack", EventKind::kCall, Function::MPI_Pack, Category::other},
    {-773, "unpack", EventKind::kCall, Function::MPI_Unpack, Category::other},
    {-780, "allgather", EventKind::kAll, Function::MPI_Allgather, Category::collective},
    {-782, "allreduce", EventKind::kAll, Function::MPI_Allreduce, Category::collective},
    {-783, "alltoall", EventKind::kAll, Function::MPI_Alltoall, Category::collective},
    {-785, "bcast", EventKind::kRooted, Function::MPI_Bcast, Category::collective},
    {-786, "gather", EventKind::kRooted, Function::MPI_Gather, Category::collective},
    {-790, "reduce", EventKind::kRooted, Function::MPI_Reduce, Category::collective},
    {-791, "reduce_scatter", EventKind::kAll, Function::MPI_Reduce_scatter, Category::collective},
    {-792, "scan", EventKind::kAll, Function::MPI_Scan, Category::collective},
    {-793, "scatter", EventKind::kRooted, Function::MPI_Scatter, Category::collective},
    {-804, "comm create", EventKind::kCall, Function::MPI_Comm_create, Category::comm},
    {-805, "comm dup", EventKind::kCall, Function::MPI_Comm_dup, Category::comm},
    {-806, "comm free", EventKind::kCall, Function::MPI_Comm_free, Category::comm},
    {-812, "comm split", EventKind::kCall, Function::MPI_Comm_split, Category::comm},
    {-826, "intercomm create", EventKind::kCall, Function::MPI_Intercomm_create, Category::comm},
    {-827, "intercomm merge", EventKind::kCall, Function::MPI_Intercomm_merge, Category::comm},
    {-841, "cart create", EventKind::kCall, Function::MPI_Cart_create, Category::comm},
    {-846, "cart sub", EventKind::kCall, Function::MPI_Cart_sub, Category::comm},
    {-849, "graph create", EventKind::kCall, Function::MPI_Graph_create, Category::comm},
    {-901, "tracing", EventKind::kTracing},
    {-902, "trace statistics", EventKind::kTracing},
    {-903, "trace files", EventKind::kState},
    {-904, "trace level", EventKind::kTracing},
    {-905, "trace info", EventKind::kTracing},
    {-911, "trace message", EventKind::kTracing},
    {-912, "trace flush", EventKind::kState},
    {-913, "trace full", EventKind::kTracing},
    {-914, "trace overwrite", EventKind::kTracing},
};

struct SendFamily {
    int32_t first;
    std::string_view begin, done, not_done, end, blocked, cancel;
    Function function;
};
constexpr SendFamily kSendFamilies[] = {
    {-27, "isend", "isend test done", "isend test not done", "isend end", "isend end blocked",
     "isend cancel", Function::MPI_Isend},
    {-33, "ibsend", "ibsend test done", "ibsend test not done", "ibsend end", "ibsend end blocked",
     "ibsend cancel", Function::MPI_Ibsend},
    {-39, "issend", "issend test done", "issend test not done", "issend end", "issend end blocked",
     "issend cancel", Function::MPI_Issend},
    {-45, "irsend", "irsend test done", "irsend test not done", "irsend end", "irsend end blocked",
     "irsend cancel", Function::MPI_Irsend},
};

constexpr int32_t kLargestEvent = 1024;

std::vector<EventShape> AllEvents() {
    std::vector<EventShape> all(kLargestEvent);
    for (const EventShape& shape : kEvents) all[static_cast<size_t>(-shape.event)] = shape;
    for (const SendFamily& f : kSendFamilies) {
        const EventShape members[] = {
            {f.first, f.begin, EventKind::kIsend, f.function, Category::p2p},
            {f.first - 1, f.done, EventKind::kSendEnd, Function::MPI_Test, Category::wait},
            {f.first - 2, f.not_done, EventKind::kTest, Function::MPI_Test, Category::wait},
            {f.first - 3, f.end, EventKind::kSendEnd, Function::MPI_Wait, Category::wait},
            {f.first - 4, f.blocked, EventKind::kSendEnd, Function::MPI_Wait, Category::wait},
            {f.first - 5, f.cancel, EventKind::kCall, Function::MPI_Cancel, Category::p2p},
        };
        for (const EventShape& shape : members) all[static_cast<size_t>(-shape.event)] = shape;
    }
    return all;
}

}  // namespace

const EventShape* FindEvent(int64_t event) {
    static const std::vector<EventShape> all = AllEvents();
    if (event >= 0 || event <= -kLargestEvent) return nullptr;
    const EventShape& shape = all[static_cast<size_t>(-event)];
    return shape.event == 0 ? nullptr : &shape;
}

int64_t EventByName(const std::string& name) {
    static const std::unordered_map<std::string, int64_t> events = [] {
        std::unordered_map<std::string, int64_t> made;
        for (int32_t event = -1; event > -1000; --event) {
            const EventShape* shape = FindEvent(event);
            if (shape == nullptr || shape->kind == EventKind::kTracing) continue;
            made.emplace(shape->name, event);
            const bool is_call =
                shape->kind != EventKind::kState && shape->kind != EventKind::kSendEnd &&
                shape->kind != EventKind::kRecvEnd && shape->kind != EventKind::kTest;
            if (is_call) made.emplace(schema::EnumNameMpiFunction(shape->function), event);
        }
        made.insert({{"recv_blocking", -52},
                     {"sync", -402},
                     {"bcast0", -785},
                     {"bcast1", -785},
                     {"global_op", -790},
                     {"trace_flush", -912},
                     {"trace_files", -903}});
        return made;
    }();
    const auto found = events.find(name);
    return found == events.end() ? 0 : found->second;
}

}  // namespace comshu::format::picl
