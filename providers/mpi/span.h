// One call of the program as a record: what every wrapper does, whatever the record.
//
// Cost: what rec::Open, Begin, Stop and End cost, nothing more. A span that could not be opened
// (recording is off, the stack is full) is closed from the start: then nothing may be asked of it.
#ifndef COMSHU_PROVIDERS_MPI_SPAN_H_
#define COMSHU_PROVIDERS_MPI_SPAN_H_

#include <mpi.h>
#include <qmpi.h>

#include <cstdint>

#include "comshu/rec/thread_state.h"
#include "comshu/schema/mpi_generated.h"

namespace comshu::provider::mpi {

// Counts what a lost call would have said, for the gap record (loss_table.h). One per record type
// that matters to matching; the rest lose nothing but themselves.
void CountLost(uint32_t thread, const schema::MpiPointToPoint& call);
void CountLost(uint32_t thread, const schema::MpiReceive& call);
void CountLost(uint32_t thread, const schema::MpiProbe& call);
void CountLost(uint32_t thread, const schema::MpiSendReceive& call);
void CountLost(uint32_t thread, const schema::MpiCollective& call);
// What was completed by a call that is lost; `comm` is that of the request, 0: not known.
void CountLost(uint32_t thread, uint64_t comm, const schema::MpiCompletion& completion);
// The same of records in a ring that are about to be overwritten.
void CountOverwritten(uint32_t thread, const void* records, size_t bytes);
template <typename Record>
void CountLost(uint32_t, const Record&) {}

// Publishes further records, in one step, while their span is open.
template <typename Record>
bool PutMany(const Record* records, uint32_t count) {
    constexpr uint32_t kBytes = core::RecordBytes(sizeof(Record));
    rec::ThreadState* thread = rec::comshu_thread;
    rec::Enter(thread);
    std::byte* at = rec::Reserve(thread, count * kBytes, count);
    if (at != nullptr) {
        for (uint32_t i = 0; i < count; ++i) at = rec::Put(at, records[i]);
        rec::Publish(thread, at, count);
    }
    rec::Leave(thread);
    return at != nullptr;
}

template <typename Record>
class Span {
public:
    Span(QMPI_Context context, schema::MpiFunction function, void* frame)
        : record_(rec::Open<Record>(frame)) {
        if (record_ == nullptr) return;
        record_->mutate_caller(reinterpret_cast<uint64_t>(qmpi_calling_address(context)));
        record_->mutate_function(function);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    explicit operator bool() const { return record_ != nullptr; }
    Record* operator->() { return record_; }
    Record* record() { return record_; }

    // Arguments are set: the call starts now.
    void Begin() {
        rec::PutStack(record_, record_->caller());
        rec::Begin(record_);
    }
    // The call has returned.
    void Stop() { rec::Stop(record_); }
    void Stop(int result) {
        rec::Stop(record_);
        if (result != MPI_SUCCESS) [[unlikely]]
            Fail();
    }

    void Fail() {
        schema::SpanHead& head = record_->mutable_head();
        head.mutate_flags(head.flags() | schema::SpanFlags::failed);
    }

    // Results are set.
    bool End() {
        if (rec::End(record_)) [[likely]]
            return true;
        return Lost();
    }

    template <typename More>
    bool EndWith(const More* more, uint32_t count) {
        if (rec::EndWith(record_, count * core::RecordBytes(sizeof(More)), count,
                         [&](std::byte* at) {
                             for (uint32_t i = 0; i < count; ++i) at = rec::Put(at, more[i]);
                         })) [[likely]]
            return true;
        return Lost();
    }

    // Ends with one further record, which `set(record)` writes in its place.
    template <typename More, typename Set>
    bool EndWithOne(Set set) {
        if (rec::EndWith(record_, core::RecordBytes(sizeof(More)), 1, [&](std::byte* at) {
                rec::PutFrame<More>(at);
                set(reinterpret_cast<More*>(at + sizeof(core::RecordPrefix)));
            })) [[likely]]
            return true;
        return Lost();
    }

private:
    bool Lost() {
        // None in a forked child that leaves a call of its parent.
        const rec::ThreadState* thread = rec::comshu_thread;
        if (thread != nullptr) CountLost(thread->thread, *record_);
        return false;
    }

    Record* record_;
};

// The next function in the chain of tools, asked for once per function.
struct Next {
    QMPI_Function function = nullptr;
    int tool_id = 0;
    int number = 0;  // Of the function, in QMPI's enum.
};
void FindNext(Next& next);

template <typename Function>
Function* NextFunction(Next& next) {
    QMPI_Function function = __atomic_load_n(&next.function, __ATOMIC_ACQUIRE);
    if (function == nullptr) [[unlikely]] {
        FindNext(next);
        function = next.function;
    }
    return reinterpret_cast<Function*>(function);
}

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_SPAN_H_
