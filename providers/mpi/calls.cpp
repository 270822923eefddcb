#include "mpi/calls.h"

#include <cstring>
#include <type_traits>

#include "mpi/loss_table.h"

namespace comshu::provider::mpi {

namespace {

void CountOne(uint32_t thread, uint64_t comm, int32_t peer, int32_t tag,
              schema::MpiDirection direction) {
    losses.Count({comm, thread, peer, tag, direction});
}

// MPI_Send_init, MPI_Allreduce_init_c ...: with persistent requests the starts count.
bool MakesPersistent(schema::MpiFunction function) {
    return std::strstr(schema::EnumNameMpiFunction(function), "_init") != nullptr;
}

bool IsReceive(schema::MpiFunction function) {
    return std::strstr(schema::EnumNameMpiFunction(function), "Irecv") != nullptr;
}

// Its message took its place in the probe.
bool ReceivesMatched(schema::MpiFunction function) {
    return std::strstr(schema::EnumNameMpiFunction(function), "Imrecv") != nullptr;
}

// A call that failed has no place in a channel, but for one whose message was cut.
bool TookNoPlace(const schema::SpanHead& head, uint64_t received = kNoBytes) {
    return (static_cast<uint8_t>(head.flags()) & static_cast<uint8_t>(schema::SpanFlags::failed)) !=
               0 &&
           received == kNoBytes;
}

void CountReceived(uint32_t thread, uint64_t comm, int32_t peer, int32_t tag) {
    if (peer >= 0) CountOne(thread, comm, peer, tag, schema::MpiDirection::receive);
}

}  // namespace

void CountLost(uint32_t thread, const schema::MpiPointToPoint& call) {
    if (MakesPersistent(call.function()) || ReceivesMatched(call.function())) return;
    if (TookNoPlace(call.head())) return;
    CountOne(
        thread, call.comm(), call.peer(), call.tag(),
        IsReceive(call.function()) ? schema::MpiDirection::receive : schema::MpiDirection::send);
}

void CountLost(uint32_t thread, const schema::MpiReceive& call) {
    if (call.message() != 0 || TookNoPlace(call.head(), call.bytes())) return;
    CountReceived(thread, call.comm(), call.peer(), call.tag());
}

void CountLost(uint32_t thread, const schema::MpiProbe& call) {
    if (call.message() != 0) CountReceived(thread, call.comm(), call.peer(), call.tag());
}

void CountLost(uint32_t thread, const schema::MpiSendReceive& call) {
    if (TookNoPlace(call.head(), call.receive_bytes())) return;
    CountOne(thread, call.comm(), call.peer(), call.tag(), schema::MpiDirection::send);
    if (call.request() == 0) {
        CountReceived(thread, call.comm(), call.receive_peer(), call.receive_tag());
    } else {
        CountOne(thread, call.comm(), call.posted_peer(), call.posted_tag(),
                 schema::MpiDirection::receive);
    }
}

void CountLost(uint32_t thread, const schema::MpiCollective& call) {
    if (MakesPersistent(call.function())) return;
    CountOne(thread, call.comm(), kNoRank, kNoTag, schema::MpiDirection::collective);
}

void CountLost(uint32_t thread, uint64_t comm, const schema::MpiCompletion& completion) {
    const auto flags = static_cast<uint8_t>(completion.flags());
    const auto has = [flags](schema::MpiCompletionFlags flag) {
        return (flags & static_cast<uint8_t>(flag)) != 0;
    };
    if (!has(schema::MpiCompletionFlags::wildcard) && !has(schema::MpiCompletionFlags::cancelled))
        return;
    const int32_t source = comm == 0 ? completion.world_source() : completion.source();
    losses.Count({comm, thread, source, completion.tag(), schema::MpiDirection::completion,
                  completion.request()});
}

void CountOverwritten(uint32_t thread, const void* records, size_t bytes) {
    const auto* at = static_cast<const std::byte*>(records);
    while (core::IsWholeRecord(at, bytes)) {
        const core::RecordPrefix prefix = core::ReadPrefix(at);
        const auto count = [&]<typename Record>(const Record*) {
            Record record;
            if (prefix.type != schema::RecordTraits<Record>::kType) return;
            std::memcpy(static_cast<void*>(&record), at + sizeof prefix, sizeof record);
            if constexpr (std::is_same_v<Record, schema::MpiCompletion>) {
                CountLost(thread, 0, record);
            } else {
                CountLost(thread, record);
            }
        };
        count(static_cast<schema::MpiPointToPoint*>(nullptr));
        count(static_cast<schema::MpiReceive*>(nullptr));
        count(static_cast<schema::MpiSendReceive*>(nullptr));
        count(static_cast<schema::MpiProbe*>(nullptr));
        count(static_cast<schema::MpiCompletion*>(nullptr));
        count(static_cast<schema::MpiCollective*>(nullptr));
        at += prefix.bytes;
        bytes -= prefix.bytes;
    }
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
