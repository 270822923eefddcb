// Writes what a trace file holds as a capture: a stream per rank.
#ifndef COMSHU_FORMATS_CAPTURE_WRITER_H_
#define COMSHU_FORMATS_CAPTURE_WRITER_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "comshu/core/block_encoder.h"
#include "comshu/core/frame.h"
#include "comshu/core/record.h"
#include "comshu/schema/record_traits.h"
#include "comshu/schema/schema_data.h"

namespace comshu::format {

// Times of a trace are ns of its own, maybe negative; ticks are unsigned.
constexpr uint64_t kTickZero = uint64_t{1} << 62;
// Times beyond it are no times: 146 years.
constexpr int64_t kLongestNs = int64_t{1} << 62;

constexpr uint64_t TickOf(int64_t ns) {
    return kTickZero + static_cast<uint64_t>(ns);
}
constexpr int64_t NsOf(uint64_t tick) {
    return static_cast<int64_t>(tick - kTickZero);
}

// The time of a trace where those of its capture begin, by the time of its first record: times that begin
// more than a day after zero are dates, not times of a run.
constexpr int64_t CaptureZeroNs(int64_t first_ns) {
    constexpr int64_t kLatestStartNs = int64_t{86'400} * 1'000'000'000;
    return first_ns < 0 || first_ns > kLatestStartNs ? first_ns : 0;
}

// One thread of one rank: its records, in order.
class Lane {
public:
    int32_t rank = 0;
    uint32_t thread = 0;

    // A number for a span that begins.
    uint64_t NextSpan() { return core::SpanId(thread, ++spans_); }

private:
    friend class CaptureWriter;
    std::vector<std::byte> records_;
    std::vector<std::byte> open_;  // Spans that never ended.
    // From the first record on that is not whole; `held_begin_` bytes came before, `held_read_` are gone.
    struct Unfinished {
        uint64_t at;
        bool is_whole;
    };
    std::vector<std::byte> held_;
    size_t held_read_ = 0;
    uint64_t held_begin_ = 0;
    std::deque<Unfinished> unfinished_;
    uint32_t count_ = 0;
    uint32_t open_count_ = 0;
    uint64_t spans_ = 0;
    uint64_t recorded_ = 0;
    uint64_t chunk_ = 1;
    std::string name_;
};

// Problem: a trace of a gigabyte and a thousand ranks has to become streams in constant memory, and
// encoding must not hold up reading. Idea: a lane collects records; what is collected goes, as one
// block, to a thread that encodes it and appends it to the rank's file, which is open only while it is
// written. Lanes share a budget, so many lanes mean small blocks. Who is in the capture is known at
// the end: Finish writes it.
// Used by one thread. Add cannot fail: the first failure to write is kept and told by error().
class CaptureWriter {
public:
    static constexpr uint64_t kHeldBytes = uint64_t{64} << 20;

    // `folder` exists; streams go to its sub-folder `run`. `realtime_ns`: when the trace is of.
    // `most_held`: what of records that are not whole, and behind them, waits in memory.
    CaptureWriter(const std::string& folder, int64_t realtime_ns, uint64_t most_held = kHeldBytes);
    ~CaptureWriter();
    CaptureWriter(const CaptureWriter&) = delete;
    CaptureWriter& operator=(const CaptureWriter&) = delete;

    Lane* GetLane(int32_t rank, uint32_t thread);
    void NameRank(int32_t rank, const std::string& name);
    // The communicator of all ranks; without it, `world`.
    void NameWorld(const std::string& name) { world_name_ = name; }
    void NameThread(Lane* lane, const std::string& name) { lane->name_ = name; }

    // The id of a text; written once.
    uint64_t Text(std::string_view text);

    template <typename Record>
    void Add(Lane* lane, const Record& record) {
        if (!lane->unfinished_.empty()) return Hold(lane, record);
        Append(record, &lane->records_);
        if (++lane->count_ >= block_records_) Send(lane);
    }
    // A record that is not whole yet: it, and what is added behind it on the lane, waits for Replace; where
    // there is no room the oldest ones of the lane are written as they are. Returns its place.
    template <typename Record>
    uint64_t AddUnfinished(Lane* lane, const Record& record) {
        const uint64_t at = lane->held_begin_ + lane->held_.size();
        lane->unfinished_.push_back({at, false});
        Hold(lane, record);
        return at;
    }
    // Makes it whole; false: it has been written as it was.
    template <typename Record>
    bool Replace(Lane* lane, uint64_t at, const Record& record) {
        const auto found = std::lower_bound(
            lane->unfinished_.begin(), lane->unfinished_.end(), at,
            [](const Lane::Unfinished& one, uint64_t place) { return one.at < place; });
        if (found == lane->unfinished_.end() || found->at != at) return false;
        std::memcpy(lane->held_.data() + (at - lane->held_begin_) + sizeof(core::RecordPrefix),
                    static_cast<const void*>(&record), sizeof record);
        found->is_whole = true;
        if (found == lane->unfinished_.begin()) Release(lane, ~uint64_t{0});
        return true;
    }
    // A span without an end.
    template <typename Record>
    void AddOpen(Lane* lane, const Record& record) {
        Append(record, &lane->open_);
        ++lane->open_count_;
    }
    // An entity; it goes to the stream of rank `rank`.
    template <typename Record>
    void Define(int32_t rank, const Record& record) {
        RankStream& stream = *GetRank(rank);
        Append(record, &stream.definitions);
        ++stream.definition_count;
    }
    void Note(int32_t rank, uint64_t tick, std::string_view kind, std::string_view text);
    // When time 0 of the trace was, if the trace tells; before there is a block.
    void SetZeroRealtime(int64_t ns) {
        realtime_ns_ = ns;
        is_realtime_of_zero_ = true;
    }
    // The earliest time so far. When the first block is written, `realtime_ns` is the time at which the
    // capture begins by it.
    void SeeFirst(int64_t ns) { first_ns_ = ns; }

    // All lanes end. `zero_ns`: the time of the trace where those of the capture begin; `end_ns`: its
    // last; `host`, `command`: what every rank says of itself.
    bool Finish(int64_t zero_ns, int64_t end_ns, const std::string& host,
                const std::string& command);

    // The communicator of all ranks.
    static constexpr uint64_t kWorld = 0x1;

    size_t ranks() const { return ranks_.size(); }
    uint64_t recorded() const { return recorded_; }
    std::string error();

private:
    struct RankStream {
        std::string path;
        std::string name;
        std::map<uint32_t, std::unique_ptr<Lane>> lanes;
        std::vector<std::byte> definitions;
        uint32_t definition_count = 0;
        // Of the writing thread.
        uint64_t frames = 0;
        uint64_t definitions_written = 0;
    };
    struct Work {
        RankStream* stream = nullptr;
        uint32_t thread = 0;
        uint64_t chunk = 0;
        uint32_t count = 0;
        bool open_spans = false;
        std::vector<std::byte> records;
    };

    template <typename Record>
    static void Append(const Record& record, std::vector<std::byte>* out) {
        constexpr core::RecordPrefix kPrefix{
            static_cast<uint32_t>(core::RecordBytes(sizeof(Record))),
            schema::RecordTraits<Record>::kType, 0};
        const size_t at = out->size();
        out->resize(at + kPrefix.bytes);
        std::memcpy(out->data() + at, &kPrefix, sizeof kPrefix);
        std::memcpy(out->data() + at + sizeof kPrefix, static_cast<const void*>(&record),
                    sizeof record);
    }

    template <typename Record>
    void Hold(Lane* lane, const Record& record) {
        Append(record, &lane->held_);
        held_bytes_ += core::RecordBytes(sizeof(Record));
        if (held_bytes_ > most_held_) Release(lane, most_held_ / 2);
    }
    // Hands on what is whole in front; more than `most` bytes held: what is not, too.
    void Release(Lane* lane, uint64_t most);

    RankStream* GetRank(int32_t rank);
    void Send(Lane* lane);
    void SendDefinitions(RankStream* stream);
    void Queue(Work work);
    void WriteLoop();
    void Write(const Work& work);
    void WriteFrames(RankStream* stream, std::vector<uint8_t>* bytes);
    void AddFrame(RankStream* stream, core::FrameHeader header, const void* payload, size_t bytes,
                  std::vector<uint8_t>* out) const;
    void Fail(const std::string& what);

    std::string folder_;
    int64_t realtime_ns_;  // Of the beginning of the capture, or of time 0.
    bool is_realtime_of_zero_ = false;
    const uint64_t most_held_;
    int64_t first_ns_ = 0;
    bool has_zero_ = false;
    int64_t zero_ns_ = 0;  // Not changed once there is a block.
    std::map<int32_t, std::unique_ptr<RankStream>> ranks_;
    std::string world_name_ = "world";
    std::unordered_set<uint64_t> texts_;
    RankStream* any_ = nullptr;  // Where texts go.
    uint32_t block_records_ = core::kBlockRecords;
    size_t lane_count_ = 0;
    uint64_t recorded_ = 0;
    uint64_t held_bytes_ = 0;
    std::vector<std::byte> waiting_texts_;  // Until there is a rank.
    uint32_t waiting_count_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Work> queue_;
    std::vector<std::vector<std::byte>> spare_;
    bool closing_ = false;
    std::string error_;
    core::BlockEncoder encoder_;
    std::vector<uint8_t> payload_;
    std::vector<uint8_t> frame_;
    std::thread writer_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_CAPTURE_WRITER_H_
