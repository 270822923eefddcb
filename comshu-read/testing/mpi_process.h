// Streams of MPI processes with chosen calls, for tests.
#ifndef COMSHU_READ_TESTING_MPI_PROCESS_H_
#define COMSHU_READ_TESTING_MPI_PROCESS_H_

#include <initializer_list>
#include <limits>
#include <map>
#include <string>

#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read::testing {

// One process of a capture. Calls take 10 ns and begin where the test says; spans are numbered from 1
// on each thread.
class MpiProcess {
public:
    static constexpr uint64_t kWorld = testing::kWorld;
    static constexpr int32_t kNone = std::numeric_limits<int32_t>::min();

    MpiProcess(const TemporaryFolder& folder, int32_t rank, uint32_t block_records = 4,
               uint64_t world = kWorld, const std::string& boot_id = ProcessOptions().boot_id)
        : options_(Options(rank, block_records, boot_id)),
          writer_(folder.File("run/node0." + std::to_string(options_.pid) + ".0.cst"), options_) {
        writer_.Define(schema::MpiRank(Tick(0), world, writer_.Intern("job"), 0, rank % 100, 2, 0,
                                       world == kWorld ? 0 : kWorld, 0));
    }

    uint64_t Tick(int64_t ns) const { return writer_.Ticks(ns); }
    StreamWriter& writer() { return writer_; }

    // A call that began at `ns`; `open`: it had not returned.
    schema::SpanHead Head(int64_t ns, uint32_t thread = 0, bool open = false, int64_t length = 10) {
        return schema::SpanHead(Tick(ns), open ? 0 : Tick(ns + length),
                                core::SpanId(thread, ++spans_[thread]), 0, schema::SpanFlags::NONE);
    }
    schema::EventHead In(int64_t ns, uint32_t thread = 0) {
        return schema::EventHead(Tick(ns), core::SpanId(thread, spans_[thread]));
    }

    void Send(int64_t ns, int32_t peer, int32_t tag, uint64_t bytes, uint32_t thread = 0) {
        writer_.Add(thread, schema::MpiPointToPoint(Head(ns, thread), 0, kWorld, bytes, 0, tag,
                                                    peer, peer, schema::MpiFunction::MPI_Send));
    }
    void Start(int64_t ns, schema::MpiFunction function, int32_t peer, int32_t tag,
               uint64_t request, uint32_t thread = 0) {
        writer_.Add(thread, schema::MpiPointToPoint(Head(ns, thread), 0, kWorld, 64, request, tag,
                                                    peer, peer, function));
    }
    void Receive(int64_t ns, int32_t posted, int32_t peer, int32_t tag, uint64_t bytes,
                 uint32_t thread = 0, schema::SpanFlags flags = schema::SpanFlags::NONE) {
        schema::SpanHead head = Head(ns, thread);
        head.mutate_flags(flags);
        writer_.Add(thread, schema::MpiReceive(head, 0, kWorld, bytes, 64, 0, tag, peer, peer, tag,
                                               posted, schema::MpiFunction::MPI_Recv));
    }
    void Wait(int64_t ns, std::initializer_list<schema::MpiCompletion> completions,
              uint32_t thread = 0) {
        const auto count = static_cast<uint32_t>(completions.size());
        writer_.Add(thread, schema::MpiRequestCall(Head(ns, thread), 0, 1, count, count,
                                                   schema::MpiFunction::MPI_Waitall));
        for (schema::MpiCompletion completion : completions) {
            completion.mutable_head() = In(ns + 10, thread);
            writer_.Add(thread, completion);
        }
    }
    static schema::MpiCompletion Sent(uint64_t request) {
        return schema::MpiCompletion({}, request, ~uint64_t{0}, kNone, kNone, kNone,
                                     schema::MpiRequestKind::send,
                                     schema::MpiCompletionFlags::NONE);
    }
    static schema::MpiCompletion Got(uint64_t request, int32_t source, int32_t tag,
                                     uint64_t bytes) {
        return schema::MpiCompletion({}, request, bytes, source, source, tag,
                                     schema::MpiRequestKind::receive,
                                     schema::MpiCompletionFlags::NONE);
    }
    static schema::MpiCompletion Joined(uint64_t request) {
        return schema::MpiCompletion({}, request, ~uint64_t{0}, kNone, kNone, kNone,
                                     schema::MpiRequestKind::collective,
                                     schema::MpiCompletionFlags::NONE);
    }
    void End(int64_t ns) { writer_.End(Tick(ns), schema::EndReason::finished); }

private:
    static ProcessOptions Options(int32_t rank, uint32_t block_records,
                                  const std::string& boot_id) {
        ProcessOptions options;
        options.boot_id = boot_id;
        options.pid += static_cast<uint32_t>(rank);
        options.block_records = block_records;
        options.raw = rank % 2 == 1;
        return options;
    }

    ProcessOptions options_;
    StreamWriter writer_;
    std::map<uint32_t, uint64_t> spans_;
};

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_MPI_PROCESS_H_
