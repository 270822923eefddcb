// Arguments and results of point-to-point calls, as the records want them. Inlined into the generated
// wrappers; each helper sets every field of its record whose "not known" is not zero.
#ifndef COMSHU_PROVIDERS_MPI_MESSAGES_H_
#define COMSHU_PROVIDERS_MPI_MESSAGES_H_

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/comm_table.h"
#include "mpi/datatype_sizes.h"
#include "mpi/dialect.h"
#include "mpi/objects.h"
#include "mpi/requests.h"

namespace comshu::provider::mpi {

// The communicator of a call, with what a null one means.
struct CallComm {
    uint64_t id = 0;
    const Group* peers = nullptr;

    int32_t WorldRank(int32_t rank) const {
        return peers == nullptr ? kNoRank : peers->WorldRank(rank);
    }
};

inline CallComm CommOf(MPI_Comm comm) {
    const CommInfo* info = comms.Find(comm);
    return info == nullptr ? CallComm{} : CallComm{info->id, info->peers};
}

inline uint64_t MessageBytes(int64_t count, MPI_Datatype datatype) {
    return Bytes(count, TypeSize(datatype));
}

// A send, or a receive that only starts. Returns the group for the request.
inline const Group* SetPointToPoint(schema::MpiPointToPoint* record, MPI_Comm comm, int peer,
                                    int tag, int64_t count, MPI_Datatype datatype) {
    const CallComm call = CommOf(comm);
    const int32_t rank = NormalRank(peer);
    record->mutate_comm(call.id);
    record->mutate_bytes(MessageBytes(count, datatype));
    record->mutate_tag(NormalTag(tag));
    record->mutate_peer(rank);
    record->mutate_world_peer(call.WorldRank(rank));
    return call.peers;
}

inline const Group* SetPartitioned(schema::MpiPointToPoint* record, MPI_Comm comm, int peer,
                                   int tag, int partitions, int64_t count, MPI_Datatype datatype) {
    const Group* peers = SetPointToPoint(record, comm, peer, tag, count, datatype);
    record->mutate_bytes(partitions < 0 ? kNoBytes : Times(record->bytes(), partitions));
    return peers;
}

// MPI_Imrecv: what it will receive is known already.
inline const Group* SetMatchedReceive(schema::MpiPointToPoint* record, const MessageEntry& message,
                                      bool no_proc, int64_t count, MPI_Datatype datatype) {
    record->mutate_comm(message.comm);
    record->mutate_bytes(MessageBytes(count, datatype));
    record->mutate_tag(no_proc ? -1 : message.tag);
    record->mutate_peer(no_proc ? kProcNull : message.source);
    record->mutate_world_peer(message.peers == nullptr ? kNoRank
                                                       : message.peers->WorldRank(message.source));
    return message.peers;
}

inline CallComm SetReceive(schema::MpiReceive* record, MPI_Comm comm, int source, int tag,
                           int64_t count, MPI_Datatype datatype) {
    const CallComm call = CommOf(comm);
    const int32_t rank = NormalRank(source);
    record->mutate_comm(call.id);
    record->mutate_bytes(kNoBytes);
    record->mutate_buffer_bytes(MessageBytes(count, datatype));
    record->mutate_tag(NormalTag(tag));
    record->mutate_peer(rank);
    record->mutate_world_peer(call.WorldRank(rank));
    record->mutate_posted_tag(NormalTag(tag));
    record->mutate_posted_peer(rank);
    return call;
}

inline CallComm SetMessageReceive(schema::MpiReceive* record, const MessageEntry& message,
                                  bool no_proc, int64_t count, MPI_Datatype datatype) {
    const CallComm call{message.comm, message.peers};
    const int32_t source = no_proc ? kProcNull : message.source;
    const int32_t tag = no_proc ? -1 : message.tag;
    record->mutate_comm(call.id);
    record->mutate_bytes(kNoBytes);
    record->mutate_buffer_bytes(MessageBytes(count, datatype));
    record->mutate_message(message.id);
    record->mutate_tag(tag);
    record->mutate_peer(source);
    record->mutate_world_peer(call.WorldRank(source));
    record->mutate_posted_tag(tag);
    record->mutate_posted_peer(source);
    return call;
}

// What came. An error leaves what was posted, but for that of a buffer too small.
inline void SetReceived(schema::MpiReceive* record, const CallComm& call, int result,
                        const MPI_Status& status) {
    const Outcome outcome = OutcomeOf(result);
    if (outcome == Outcome::kFailed) return;
    const int32_t source = NormalRank(status.MPI_SOURCE);
    record->mutate_bytes(outcome == Outcome::kDone ? StatusBytes(status) : record->buffer_bytes());
    record->mutate_tag(NormalTag(status.MPI_TAG));
    record->mutate_peer(source);
    record->mutate_world_peer(call.WorldRank(source));
}

inline CallComm SetSendReceive(schema::MpiSendReceive* record, MPI_Comm comm, int dest,
                               int send_tag, int64_t send_count, MPI_Datatype send_type, int source,
                               int recv_tag) {
    const CallComm call = CommOf(comm);
    const int32_t peer = NormalRank(dest);
    const int32_t from = NormalRank(source);
    record->mutate_comm(call.id);
    record->mutate_bytes(MessageBytes(send_count, send_type));
    record->mutate_receive_bytes(kNoBytes);
    record->mutate_tag(NormalTag(send_tag));
    record->mutate_peer(peer);
    record->mutate_world_peer(call.WorldRank(peer));
    record->mutate_receive_tag(NormalTag(recv_tag));
    record->mutate_receive_peer(from);
    record->mutate_receive_world_peer(call.WorldRank(from));
    record->mutate_posted_tag(NormalTag(recv_tag));
    record->mutate_posted_peer(from);
    return call;
}

inline void SetReceived(schema::MpiSendReceive* record, const CallComm& call, int result,
                        const MPI_Status& status, uint64_t buffer_bytes) {
    const Outcome outcome = OutcomeOf(result);
    if (outcome == Outcome::kFailed) return;
    const int32_t source = NormalRank(status.MPI_SOURCE);
    record->mutate_receive_bytes(outcome == Outcome::kDone ? StatusBytes(status) : buffer_bytes);
    record->mutate_receive_tag(NormalTag(status.MPI_TAG));
    record->mutate_receive_peer(source);
    record->mutate_receive_world_peer(call.WorldRank(source));
}

inline CallComm SetProbe(schema::MpiProbe* record, MPI_Comm comm, int source, int tag) {
    const CallComm call = CommOf(comm);
    const int32_t rank = NormalRank(source);
    record->mutate_comm(call.id);
    record->mutate_bytes(kNoBytes);
    record->mutate_tag(NormalTag(tag));
    record->mutate_peer(rank);
    record->mutate_world_peer(call.WorldRank(rank));
    record->mutate_posted_tag(NormalTag(tag));
    record->mutate_posted_peer(rank);
    return call;
}

// `message`: what MPI_Mprobe and MPI_Improbe matched, else null.
inline void SetFound(schema::MpiProbe* record, const CallComm& call, int result, bool found,
                     const MPI_Status& status, const MPI_Message* message) {
    if (result != MPI_SUCCESS || !found) return;
    const int32_t source = NormalRank(status.MPI_SOURCE);
    const int32_t tag = NormalTag(status.MPI_TAG);
    record->mutate_found(1);
    record->mutate_bytes(StatusBytes(status));
    record->mutate_tag(tag);
    record->mutate_peer(source);
    record->mutate_world_peer(call.WorldRank(source));
    if (message != nullptr) {
        record->mutate_message(messages.Add(*message, {0, call.id, call.peers, source, tag}));
    }
}

// The status that the library fills: the program's own, or ours where it wants none.
inline MPI_Status* StatusOr(MPI_Status* status, MPI_Status* own) {
    return status == MPI_STATUS_IGNORE ? own : status;
}

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_MESSAGES_H_
