// Writes streams with chosen content, for tests and benchmarks.
#ifndef COMSHU_READ_TESTING_STREAM_WRITER_H_
#define COMSHU_READ_TESTING_STREAM_WRITER_H_

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "comshu/core/block_encoder.h"
#include "comshu/core/record.h"
#include "comshu/schema/record_traits.h"

namespace comshu::read::testing {

// Appends a record as it lies in a ring.
template <typename Record>
void AppendRecord(const Record& record, std::vector<std::byte>* out) {
    const core::RecordPrefix prefix{static_cast<uint32_t>(core::RecordBytes(sizeof record)),
                                    schema::RecordTraits<Record>::kType, 0};
    const size_t at = out->size();
    out->resize(at + prefix.bytes);
    std::memcpy(out->data() + at, &prefix, sizeof prefix);
    std::memcpy(out->data() + at + sizeof prefix, static_cast<const void*>(&record), sizeof record);
}

// MPI_COMM_WORLD in captures of tests.
constexpr uint64_t kWorld = 77;

// The head of a whole span without a parent.
inline schema::SpanHead SpanOf(uint64_t begin, uint64_t end, uint32_t thread, uint64_t number) {
    return schema::SpanHead(begin, end, core::SpanId(thread, number), 0, schema::SpanFlags::NONE);
}

struct ProcessOptions {
    uint32_t pid = 1000;
    uint32_t parent_pid = 1;
    uint64_t start_time = 5;
    std::string host = "node0";
    std::string boot_id = "00000000-0000-0000-0000-000000000000";
    uint16_t exec_number = 0;
    // Where the clock is in the first calibration: times of records count from here.
    uint64_t ticks = 1'000'000;
    uint64_t ticks_per_second = 2'000'000'000;  // 2 ticks are 1 ns.
    int64_t realtime_ns = 1'700'000'000'000'000'000;
    bool raw = false;  // Blocks of raw records, not of columns.
    uint32_t block_records = core::kBlockRecords;
    // Binary schema, packed; null: that of this build.
    const uint8_t* schema = nullptr;
    size_t schema_bytes = 0;
};

// One process's stream. The order of calls is the order in the file; a thread's records are written
// as a block when there are enough of them, or by Flush.
class StreamWriter {
public:
    StreamWriter(const std::string& path, const ProcessOptions& options);
    ~StreamWriter();
    StreamWriter(const StreamWriter&) = delete;
    StreamWriter& operator=(const StreamWriter&) = delete;

    // Stores an artifact once and returns its id.
    uint64_t Intern(std::string_view text);
    uint64_t InternList(const std::vector<int32_t>& numbers);

    template <typename Record>
    void Define(const Record& record) {
        AppendRecord(record, &definitions_);
        ++definition_count_;
    }

    template <typename Record>
    void Add(uint32_t thread, const Record& record) {
        PendingThread& pending = threads_[thread];
        AppendRecord(record, &pending.records);
        if (++pending.count == options_.block_records) FlushThread(thread, &pending);
    }

    // A raw block of records that the caller made.
    void AddRaw(uint32_t thread, const std::vector<std::byte>& records, uint32_t count);

    // Records lost by the thread before its next block.
    void Lose(uint32_t thread, uint32_t count) { threads_[thread].lost += count; }

    void Flush();
    // Writes the end of the process and flushes.
    void End(uint64_t tick, schema::EndReason reason, int32_t exit_code = 0);

    // ticks at this many ns after the process began.
    uint64_t Ticks(int64_t ns) const {
        return options_.ticks + static_cast<uint64_t>(static_cast<unsigned __int128>(ns) *
                                                      options_.ticks_per_second / 1'000'000'000);
    }

private:
    struct PendingThread {
        std::vector<std::byte> records;
        uint32_t count = 0;
        uint32_t lost = 0;
        uint64_t chunk = 1;
    };

    uint64_t InternBytes(schema::ArtifactKind kind, const void* content, size_t bytes);
    void FlushDefinitions();
    void FlushThread(uint32_t number, PendingThread* thread);
    void WriteFrame(core::FrameHeader header, const void* payload, size_t bytes);

    ProcessOptions options_;
    std::FILE* file_;
    uint64_t next_frame_ = 0;
    core::BlockEncoder encoder_;
    std::vector<uint8_t> payload_;
    std::map<uint32_t, PendingThread> threads_;
    std::map<uint64_t, bool> artifacts_;
    std::vector<std::byte> definitions_;
    uint32_t definition_count_ = 0;
    uint64_t definitions_written_ = 0;
    uint64_t recorded_ = 0;
    uint64_t lost_ = 0;
    uint64_t last_tick_;
};

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_STREAM_WRITER_H_
