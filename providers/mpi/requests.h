// Calls on requests: which ones a call was given, which ones it completed and how.
#ifndef COMSHU_PROVIDERS_MPI_REQUESTS_H_
#define COMSHU_PROVIDERS_MPI_REQUESTS_H_

#include <mpi.h>

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/comm_table.h"
#include "mpi/dialect.h"
#include "mpi/request_table.h"
#include "mpi/span.h"

namespace comshu::provider::mpi {

extern RequestTable requests;

inline RequestKey KeyOf(MPI_Request request, const void* address) {
    return {Key(request), address, IsShared(request)};
}

// A call has made `*request`; returns the number that the record names.
inline uint64_t AddRequest(const MPI_Request* request, const RequestEntry& entry) {
    if (IsNull(*request)) return 0;
    return requests.Add(KeyOf(*request, request), entry);
}

inline RequestEntry NewRequest(schema::MpiRequestKind kind, bool persistent, uint64_t comm = 0,
                               const Group* peers = nullptr, int32_t peer = kNoRank,
                               int32_t tag = kNoTag, uint64_t buffer_bytes = kNoBytes,
                               uint64_t id = 0) {
    RequestEntry entry;
    entry.id = id;
    entry.kind = kind;
    entry.persistent = persistent;
    entry.active = !persistent;
    entry.comm = comm;
    entry.peers = peers;
    entry.peer = peer;
    entry.tag = tag;
    entry.buffer_bytes = buffer_bytes;
    return entry;
}

// An inactive persistent request is waited for without anything happening.
inline bool IsIdle(const RequestEntry& entry) {
    return entry.persistent && !entry.active;
}

// The request is done with: forgets it, or marks a persistent one as waiting for its next start.
inline void Retire(const RequestKey& key, RequestEntry& entry) {
    if (!entry.persistent) {
        requests.Remove(key, entry.id);
        return;
    }
    entry.active = false;
    entry.cancel_requested = false;
    requests.Update(key, entry);
}

inline bool IsWildcard(const RequestEntry& entry) {
    return entry.IsReceiving() && (entry.peer == kAnySource || entry.tag == kAnyTag);
}

// How an operation ended. A message that was cut has come all the same: it has left its channel, and its
// status says from where. How much of it came is said by neither MPI: the buffer is full.
enum class Outcome : uint8_t { kDone, kTruncated, kFailed };

Outcome OutcomeOfError(int code);
inline Outcome OutcomeOf(int code) {
    return code == MPI_SUCCESS ? Outcome::kDone : OutcomeOfError(code);
}

// What is recorded of a completed request; written in its place. Without a status, or when the
// operation failed or was cancelled, what came is null.
inline void SetCompletion(schema::MpiCompletion* completion, const RequestEntry& entry,
                          const schema::SpanHead& head, const MPI_Status* status, Outcome outcome) {
    uint8_t flags =
        outcome != Outcome::kDone ? static_cast<uint8_t>(schema::MpiCompletionFlags::failed) : 0;
    int32_t source = kNoRank;
    int32_t world_source = kNoRank;
    int32_t tag = kNoTag;
    uint64_t bytes = kNoBytes;
    if (IsWildcard(entry)) flags |= static_cast<uint8_t>(schema::MpiCompletionFlags::wildcard);
    if (status != nullptr && outcome != Outcome::kFailed && entry.NeedsStatus() &&
        (kHasSendReceiveStatus || entry.kind != schema::MpiRequestKind::send_receive)) {
        if (entry.cancel_requested && IsCancelled(*status)) [[unlikely]] {
            flags |= static_cast<uint8_t>(schema::MpiCompletionFlags::cancelled);
        } else if (entry.IsReceiving()) {
            if (entry.peer == kProcNull) [[unlikely]] {
                // Open MPI answers with an empty status, whose source is a wildcard.
                source = kProcNull;
                tag = -1;
                bytes = 0;
            } else {
                source = NormalRank(status->MPI_SOURCE);
                tag = NormalTag(status->MPI_TAG);
                bytes = outcome == Outcome::kDone ? StatusBytes(*status) : entry.buffer_bytes;
                if (entry.peers != nullptr) world_source = entry.peers->WorldRank(source);
            }
        } else if (entry.kind == schema::MpiRequestKind::io) {
            bytes = StatusBytes(*status);
        }
    }
    completion->mutable_head().mutate_tick(head.end());
    completion->mutable_head().mutate_span(head.span());
    completion->mutate_request(entry.id);
    completion->mutate_bytes(bytes);
    completion->mutate_source(source);
    completion->mutate_world_source(world_source);
    completion->mutate_tag(tag);
    completion->mutate_kind(entry.kind);
    completion->mutate_flags(static_cast<schema::MpiCompletionFlags>(flags));
}

// MPI_Wait, MPI_Test, MPI_Request_get_status, MPI_Request_free, MPI_Cancel, MPI_Start ...: one request.
// Order: Look before the call; then one of the others, each of which ends the span.
class OneRequest {
public:
    OneRequest() {}  // Nothing is set before Look: the status is large.

    void Look(const MPI_Request* request, schema::MpiRequestCall* record) {
        is_null_ = request == nullptr || IsNull(*request);
        if (is_null_) {
            entry_ = RequestEntry{};
            return;
        }
        key_ = KeyOf(*request, request);
        entry_ = requests.Find(key_);
        record->mutate_request(entry_.id);
        record->mutate_requests(1);
    }

    MPI_Status* StatusFor(MPI_Status* status) {
        return status == MPI_STATUS_IGNORE && entry_.NeedsStatus() ? &own_ : status;
    }

    // `now` is the program's handle after the call, `status` what was passed on.
    void Complete(Span<schema::MpiRequestCall>& span, int result, bool done, const MPI_Request* now,
                  const MPI_Status* status) {
        const Outcome outcome = OutcomeOf(result);
        if (outcome != Outcome::kDone) [[unlikely]]
            done = entry_.id != 0 && (entry_.persistent || IsNull(*now));
        if (is_null_ || !done || IsIdle(entry_)) {
            span.End();
            return;
        }
        Retire(key_, entry_);
        span->mutate_completed(1);
        if (status == MPI_STATUS_IGNORE) status = nullptr;
        if (!span.EndWithOne<schema::MpiCompletion>([&](schema::MpiCompletion* completion) {
                SetCompletion(completion, entry_, span->head(), status, outcome);
            })) [[unlikely]]
            CountLostCompletion(span, status, outcome);
    }
    void Free(Span<schema::MpiRequestCall>& span, int result);
    void Cancel(Span<schema::MpiRequestCall>& span, int result);
    void Start(Span<schema::MpiRequestCall>& span, int result);

private:
    void CountLostCompletion(Span<schema::MpiRequestCall>& span, const MPI_Status* status,
                             Outcome outcome);

    RequestKey key_;
    RequestEntry entry_;
    bool is_null_;
    MPI_Status own_;
};

// MPI_Waitall, MPI_Testsome, MPI_Startall ...: an array of requests. Copies the handles, since the call
// makes them null, and brings statuses where the program wants none. Arrays of more than kInline
// requests take memory from malloc; without memory the completions of that call are not recorded.
class ManyRequests {
public:
    ManyRequests() {}
    ManyRequests(const ManyRequests&) = delete;
    ManyRequests& operator=(const ManyRequests&) = delete;
    ~ManyRequests();

    void Look(int count, const MPI_Request* given, schema::MpiRequestCall* record);
    // `most`: how many statuses the call may write.
    MPI_Status* StatusesFor(MPI_Status* statuses, int most);

    // The call completed all of them, or with `done` false none.
    void CompleteAll(Span<schema::MpiRequestCall>& span, int result, bool done,
                     const MPI_Request* now, const MPI_Status* statuses);
    // The call completed the one at `index`; MPI_UNDEFINED or a negative one: none.
    void CompleteOne(Span<schema::MpiRequestCall>& span, int result, int index,
                     const MPI_Request* now, const MPI_Status* status);
    // The call completed those at `indices`.
    void CompleteSome(Span<schema::MpiRequestCall>& span, int result, int count, const int* indices,
                      const MPI_Request* now, const MPI_Status* statuses);
    void Start(Span<schema::MpiRequestCall>& span, int result);

private:
    static constexpr int kInline = 32;
    static constexpr uint32_t kBatch = 32;

    class Batch;
    RequestEntry EntryAt(int index);
    void AddFailed(Batch* batch, const MPI_Request* now);

    int count_ = 0;
    const MPI_Request* given_ = nullptr;
    MPI_Request* handles_ = nullptr;   // Copies; null: no memory.
    RequestEntry* entries_ = nullptr;  // Looked up before the call under MPI_THREAD_MULTIPLE alone.
    void* allocated_ = nullptr;
    void* allocated_statuses_ = nullptr;
    MPI_Request inline_handles_[kInline];
    MPI_Status inline_statuses_[kInline];
};

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_REQUESTS_H_
