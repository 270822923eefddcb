// Calls on requests: which ones a call was given, which ones it completed and how.
#ifndef COMSHU_PROVIDERS_MPI_REQUESTS_H_
#define COMSHU_PROVIDERS_MPI_REQUESTS_H_

#include <mpi.h>

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
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
                               int32_t tag = kNoTag) {
    RequestEntry entry;
    entry.kind = kind;
    entry.persistent = persistent;
    entry.active = !persistent;
    entry.comm = comm;
    entry.peers = peers;
    entry.peer = peer;
    entry.tag = tag;
    return entry;
}

// MPI_Wait, MPI_Test, MPI_Request_get_status, MPI_Request_free, MPI_Cancel, MPI_Start ...: one request.
// Order: Look before the call; then one of the others, each of which ends the span.
class OneRequest {
public:
    OneRequest() {}  // Nothing is set before Look: the status is large.

    void Look(const MPI_Request* request, schema::MpiRequestCall* record);
    MPI_Status* StatusFor(MPI_Status* status) {
        return status == MPI_STATUS_IGNORE && entry_.NeedsStatus() ? &own_ : status;
    }
    // `now` is the program's handle after the call, `status` what was passed on.
    void Complete(Span<schema::MpiRequestCall>& span, int result, bool done, const MPI_Request* now,
                  const MPI_Status* status);
    void Free(Span<schema::MpiRequestCall>& span, int result);
    void Cancel(Span<schema::MpiRequestCall>& span, int result);
    void Start(Span<schema::MpiRequestCall>& span, int result);

private:
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
