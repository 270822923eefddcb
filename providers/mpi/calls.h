// Arguments and results of everything that is no point-to-point message: collectives, one-sided
// communication, files, communicators.
#ifndef COMSHU_PROVIDERS_MPI_CALLS_H_
#define COMSHU_PROVIDERS_MPI_CALLS_H_

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/collective_bytes.h"
#include "mpi/comm_table.h"
#include "mpi/datatype_sizes.h"
#include "mpi/messages.h"
#include "mpi/objects.h"
#include "mpi/requests.h"

namespace comshu::provider::mpi {

inline Shape ShapeOf(const CommInfo& info) {
    return {info.peers->size, info.local->size, info.rank, info.inter};
}

inline Part PartOf(const CommInfo& info, int root) {
    if (!info.inter) return root == info.rank ? Part::kRoot : Part::kOther;
    if (root == MPI_ROOT) return Part::kRoot;
    return root == MPI_PROC_NULL ? Part::kOutside : Part::kOther;
}

// `volume(info)` says what goes in and out; nothing is known without the communicator.
template <typename VolumeOf>
void SetCollective(schema::MpiCollective* record, MPI_Comm comm, VolumeOf volume_of) {
    const CommInfo* info = comms.Find(comm);
    Volume volume{kUnknownBytes, kUnknownBytes};
    if (info != nullptr) {
        record->mutate_comm(info->id);
        volume = volume_of(*info);
    }
    record->mutate_bytes_in(volume.in);
    record->mutate_bytes_out(volume.out);
    record->mutate_root(kNoRank);
}

// Synchronisation, with a target or without.
inline const Group* SetRma(schema::MpiRma* record, MPI_Win window, int32_t target) {
    const WindowEntry entry = windows.Find(window);
    record->mutate_window(entry.id);
    record->mutate_bytes(kNoBytes);
    record->mutate_target_displacement(INT64_MIN);
    record->mutate_target(target);
    record->mutate_world_target(entry.peers == nullptr ? kNoRank : entry.peers->WorldRank(target));
    return entry.peers;
}

inline const Group* SetRmaTransfer(schema::MpiRma* record, MPI_Win window, int target,
                                   int64_t displacement, int64_t count, MPI_Datatype datatype) {
    const Group* peers = SetRma(record, window, NormalRank(target));
    record->mutate_bytes(MessageBytes(count, datatype));
    record->mutate_target_displacement(displacement);
    return peers;
}

inline void SetIo(schema::MpiIo* record, MPI_File file, uint64_t bytes, int64_t offset) {
    record->mutate_file(files.Find(file));
    record->mutate_bytes(bytes);
    record->mutate_offset(offset);
}

inline uint64_t CommIdOf(MPI_Comm comm) {
    const CommInfo* info = comms.Find(comm);
    return info == nullptr ? 0 : info->id;
}

inline uint64_t IdOf(const CommInfo* info) {
    return info == nullptr ? 0 : info->id;
}

// The wrapper of a call that carries nothing more, out of line: most functions of MPI are rarely called
// and should cost little space.
schema::MpiCall* OpenCall(QMPI_Context context, schema::MpiFunction function, void* frame);
void CloseCall(schema::MpiCall* call, bool failed);

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_CALLS_H_
