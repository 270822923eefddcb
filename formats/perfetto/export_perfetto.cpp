// Export as a Perfetto trace of track events.
#include <map>
#include <set>

#include <fmt/core.h>

#include "comshu/format/export.h"
#include "perfetto/proto_writer.h"
#include "text/file_output.h"
#include "timeline/timeline.h"

namespace comshu::format {
namespace {

using perfetto::ProtoMessage;

// Fields of the messages of Perfetto, by their numbers.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequence = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1;
}  // namespace packet
namespace track {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kParent = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kChildOrdering = 11;
constexpr uint32_t kSiblingRank = 12;
constexpr uint64_t kByRank = 3;
constexpr uint32_t kProcessPid = 1;
constexpr uint32_t kProcessName = 6;
}  // namespace track
namespace event {
constexpr uint32_t kAnnotation = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kTrack = 11;
constexpr uint32_t kCategory = 22;
constexpr uint32_t kName = 23;
constexpr uint32_t kDoubleValue = 44;
constexpr uint32_t kFlow = 47;
constexpr uint32_t kLastFlow = 48;
constexpr uint64_t kBegin = 1;
constexpr uint64_t kEnd = 2;
constexpr uint64_t kInstant = 3;
constexpr uint64_t kCounter = 4;
}  // namespace event
namespace annotation {
constexpr uint32_t kInteger = 4;
constexpr uint32_t kDouble = 5;
constexpr uint32_t kText = 6;
constexpr uint32_t kName = 10;
}  // namespace annotation

constexpr uint64_t kSequenceId = 1;

class PerfettoWriter : public TimelineVisitor {
public:
    PerfettoWriter(const Timeline& timeline, FileOutput* out) : timeline_(timeline), out_(*out) {
        for (const TimelineProcess& process : timeline.processes()) {
            ProtoMessage description;
            ProtoMessage named;
            // A pid of the machine would be one for ranks on different hosts.
            named.Varint(track::kProcessPid, process.process_id + 1);
            named.Text(track::kProcessName, process.name);
            description.Varint(track::kUuid, ProcessTrack(process.process_id));
            description.Message(track::kProcess, named);
            description.Varint(track::kChildOrdering, track::kByRank);
            description.Varint(track::kSiblingRank, static_cast<uint64_t>(process.rank));
            Describe(description);
        }
    }

    void Row(const TimelineRow& row, const std::string& name) override {
        ProtoMessage description;
        description.Varint(track::kUuid, RowTrack(row));
        // Rows of one name are drawn as one.
        description.Text(track::kName, name.empty() ? fmt::format("thread {}", row.thread) : name);
        description.Varint(track::kParent, ProcessTrack(row.process_id));
        description.Varint(track::kSiblingRank, row.thread * 100 + std::min(row.lane, 99u));
        Describe(description);
        rows_.insert(RowTrack(row));
    }

    // A message is an arrow from the earliest to the latest of its events, so it begins where its send
    // begins and ends where its receive ends.
    void Begin(const TimelineSpan& span) override {
        message_.Clear();
        message_.Varint(event::kType, event::kBegin);
        message_.Varint(event::kTrack, RowTrack(span.row));
        message_.Text(event::kCategory, span.category);
        message_.Text(event::kName, span.name);
        Annotate("bytes", span.bytes);
        for (const TimelineCollective& collective : span.starts) {
            Annotate("bytes_in", collective.bytes_in);
            Annotate("bytes_out", collective.bytes_out);
        }
        Annotate("peer", span.peer);
        Annotate("tag", span.tag);
        Annotate("root", span.root);
        const std::string comm = timeline_.CommText(span);
        if (!comm.empty()) Annotate("comm", comm);
        if (!span.source.empty()) Annotate("source", span.source);
        if (span.failed) Annotate("result", "failed");
        if (span.unwound) Annotate("result", "left by an exception or a jump");
        if (span.is_open) Annotate("state", "never ended");
        for (const TimelineMessage& message : span.sends) {
            if (!message.backward) message_.Fixed64(event::kFlow, message.id);
        }
        Put(span.begin_ns);
    }
    void End(const TimelineSpan& span) override {
        message_.Clear();
        message_.Varint(event::kType, event::kEnd);
        message_.Varint(event::kTrack, RowTrack(span.row));
        for (const TimelineMessage& message : span.receives) {
            if (!message.backward) message_.Fixed64(event::kLastFlow, message.id);
        }
        Put(span.end_ns);
    }

    void Mark(const TimelineEvent& mark) override {
        if (!rows_.contains(RowTrack(mark.row))) Row(mark.row, "");
        message_.Clear();
        message_.Varint(event::kType, event::kInstant);
        message_.Varint(event::kTrack, RowTrack(mark.row));
        message_.Text(event::kName, mark.name);
        ProtoMessage value;
        value.Text(annotation::kName, "value");
        value.Double(annotation::kDouble, mark.value);
        message_.Message(event::kAnnotation, value);
        Put(mark.time_ns);
    }
    void Counter(const TimelineEvent& counter) override {
        const auto key = std::tuple(counter.row.process_id, counter.row.thread, counter.name);
        auto found = counters_.find(key);
        if (found == counters_.end()) {
            found = counters_.emplace(key, kFirstCounter + counters_.size()).first;
            ProtoMessage description;
            description.Varint(track::kUuid, found->second);
            description.Text(track::kName,
                             counter.row.thread == 0
                                 ? counter.name
                                 : fmt::format("{} (thread {})", counter.name, counter.row.thread));
            description.Varint(track::kParent, ProcessTrack(counter.row.process_id));
            description.Message(track::kCounter, ProtoMessage());
            Describe(description);
        }
        message_.Clear();
        message_.Varint(event::kType, event::kCounter);
        message_.Varint(event::kTrack, found->second);
        message_.Double(event::kDoubleValue, counter.value);
        Put(counter.time_ns);
    }

    uint64_t packets() const { return packets_; }

private:
    // Tracks are numbered apart: processes, rows, counters.
    static constexpr uint64_t kFirstRow = uint64_t{1} << 32;
    static constexpr uint64_t kFirstCounter = uint64_t{1} << 62;

    static uint64_t ProcessTrack(uint32_t process) { return uint64_t{process} + 1; }
    uint64_t RowTrack(const TimelineRow& row) {
        return tracks_
            .emplace(std::tuple(row.process_id, row.thread, row.lane), kFirstRow + tracks_.size())
            .first->second;
    }

    void Annotate(const char* name, int64_t value) {
        if (value == TimelineSpan::kNone) return;
        ProtoMessage note;
        note.Text(annotation::kName, name);
        note.Varint(annotation::kInteger, static_cast<uint64_t>(value));
        message_.Message(event::kAnnotation, note);
    }
    void Annotate(const char* name, const std::string& value) {
        ProtoMessage note;
        note.Text(annotation::kName, name);
        note.Text(annotation::kText, value);
        message_.Message(event::kAnnotation, note);
    }

    void Describe(const ProtoMessage& description) {
        packet_.Clear();
        packet_.Varint(packet::kSequence, kSequenceId);
        if (packets_ == 0) packet_.Varint(packet::kSequenceFlags, packet::kStateCleared);
        packet_.Message(packet::kTrackDescriptor, description);
        Write(packet_);
    }
    void Put(int64_t ns) {
        packet_.Clear();
        packet_.Varint(packet::kTimestamp, static_cast<uint64_t>(ns));
        packet_.Varint(packet::kSequence, kSequenceId);
        packet_.Message(packet::kTrackEvent, message_);
        Write(packet_);
    }
    void Write(const ProtoMessage& packet) {
        whole_.Clear();
        whole_.Message(trace::kPacket, packet);
        out_.Write(whole_.bytes());
        ++packets_;
    }

    const Timeline& timeline_;
    FileOutput& out_;
    ProtoMessage message_;
    ProtoMessage packet_;
    ProtoMessage whole_;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> tracks_;
    std::set<uint64_t> rows_;
    std::map<std::tuple<uint32_t, uint32_t, std::string>, uint64_t> counters_;
    uint64_t packets_ = 0;
};

}  // namespace

bool ExportPerfetto(read::Database* database, const std::string& path, ExportResult* result,
                    std::string* error) {
    Timeline timeline(database, path);
    timeline.WithCollectives();
    if (!timeline.Prepare(error)) return false;
    FileOutput out(path);
    PerfettoWriter writer(timeline, &out);
    if (!timeline.Visit(&writer, error)) return false;
    result->records = writer.packets();
    TimelineRemarks(timeline, true, result);
    return out.Finish(error);
}

}  // namespace comshu::format
