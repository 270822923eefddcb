#include "mpi/requests.h"

#include <cstdlib>
#include <new>

#include "mpi/comm_table.h"
#include "mpi/library.h"
#include "mpi/loss_table.h"
#include "mpi/real_mpi.h"

namespace comshu::provider::mpi {

RequestTable requests;

namespace {

bool Activate(const RequestKey& key, RequestEntry entry) {
    if (!entry.persistent) return false;
    entry.active = true;
    requests.Update(key, entry);
    return true;
}

void CountLostStart(const RequestEntry& entry) {
    const uint32_t thread = rec::comshu_thread->thread;
    if (entry.kind == schema::MpiRequestKind::send) {
        losses.Count({entry.comm, thread, entry.peer, entry.tag, schema::MpiDirection::send});
    } else if (entry.IsReceiving()) {
        losses.Count({entry.comm, thread, entry.peer, entry.tag, schema::MpiDirection::receive});
    } else if (entry.kind == schema::MpiRequestKind::collective) {
        losses.Count({entry.comm, thread, kNoRank, kNoTag, schema::MpiDirection::collective});
    }
}

int ErrorClass(int code) {
    int error_class = code;
    if (code != MPI_SUCCESS && MayCallMpi()) real.Error_class(code, &error_class);
    return error_class;
}

}  // namespace

Outcome OutcomeOfError(int code) {
    return ErrorClass(code) == MPI_ERR_TRUNCATE ? Outcome::kTruncated : Outcome::kFailed;
}

void OneRequest::CountLostCompletion(Span<schema::MpiRequestCall>& span, const MPI_Status* status,
                                     Outcome outcome) {
    if (rec::comshu_thread == nullptr) return;
    schema::MpiCompletion completion;
    SetCompletion(&completion, entry_, span->head(), status, outcome);
    CountLost(rec::comshu_thread->thread, entry_.comm, completion);
}

void OneRequest::Free(Span<schema::MpiRequestCall>& span, int result) {
    if (is_null_ || result != MPI_SUCCESS) {
        span.End();
        return;
    }
    requests.Remove(key_, entry_.id);
    if (entry_.id == 0 || IsIdle(entry_)) {
        span.End();
        return;
    }
    span->mutate_completed(1);
    auto flags = schema::MpiCompletionFlags::freed;
    if (IsWildcard(entry_)) flags = flags | schema::MpiCompletionFlags::wildcard;
    const schema::MpiCompletion completion(
        schema::EventHead(span->head().end(), span->head().span()), entry_.id, kNoBytes, kNoRank,
        kNoRank, kNoTag, entry_.kind, flags);
    if (!span.EndWith(&completion, 1) && rec::comshu_thread != nullptr) {
        CountLost(rec::comshu_thread->thread, entry_.comm, completion);
    }
}

void OneRequest::Cancel(Span<schema::MpiRequestCall>& span, int result) {
    if (!is_null_ && result == MPI_SUCCESS) {
        entry_.cancel_requested = true;
        requests.Update(key_, entry_);
    }
    span.End();
}

void OneRequest::Start(Span<schema::MpiRequestCall>& span, int result) {
    if (is_null_ || result != MPI_SUCCESS || !Activate(key_, entry_)) {
        span.End();
        return;
    }
    const schema::MpiStart start(schema::EventHead(span->head().end(), span->head().span()),
                                 entry_.id);
    if (!span.EndWith(&start, 1)) CountLostStart(entry_);
}

// Collects the completions of one call: the last of them go out with the call itself, earlier ones in
// batches before it, so that any number of them fits the ring.
class ManyRequests::Batch {
public:
    explicit Batch(Span<schema::MpiRequestCall>& span) : span_(span) {}

    void Add(const RequestKey& key, RequestEntry entry, const MPI_Status* status, Outcome outcome) {
        if (IsIdle(entry)) return;
        if (waiting_ == kBatch) {
            if (!PutMany(completions(), waiting_)) CountLostOnes();
            waiting_ = 0;
        }
        comms_[waiting_] = entry.comm;
        SetCompletion(new (&completions()[waiting_++]) schema::MpiCompletion, entry, span_->head(),
                      status, outcome);
        ++added_;
        if (entry.id != 0) Retire(key, entry);
    }

    void End() {
        span_->mutate_completed(added_);
        if (!span_.EndWith(completions(), waiting_)) CountLostOnes();
    }

private:
    void CountLostOnes() {
        if (rec::comshu_thread == nullptr) return;
        for (uint32_t i = 0; i < waiting_; ++i) {
            CountLost(rec::comshu_thread->thread, comms_[i], completions()[i]);
        }
    }

    schema::MpiCompletion* completions() {
        return reinterpret_cast<schema::MpiCompletion*>(storage_);
    }

    Span<schema::MpiRequestCall>& span_;
    uint32_t waiting_ = 0;
    uint32_t added_ = 0;
    uint64_t comms_[kBatch];
    alignas(schema::MpiCompletion) std::byte storage_[kBatch * sizeof(schema::MpiCompletion)];
};

ManyRequests::~ManyRequests() {
    if (allocated_ != nullptr) std::free(allocated_);
    if (allocated_statuses_ != nullptr) std::free(allocated_statuses_);
}

void ManyRequests::Look(int count, const MPI_Request* given, schema::MpiRequestCall* record) {
    given_ = given;
    if (count <= 0 || given == nullptr) return;
    const size_t size = static_cast<size_t>(count);
    const size_t entry_bytes = IsThreadMultiple() ? size * sizeof(RequestEntry) : 0;
    handles_ = inline_handles_;
    if (count > kInline || entry_bytes != 0) {
        allocated_ = std::malloc(entry_bytes + size * sizeof(MPI_Request));
        handles_ =
            allocated_ == nullptr
                ? nullptr
                : reinterpret_cast<MPI_Request*>(static_cast<std::byte*>(allocated_) + entry_bytes);
        if (entry_bytes != 0) entries_ = static_cast<RequestEntry*>(allocated_);
    }
    uint32_t present = 0;
    bool named = false;
    for (int i = 0; i < count; ++i) {
        const MPI_Request request = given[i];
        if (handles_ != nullptr) handles_[i] = request;
        const bool is_null = IsNull(request);
        if (!is_null) ++present;
        if (entries_ != nullptr) {
            new (&entries_[i])
                RequestEntry(is_null ? RequestEntry{} : requests.Find(KeyOf(request, &given[i])));
        }
        if (!is_null && !named) {
            named = true;
            record->mutate_request(
                entries_ != nullptr ? entries_[i].id : requests.Find(KeyOf(request, &given[i])).id);
        }
    }
    if (handles_ != nullptr) count_ = count;
    record->mutate_requests(present);
}

MPI_Status* ManyRequests::StatusesFor(MPI_Status* statuses, int most) {
    if (statuses != MPI_STATUSES_IGNORE || count_ == 0) return statuses;
    if (most <= kInline) return inline_statuses_;
    allocated_statuses_ = std::malloc(static_cast<size_t>(most) * sizeof(MPI_Status));
    return allocated_statuses_ == nullptr ? statuses
                                          : static_cast<MPI_Status*>(allocated_statuses_);
}

RequestEntry ManyRequests::EntryAt(int index) {
    if (entries_ != nullptr) return entries_[index];
    return requests.Find(KeyOf(handles_[index], &given_[index]));
}

// After an error that no status explains: what MPI took away was completed by the error.
void ManyRequests::AddFailed(Batch* batch, const MPI_Request* now) {
    for (int i = 0; i < count_; ++i) {
        if (!IsNull(handles_[i]) && IsNull(now[i])) {
            batch->Add(KeyOf(handles_[i], &given_[i]), EntryAt(i), nullptr, Outcome::kFailed);
        }
    }
}

void ManyRequests::CompleteAll(Span<schema::MpiRequestCall>& span, int result, bool done,
                               const MPI_Request* now, const MPI_Status* statuses) {
    Batch batch(span);
    if (statuses == MPI_STATUSES_IGNORE) statuses = nullptr;
    const bool in_status = statuses != nullptr && ErrorClass(result) == MPI_ERR_IN_STATUS;
    if (result == MPI_SUCCESS || in_status) {
        for (int i = 0; i < count_ && (done || in_status); ++i) {
            if (IsNull(handles_[i])) continue;
            const int error = in_status ? statuses[i].MPI_ERROR : MPI_SUCCESS;
            if (ErrorClass(error) == MPI_ERR_PENDING) continue;
            batch.Add(KeyOf(handles_[i], &given_[i]), EntryAt(i),
                      statuses == nullptr ? nullptr : &statuses[i], OutcomeOf(error));
        }
    } else {
        AddFailed(&batch, now);
    }
    batch.End();
}

void ManyRequests::CompleteOne(Span<schema::MpiRequestCall>& span, int result, int index,
                               const MPI_Request* now, const MPI_Status* status) {
    Batch batch(span);
    const Outcome outcome = OutcomeOf(result);
    if (outcome == Outcome::kFailed) {
        AddFailed(&batch, now);
    } else if (index >= 0 && index < count_) {
        batch.Add(KeyOf(handles_[index], &given_[index]), EntryAt(index),
                  status == MPI_STATUS_IGNORE ? nullptr : status, outcome);
    }
    batch.End();
}

void ManyRequests::CompleteSome(Span<schema::MpiRequestCall>& span, int result, int count,
                                const int* indices, const MPI_Request* now,
                                const MPI_Status* statuses) {
    Batch batch(span);
    if (statuses == MPI_STATUSES_IGNORE) statuses = nullptr;
    const bool in_status = statuses != nullptr && ErrorClass(result) == MPI_ERR_IN_STATUS;
    if (result == MPI_SUCCESS || in_status) {
        for (int j = 0; j < count; ++j) {
            const int i = indices[j];
            if (i < 0 || i >= count_) continue;
            const int error = in_status ? statuses[j].MPI_ERROR : MPI_SUCCESS;
            batch.Add(KeyOf(handles_[i], &given_[i]), EntryAt(i),
                      statuses == nullptr ? nullptr : &statuses[j], OutcomeOf(error));
        }
    } else {
        AddFailed(&batch, now);
    }
    batch.End();
}

void ManyRequests::Start(Span<schema::MpiRequestCall>& span, int result) {
    alignas(schema::MpiStart) std::byte storage[kBatch * sizeof(schema::MpiStart)];
    auto* starts = reinterpret_cast<schema::MpiStart*>(storage);
    uint32_t waiting = 0;
    int first = 0;  // Of the requests whose records wait.
    const auto count_lost = [&](int end) {
        for (int i = first; i < end; ++i) CountLostStart(EntryAt(i));
    };
    for (int i = 0; i < count_ && result == MPI_SUCCESS; ++i) {
        const RequestEntry entry = EntryAt(i);
        if (entry.id == 0 || !Activate(KeyOf(handles_[i], &given_[i]), entry)) continue;
        if (waiting == kBatch) {
            if (!PutMany(starts, waiting)) count_lost(i);
            waiting = 0;
            first = i;
        }
        new (&starts[waiting++])
            schema::MpiStart(schema::EventHead(span->head().end(), span->head().span()), entry.id);
    }
    if (!span.EndWith(starts, waiting)) count_lost(count_);
}

}  // namespace comshu::provider::mpi
