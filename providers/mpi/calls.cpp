#include "mpi/calls.h"

#include <cstring>

#include "mpi/loss_table.h"

namespace comshu::provider::mpi {

namespace {

void CountOne(uint64_t comm, int32_t peer, int32_t tag, schema::MpiDirection direction) {
    losses.Count({comm, rec::comshu_thread->thread, peer, tag, direction});
}

// MPI_Send_init, MPI_Allreduce_init_c ...: with persistent requests the starts count.
bool MakesPersistent(schema::MpiFunction function) {
    return std::strstr(schema::EnumNameMpiFunction(function), "_init") != nullptr;
}

bool IsReceive(schema::MpiFunction function) {
    const char* name = schema::EnumNameMpiFunction(function);
    return std::strstr(name, "Irecv") != nullptr || std::strstr(name, "Imrecv") != nullptr;
}

}  // namespace

void CountLost(const schema::MpiPointToPoint& call) {
    if (MakesPersistent(call.function())) return;
    CountOne(
        call.comm(), call.peer(), call.tag(),
        IsReceive(call.function()) ? schema::MpiDirection::receive : schema::MpiDirection::send);
}

void CountLost(const schema::MpiReceive& call) {
    CountOne(call.comm(), call.posted_peer(), call.posted_tag(), schema::MpiDirection::receive);
}

void CountLost(const schema::MpiSendReceive& call) {
    CountOne(call.comm(), call.peer(), call.tag(), schema::MpiDirection::send);
    CountOne(call.comm(), call.posted_peer(), call.posted_tag(), schema::MpiDirection::receive);
}

void CountLost(const schema::MpiCollective& call) {
    if (MakesPersistent(call.function())) return;
    CountOne(call.comm(), kNoRank, kNoTag, schema::MpiDirection::collective);
}

schema::MpiCall* OpenCall(QMPI_Context context, schema::MpiFunction function, void* frame) {
    Span<schema::MpiCall> span(context, function, frame);
    if (span) span.Begin();
    return span.record();
}

void CloseCall(schema::MpiCall* call, bool failed) {
    if (call == nullptr) return;
    rec::Stop(call);
    if (failed) {
        schema::SpanHead& head = call->mutable_head();
        head.mutate_flags(head.flags() | schema::SpanFlags::failed);
    }
    rec::End(call);
}

}  // namespace comshu::provider::mpi
