// The event types that Extrae gives to MPI.
#ifndef COMSHU_FORMATS_PARAVER_MPI_EVENTS_H_
#define COMSHU_FORMATS_PARAVER_MPI_EVENTS_H_

#include <cstdint>
#include <string_view>

namespace comshu::format::paraver {

constexpr int64_t kPointToPointType = 50000001;
constexpr int64_t kCollectiveType = 50000002;
constexpr int64_t kOtherType = 50000003;
// Ours: regions of the program.
constexpr int64_t kRegionType = 60000019;

struct MpiEvent {
    int64_t type;
    int64_t value;  // 0 ends the call.
    const char* name;
};
constexpr MpiEvent kMpiEvents[] = {
    {kPointToPointType, 1, "MPI_Send"},     {kPointToPointType, 2, "MPI_Recv"},
    {kPointToPointType, 3, "MPI_Isend"},    {kPointToPointType, 4, "MPI_Irecv"},
    {kPointToPointType, 5, "MPI_Wait"},     {kPointToPointType, 6, "MPI_Waitall"},
    {kCollectiveType, 7, "MPI_Bcast"},      {kCollectiveType, 8, "MPI_Barrier"},
    {kCollectiveType, 9, "MPI_Reduce"},     {kCollectiveType, 10, "MPI_Allreduce"},
    {kCollectiveType, 11, "MPI_Alltoall"},  {kCollectiveType, 12, "MPI_Alltoallv"},
    {kCollectiveType, 13, "MPI_Gather"},    {kCollectiveType, 14, "MPI_Gatherv"},
    {kCollectiveType, 15, "MPI_Scatter"},   {kCollectiveType, 16, "MPI_Scatterv"},
    {kCollectiveType, 17, "MPI_Allgather"}, {kCollectiveType, 18, "MPI_Allgatherv"},
    {kOtherType, 31, "MPI_Init"},           {kOtherType, 32, "MPI_Finalize"},
};

// Names of states, by number; empty: none.
constexpr std::string_view kStates[] = {
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking send",
    "Synchronization",
    "Test/Probe",
    "Scheduling",
    "Wait",
    "Blocked",
    "Immediate send",
    "Immediate receive",
    "I/O",
    "Group communication",
};
constexpr int64_t kRunning = 1;

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_MPI_EVENTS_H_
