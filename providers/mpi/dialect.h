// What differs between the MPIs: handles, special values, the inside of a status. One object is built
// per MPI; nothing else in this folder asks which one it is.
//
// Predefined handles are numbers in MPICH. In Open MPI they are addresses of objects in the library;
// naming these would keep this object from loading where there is no MPI, so they are looked up once
// the library is known to be there (LoadHandles).
#ifndef COMSHU_PROVIDERS_MPI_DIALECT_H_
#define COMSHU_PROVIDERS_MPI_DIALECT_H_

#include <mpi.h>

#include <cstdint>

#include "comshu/schema/mpi_generated.h"

namespace comshu::provider::mpi {

constexpr int32_t kNoRank = INT32_MIN;
constexpr int32_t kNoTag = INT32_MIN;
constexpr uint64_t kNoBytes = UINT64_MAX;
constexpr int32_t kAnySource = -1;
constexpr int32_t kAnyTag = -1;
constexpr int32_t kProcNull = -2;
constexpr int32_t kRoot = -3;

#if defined(OPEN_MPI)

struct Handles {
    MPI_Comm comm_world, comm_self, comm_null;
    MPI_Request request_null, request_empty;
    MPI_Message message_null, message_no_proc;
    MPI_Datatype datatype_null, byte;
    MPI_Errhandler errors_return;
    MPI_Win win_null;
    MPI_File file_null;
    MPI_Group group_null;
    MPI_Op operations[14];  // In the order of schema::MpiOperation, from max.
};
extern Handles handles;

template <typename Handle>
uint64_t Key(Handle handle) {
    return reinterpret_cast<uint64_t>(handle);
}

inline MPI_Comm CommWorld() {
    return handles.comm_world;
}
inline MPI_Comm CommSelf() {
    return handles.comm_self;
}
inline MPI_Datatype ByteType() {
    return handles.byte;
}
inline MPI_Errhandler ErrorsReturn() {
    return handles.errors_return;
}
inline bool IsNull(MPI_Comm comm) {
    return comm == handles.comm_null || comm == nullptr;
}
inline bool IsNull(MPI_Request request) {
    return request == handles.request_null || request == nullptr;
}
inline bool IsNull(MPI_Message message) {
    return message == handles.message_null || message == nullptr;
}
inline bool IsNull(MPI_Datatype datatype) {
    return datatype == handles.datatype_null || datatype == nullptr;
}
inline bool IsNull(MPI_Win win) {
    return win == handles.win_null || win == nullptr;
}
inline bool IsNull(MPI_File file) {
    return file == handles.file_null || file == nullptr;
}
inline bool IsNoProc(MPI_Message message) {
    return message == handles.message_no_proc;
}

// One handle for all operations that were complete when they were started.
inline bool IsShared(MPI_Request request) {
    return request == handles.request_empty;
}

// Whether the status of MPI_Isendrecv says what was received.
constexpr bool kHasSendReceiveStatus = true;

// The launcher says there how many ranks of the world run on this host.
constexpr const char* kLocalRanksVariable = "OMPI_COMM_WORLD_LOCAL_SIZE";

inline uint64_t StatusBytes(const MPI_Status& status) {
    return status._ucount;
}
inline bool IsCancelled(const MPI_Status& status) {
    return status._cancelled != 0;
}

#else

template <typename Handle>
uint64_t Key(Handle handle) {
    if constexpr (sizeof(Handle) == sizeof(uint64_t)) {
        return reinterpret_cast<uint64_t>(handle);  // MPI_File
    } else {
        return static_cast<uint32_t>(handle);
    }
}

inline MPI_Comm CommWorld() {
    return MPI_COMM_WORLD;
}
inline MPI_Comm CommSelf() {
    return MPI_COMM_SELF;
}
inline MPI_Datatype ByteType() {
    return MPI_BYTE;
}
inline MPI_Errhandler ErrorsReturn() {
    return MPI_ERRORS_RETURN;
}
// All handles but files are ints here, and their null values differ.
inline bool IsNull(int handle) {
    return handle == MPI_COMM_NULL || handle == MPI_REQUEST_NULL || handle == MPI_DATATYPE_NULL ||
           handle == MPI_WIN_NULL || handle == 0;
}
inline bool IsNull(MPI_File file) {
    return file == MPI_FILE_NULL;
}
inline bool IsNoProc(MPI_Message message) {
    return message == MPI_MESSAGE_NO_PROC;
}

// Handles whose upper two bits are 01 are built in: the library gives one and the same to all
// operations of a kind that were complete when they were started.
inline bool IsShared(MPI_Request request) {
    return static_cast<uint32_t>(request) >> 30 == 1;
}

// MPICH 4.0 leaves the status of MPI_Isendrecv as it was (zeros, or what lay there).
constexpr bool kHasSendReceiveStatus = false;

constexpr const char* kLocalRanksVariable = "MPI_LOCALNRANKS";

inline uint64_t StatusBytes(const MPI_Status& status) {
    const auto high = static_cast<uint32_t>(status.count_hi_and_cancelled) >> 1;
    return (uint64_t{high} << 32) | static_cast<uint32_t>(status.count_lo);
}
inline bool IsCancelled(const MPI_Status& status) {
    return (status.count_hi_and_cancelled & 1) != 0;
}

#endif

// Finds the predefined handles of the library that holds `symbol`. False: some are missing.
bool LoadHandles(void* symbol);

inline int32_t NormalRank(int rank) {
    if (rank >= 0) [[likely]]
        return rank;
    if (rank == MPI_ANY_SOURCE) return kAnySource;
    if (rank == MPI_PROC_NULL) return kProcNull;
    if (rank == MPI_ROOT) return kRoot;
    return kNoRank;
}

inline int32_t NormalTag(int tag) {
    return tag == MPI_ANY_TAG ? kAnyTag : tag;
}

schema::MpiOperation Operation(MPI_Op op);

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_DIALECT_H_
