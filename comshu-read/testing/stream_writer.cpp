#include "stream_writer.h"

#include <algorithm>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/schema/schema_data.h"

namespace comshu::read::testing {

StreamWriter::StreamWriter(const std::string& path, const ProcessOptions& options)
    : options_(options),
      file_(std::fopen(path.c_str(), "wb")),
      encoder_(core::Schema::BuiltIn()),
      last_tick_(options.ticks) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
    if (options_.schema == nullptr) {
        options_.schema = schema::kPackedSchema;
        options_.schema_bytes = schema::kPackedSchemaBytes;
    }
    core::FrameHeader header;
    header.kind = core::FrameKind::kSchema;
    WriteFrame(header, options_.schema, options_.schema_bytes);
    const uint64_t host = Intern(options_.host);
    const uint64_t boot = Intern(options_.boot_id);
    const uint64_t command = Intern("./program --size 10");
    Define(schema::Process(options_.ticks, options_.pid, options_.parent_pid, options_.start_time,
                           host, boot, command, command, Intern("/home/user"),
                           options_.ticks_per_second, 0, options_.exec_number, schema::Clock::tsc));
}

StreamWriter::~StreamWriter() {
    Flush();
    std::fclose(file_);
}

uint64_t StreamWriter::InternBytes(schema::ArtifactKind kind, const void* content, size_t bytes) {
    const uint64_t id = XXH64(content, bytes, static_cast<uint64_t>(kind));
    if (artifacts_.contains(id)) return id;
    artifacts_[id] = true;
    const core::RecordPrefix prefix{
        static_cast<uint32_t>(core::RecordBytes(sizeof(schema::Artifact), bytes)),
        schema::RecordTraits<schema::Artifact>::kType, 0};
    const schema::Artifact artifact(id, static_cast<uint32_t>(bytes), kind);
    const size_t at = definitions_.size();
    definitions_.resize(at + prefix.bytes);
    std::byte* out = definitions_.data() + at;
    std::memcpy(out, &prefix, sizeof prefix);
    std::memcpy(out + sizeof prefix, static_cast<const void*>(&artifact), sizeof artifact);
    std::memcpy(out + sizeof prefix + sizeof artifact, content, bytes);
    ++definition_count_;
    return id;
}

uint64_t StreamWriter::Intern(std::string_view text) {
    return InternBytes(schema::ArtifactKind::text, text.data(), text.size());
}

uint64_t StreamWriter::InternList(const std::vector<int32_t>& numbers) {
    return InternBytes(schema::ArtifactKind::int32_list, numbers.data(),
                       numbers.size() * sizeof(int32_t));
}

void StreamWriter::WriteFrame(core::FrameHeader header, const void* payload, size_t bytes) {
    header.number = next_frame_++;
    last_tick_ = std::max(last_tick_, header.last_tick);
    const auto elapsed =
        static_cast<int64_t>(static_cast<unsigned __int128>(last_tick_ - options_.ticks) *
                             1'000'000'000 / options_.ticks_per_second);
    header.calibration = {.ticks = last_tick_,
                          .monotonic_ns = 1'000'000'000 + elapsed,
                          .realtime_ns = options_.realtime_ns + elapsed};
    core::SealFrame(&header, payload, bytes);
    std::fwrite(&header, sizeof header, 1, file_);
    std::fwrite(payload, 1, bytes, file_);
    const char zeros[8] = {};
    std::fwrite(zeros, 1, core::PaddedBytes(bytes) - bytes, file_);
}

void StreamWriter::FlushDefinitions() {
    if (definition_count_ == 0) return;
    core::FrameHeader header;
    header.thread = core::kDefinitionsThread;
    header.record_count = definition_count_;
    header.first_offset = definitions_written_;
    definitions_written_ += definitions_.size();
    header.last_offset = definitions_written_;
    WriteFrame(header, definitions_.data(), definitions_.size());
    definitions_.clear();
    definition_count_ = 0;
}

void StreamWriter::FlushThread(uint32_t number, PendingThread* thread) {
    if (thread->count == 0) return;
    FlushDefinitions();
    core::FrameHeader header;
    encoder_.Begin(number);
    encoder_.Add(thread->records.data(), thread->records.size());
    encoder_.Finish(&header, &payload_);
    header.first_chunk = thread->chunk++;
    header.last_chunk = thread->chunk;
    header.lost = thread->lost;
    recorded_ += header.record_count;
    lost_ += header.lost;
    if (options_.raw) {
        header.encoding = core::FrameEncoding::kRaw;
        WriteFrame(header, thread->records.data(), thread->records.size());
    } else {
        WriteFrame(header, payload_.data(), payload_.size());
    }
    thread->records.clear();
    thread->count = thread->lost = 0;
}

void StreamWriter::AddRaw(uint32_t thread, const std::vector<std::byte>& records, uint32_t count) {
    FlushDefinitions();
    core::FrameHeader header;
    header.thread = thread;
    header.record_count = count;
    header.first_chunk = threads_[thread].chunk++;
    header.last_chunk = threads_[thread].chunk;
    WriteFrame(header, records.data(), records.size());
}

void StreamWriter::Flush() {
    for (auto& [number, thread] : threads_) FlushThread(number, &thread);
    FlushDefinitions();
    std::fflush(file_);
}

void StreamWriter::End(uint64_t tick, schema::EndReason reason, int32_t exit_code) {
    Flush();
    Define(schema::ProcessEnd(tick, recorded_, lost_, 0, exit_code, reason));
    Flush();
}

}  // namespace comshu::read::testing
