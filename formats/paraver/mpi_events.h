// The event types that Extrae gives to MPI, and ours.
#ifndef COMSHU_FORMATS_PARAVER_MPI_EVENTS_H_
#define COMSHU_FORMATS_PARAVER_MPI_EVENTS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace comshu::format::paraver {

constexpr int64_t kPointToPointType = 50000001;
constexpr int64_t kCollectiveType = 50000002;
constexpr int64_t kOtherType = 50000003;
constexpr int64_t kOneSidedType = 50000004;
constexpr int64_t kFileType = 50000005;
// Of a collective, where it begins: bytes that this rank gives and gets, 1 at its root, its communicator.
constexpr int64_t kSentType = 50100001;
constexpr int64_t kReceivedType = 50100002;
constexpr int64_t kIsRootType = 50100003;
constexpr int64_t kCommType = 50100004;
// User functions of Extrae; regions of the program here.
constexpr int64_t kRegionType = 60000019;
// Ours: which rank of the communicator is the root, from 1.
constexpr int64_t kRootType = 60990001;
// Ours, of kOtherType: functions of MPI that Extrae has no value for.
constexpr int64_t kFirstOwnValue = 10000;

struct MpiEvent {
    int64_t type;
    int64_t value;  // 0 ends the call.
    const char* name;
};
std::span<const MpiEvent> MpiEvents();
// Null: there is none.
const MpiEvent* FindMpiEvent(int64_t type, int64_t value);
const MpiEvent* FindMpiEvent(std::string_view name);

struct EventType {
    int64_t type;
    const char* name;
};
// Those with functions of MPI as values.
constexpr EventType kMpiTypes[] = {
    {kPointToPointType, "MPI Point-to-point"},
    {kCollectiveType, "MPI Collective Comm"},
    {kOtherType, "MPI Other"},
    {kOneSidedType, "MPI One-sided"},
    {kFileType, "MPI I/O"},
};
// Those with numbers.
constexpr EventType kCollectiveTypes[] = {
    {kSentType, "Send Size in MPI Global OP"},       {kReceivedType, "Recv Size in MPI Global OP"},
    {kIsRootType, "Root in MPI Global OP"},          {kCommType, "Communicator in MPI Global OP"},
    {kRootType, "Root of MPI Global OP (rank + 1)"},
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
