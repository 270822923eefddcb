#include "capture_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comshu::format {
namespace {

// Blocks that may wait for the writing thread.
constexpr size_t kQueueLimit = 4;
// All lanes together hold about this many records.
constexpr size_t kRecordBudget = size_t{2} << 20;
constexpr uint32_t kSmallestBlock = 256;

}  // namespace

CaptureWriter::CaptureWriter(const std::string& folder, int64_t realtime_ns, uint64_t most_held)
    : folder_(folder + "/run"),
      realtime_ns_(realtime_ns),
      most_held_(most_held),
      encoder_(core::Schema::BuiltIn()) {
    std::error_code code;
    std::filesystem::create_directories(folder_, code);
    if (code) Fail(fmt::format("{}: cannot be made: {}", folder_, code.message()));
    writer_ = std::thread([this] { WriteLoop(); });
}

CaptureWriter::~CaptureWriter() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (writer_.joinable()) writer_.join();
}

std::string CaptureWriter::error() {
    const std::lock_guard lock(mutex_);
    return error_;
}

void CaptureWriter::Fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = what;
}

CaptureWriter::RankStream* CaptureWriter::GetRank(int32_t rank) {
    std::unique_ptr<RankStream>& stream = ranks_[rank];
    if (stream == nullptr) {
        stream = std::make_unique<RankStream>();
        stream->path = fmt::format("{}/trace.{}.0.cst", folder_, rank + 1);
        if (any_ == nullptr) {
            any_ = stream.get();
            any_->definitions = std::move(waiting_texts_);
            any_->definition_count = waiting_count_;
        }
    }
    return stream.get();
}

Lane* CaptureWriter::GetLane(int32_t rank, uint32_t thread) {
    std::unique_ptr<Lane>& lane = GetRank(rank)->lanes[thread];
    if (lane == nullptr) {
        lane = std::make_unique<Lane>();
        lane->rank = rank;
        lane->thread = thread;
        block_records_ = static_cast<uint32_t>(
            std::clamp<size_t>(kRecordBudget / ++lane_count_, kSmallestBlock, core::kBlockRecords));
    }
    return lane.get();
}

void CaptureWriter::NameRank(int32_t rank, const std::string& name) {
    GetRank(rank)->name = name;
}

uint64_t CaptureWriter::Text(std::string_view text) {
    const auto kind = schema::ArtifactKind::text;
    const uint64_t id = XXH64(text.data(), text.size(), static_cast<uint64_t>(kind));
    if (!texts_.insert(id).second) return id;
    std::vector<std::byte>& out = any_ == nullptr ? waiting_texts_ : any_->definitions;
    const core::RecordPrefix prefix{
        static_cast<uint32_t>(core::RecordBytes(sizeof(schema::Artifact), text.size())),
        schema::RecordTraits<schema::Artifact>::kType, 0};
    const schema::Artifact artifact(id, static_cast<uint32_t>(text.size()), kind);
    const size_t at = out.size();
    out.resize(at + prefix.bytes);
    std::memcpy(out.data() + at, &prefix, sizeof prefix);
    std::memcpy(out.data() + at + sizeof prefix, static_cast<const void*>(&artifact),
                sizeof artifact);
    std::memcpy(out.data() + at + sizeof prefix + sizeof artifact, text.data(), text.size());
    ++(any_ == nullptr ? waiting_count_ : any_->definition_count);
    if (any_ != nullptr && out.size() > (size_t{1} << 20)) SendDefinitions(any_);
    return id;
}

void CaptureWriter::Note(int32_t rank, uint64_t tick, std::string_view kind,
                         std::string_view text) {
    const uint64_t kind_id = Text(kind);
    Define(rank, schema::Note(tick, kind_id, Text(text)));
}

void CaptureWriter::Release(Lane* lane, uint64_t most) {
    std::deque<Lane::Unfinished>& unfinished = lane->unfinished_;
    const auto hand_on = [&](uint64_t until) {
        while (lane->held_begin_ + lane->held_read_ < until) {
            const std::byte* const record = lane->held_.data() + lane->held_read_;
            core::RecordPrefix prefix{};
            std::memcpy(&prefix, record, sizeof prefix);
            lane->records_.insert(lane->records_.end(), record, record + prefix.bytes);
            lane->held_read_ += prefix.bytes;
            held_bytes_ -= prefix.bytes;
            if (++lane->count_ >= block_records_) Send(lane);
        }
    };
    while (!unfinished.empty() && (unfinished.front().is_whole || held_bytes_ > most)) {
        unfinished.pop_front();
        hand_on(unfinished.empty() ? lane->held_begin_ + lane->held_.size()
                                   : unfinished.front().at);
    }
    if (lane->held_read_ * 2 < lane->held_.size()) return;
    lane->held_.erase(lane->held_.begin(),
                      lane->held_.begin() + static_cast<ptrdiff_t>(lane->held_read_));
    lane->held_begin_ += lane->held_read_;
    lane->held_read_ = 0;
}

void CaptureWriter::Send(Lane* lane) {
    if (lane->count_ == 0) return;
    Work work;
    work.stream = ranks_[lane->rank].get();
    work.thread = lane->thread;
    work.chunk = lane->chunk_++;
    work.count = lane->count_;
    work.records = std::move(lane->records_);
    lane->recorded_ += lane->count_;
    recorded_ += lane->count_;
    lane->count_ = 0;
    Queue(std::move(work));
    const std::lock_guard lock(mutex_);
    lane->records_.clear();
    if (!spare_.empty()) {
        lane->records_ = std::move(spare_.back());
        spare_.pop_back();
    }
}

void CaptureWriter::SendDefinitions(RankStream* stream) {
    if (stream->definition_count == 0) return;
    Work work;
    work.stream = stream;
    work.thread = core::kDefinitionsThread;
    work.count = stream->definition_count;
    work.records = std::move(stream->definitions);
    stream->definitions.clear();
    stream->definition_count = 0;
    Queue(std::move(work));
}

void CaptureWriter::Queue(Work work) {
    std::unique_lock lock(mutex_);
    if (!has_zero_) {
        has_zero_ = true;
        zero_ns_ = CaptureZeroNs(first_ns_);
    }
    changed_.wait(lock, [&] { return queue_.size() < kQueueLimit; });
    queue_.push_back(std::move(work));
    changed_.notify_all();
}

void CaptureWriter::WriteLoop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        Work work = std::move(queue_.front());
        lock.unlock();
        Write(work);
        lock.lock();
        // Taken off when it is written: an empty queue is a written one.
        queue_.pop_front();
        work.records.clear();
        if (spare_.size() < kQueueLimit) spare_.push_back(std::move(work.records));
        changed_.notify_all();
    }
}

void CaptureWriter::AddFrame(RankStream* stream, core::FrameHeader header, const void* payload,
                             size_t bytes, std::vector<uint8_t>* out) const {
    header.number = stream->frames++;
    header.calibration = {.ticks = TickOf(zero_ns_),
                          .monotonic_ns = 0,
                          .realtime_ns = realtime_ns_ + (is_realtime_of_zero_ ? zero_ns_ : 0)};
    core::SealFrame(&header, payload, bytes);
    const auto* from = reinterpret_cast<const uint8_t*>(&header);
    out->insert(out->end(), from, from + sizeof header);
    from = static_cast<const uint8_t*>(payload);
    out->insert(out->end(), from, from + bytes);
    out->resize(out->size() + core::PaddedBytes(bytes) - bytes);
}

void CaptureWriter::Write(const Work& work) {
    RankStream* stream = work.stream;
    frame_.clear();
    if (stream->frames == 0) {
        core::FrameHeader header;
        header.kind = core::FrameKind::kSchema;
        AddFrame(stream, header, schema::kPackedSchema, schema::kPackedSchemaBytes, &frame_);
    }
    core::FrameHeader header;
    header.thread = work.thread;
    header.record_count = work.count;
    if (work.thread == core::kDefinitionsThread) {
        header.first_offset = stream->definitions_written;
        stream->definitions_written += work.records.size();
        header.last_offset = stream->definitions_written;
    } else {
        // What covers nothing of a ring was open at the end.
        header.first_chunk = work.chunk;
        header.last_chunk = work.chunk + (work.open_spans ? 0 : 1);
    }
    if (work.thread == core::kDefinitionsThread || work.open_spans) {
        AddFrame(stream, header, work.records.data(), work.records.size(), &frame_);
    } else {
        encoder_.Begin(work.thread);
        encoder_.Add(work.records.data(), work.records.size());
        encoder_.Finish(&header, &payload_);
        AddFrame(stream, header, payload_.data(), payload_.size(), &frame_);
    }
    WriteFrames(stream, &frame_);
}

void CaptureWriter::WriteFrames(RankStream* stream, std::vector<uint8_t>* bytes) {
    const int fd = open(stream->path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    size_t at = 0;
    while (fd >= 0 && at < bytes->size()) {
        const ssize_t written = write(fd, bytes->data() + at, bytes->size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        at += static_cast<size_t>(written);
    }
    const bool failed = fd < 0 || at < bytes->size();
    if (failed) Fail(fmt::format("{}: cannot be written: {}", stream->path, std::strerror(errno)));
    if (fd >= 0 && close(fd) != 0 && !failed)
        Fail(fmt::format("{}: cannot be written: {}", stream->path, std::strerror(errno)));
}

bool CaptureWriter::Finish(int64_t zero_ns, int64_t end_ns, const std::string& host,
                           const std::string& command) {
    const int32_t size = ranks_.empty() ? 0 : ranks_.rbegin()->first + 1;
    const uint64_t host_id = Text(host);
    const uint64_t command_id = Text(command);
    const uint64_t empty_id = Text("");
    const uint64_t world_name = Text(world_name_);
    const uint64_t begin = TickOf(zero_ns);
    const uint64_t end = TickOf(std::max(zero_ns, end_ns));
    for (auto& [rank, stream] : ranks_) {
        uint64_t recorded = 0;
        const uint64_t name =
            Text(stream->name.empty() ? fmt::format("rank {}", rank) : stream->name);
        Define(rank, schema::Process(begin, static_cast<uint32_t>(rank) + 1, 0, 0, host_id,
                                     empty_id, name, command_id, empty_id, 1'000'000'000, 0, 0,
                                     schema::Clock::monotonic));
        Define(rank, schema::MpiRank(begin, kWorld, 0, 0, rank, size, 0, 0, 0));
        Define(rank, schema::MpiComm(begin, kWorld, 0, 0, 0, world_name,
                                     static_cast<uint32_t>(size), rank));
        for (auto& [number, lane] : stream->lanes) {
            Release(lane.get(), 0);
            Send(lane.get());
            if (lane->open_count_ > 0) {
                Work work;
                work.stream = stream.get();
                work.thread = number;
                work.chunk = lane->chunk_;
                work.count = lane->open_count_;
                work.open_spans = true;
                work.records = std::move(lane->open_);
                Queue(std::move(work));
            }
            recorded += lane->recorded_ + lane->open_count_;
            const uint64_t thread_name = lane->name_.empty() ? name : Text(lane->name_);
            Define(rank, schema::Thread(begin, thread_name, number, 0));
            Define(rank, schema::ThreadEnd(end, lane->recorded_ + lane->open_count_, 0, number));
        }
        Define(rank,
               schema::ProcessEnd(end, recorded, 0, 0, INT32_MIN, schema::EndReason::finished));
    }
    for (auto& [rank, stream] : ranks_) SendDefinitions(stream.get());
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty(); });
    return error_.empty();
}

}  // namespace comshu::format
