#include "captured.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "comshu/core/block_decoder.h"
#include "comshu/core/live_layout.h"
#include "comshu/core/record.h"

namespace comshu::rec {
namespace {

std::vector<uint8_t> ReadFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

using Place = std::pair<uint64_t, uint64_t>;  // Chunk, offset.

class Reader {
public:
    Reader(const std::string& path, Captured* out) : path_(path), out_(*out) {}

    void Run() {
        live_path_ = path_ + ".live";
        ReadStream();
        ReadLive();
    }

private:
    void Problem(const std::string& text) { out_.problems.push_back(path_ + ": " + text); }

    void Keep(uint32_t thread, uint16_t type, const std::byte* data, size_t bytes,
              std::vector<CapturedRecord>* to) {
        CapturedRecord record;
        record.type = type;
        record.thread = thread;
        record.bytes.assign(data, data + bytes);
        if (type == schema::RecordTraits<schema::Artifact>::kType) {
            const auto& artifact = record.As<schema::Artifact>();
            out_.text[artifact.id()] = std::string(
                reinterpret_cast<const char*>(data) + sizeof artifact, artifact.bytes());
        }
        to->push_back(std::move(record));
    }

    void Walk(uint32_t thread, const std::byte* records, size_t bytes) {
        size_t at = 0;
        while (core::IsWholeRecord(records + at, bytes - at)) {
            const core::RecordPrefix prefix = core::ReadPrefix(records + at);
            Keep(thread, prefix.type, records + at + sizeof prefix, prefix.bytes - sizeof prefix,
                 &out_.records);
            at += prefix.bytes;
        }
        if (at != bytes) Problem("a run of records does not end at a record");
    }

    void ReadColumns(const core::FrameHeader& header, const uint8_t* payload) {
        core::BlockDecoder block(core::Schema::BuiltIn(), nullptr);
        std::string error;
        std::vector<uint8_t> sequence;
        if (!block.Open(header, payload, &error) || !block.Sequence(&sequence)) {
            Problem("block: " + error);
            return;
        }
        std::vector<std::vector<std::vector<uint64_t>>> values(block.types().size());
        for (size_t t = 0; t < values.size(); ++t) {
            const auto& layout = *block.types()[t].layout;
            values[t].resize(layout.columns.size());
            for (size_t c = 0; c < layout.columns.size(); ++c) {
                if (!block.Values(t, c, &values[t][c])) Problem("damaged column");
            }
        }
        std::vector<size_t> row(values.size());
        for (const uint8_t type : sequence) {
            const auto& layout = *block.types()[type].layout;
            std::vector<std::byte> record(layout.struct_bytes);
            for (size_t c = 0; c < layout.columns.size(); ++c) {
                std::memcpy(record.data() + layout.columns[c].offset, &values[type][c][row[type]],
                            layout.columns[c].width);
            }
            ++row[type];
            Keep(header.thread, layout.type, record.data(), record.size(), &out_.records);
        }
    }

    void ReadStream() {
        const std::vector<uint8_t> data = ReadFile(path_ + ".cst");
        size_t at = 0;
        while (at + sizeof(core::FrameHeader) <= data.size()) {
            core::FrameHeader header;
            std::memcpy(static_cast<void*>(&header), data.data() + at, sizeof header);
            const uint8_t* payload = data.data() + at + sizeof header;
            if (!core::IsValidHeader(header) ||
                header.payload_bytes > data.size() - at - sizeof header ||
                !core::IsPayloadIntact(header, payload)) {
                at += 8;
                torn_ = true;
                continue;
            }
            if (header.number != out_.frames.size()) Problem("a frame is missing");
            out_.frames.push_back(header);
            if (header.kind == core::FrameKind::kLive) {
                live_path_.assign(reinterpret_cast<const char*>(payload), header.payload_bytes);
            } else if (header.kind == core::FrameKind::kRecords) {
                NoteRange(header);
                if (header.encoding == core::FrameEncoding::kRaw)
                    Walk(header.thread, reinterpret_cast<const std::byte*>(payload),
                         header.payload_bytes);
                else
                    ReadColumns(header, payload);
            }
            at += sizeof header + core::PaddedBytes(header.payload_bytes);
        }
        // Torn may be the end of a killed program's stream, also its very first frame.
        if (torn_ && !out_.frames.empty() && !std::filesystem::exists(live_path_))
            Problem("a frame is damaged");
    }

    void NoteRange(const core::FrameHeader& header) {
        Place& end = done_[header.thread];
        const Place first{header.first_chunk, header.first_offset};
        const Place last{header.last_chunk, header.last_offset};
        if (first < end && first != last) Problem("blocks of a thread overlap");
        end = std::max(end, last);
    }

    void ReadLive() {
        const std::vector<uint8_t> data = ReadFile(live_path_);
        if (data.size() < sizeof(core::LiveHeader)) return;
        const auto& header = *reinterpret_cast<const core::LiveHeader*>(data.data());
        if (header.magic.load() != core::kLiveMagic) return;
        out_.has_live = true;
        out_.live_lost = header.unslotted_lost.load();
        const uint64_t head = header.definitions_head.load();
        uint64_t from =
            done_.count(core::kDefinitionsThread) != 0 ? done_[core::kDefinitionsThread].second : 0;
        std::vector<std::byte> definitions;
        for (; from < head; ++from) {
            definitions.push_back(
                static_cast<std::byte>(data[sizeof header + from % header.definitions_bytes]));
        }
        Walk(core::kDefinitionsThread, definitions.data(), definitions.size());
        for (uint32_t i = 0; i < header.slots.load(); ++i) {
            const size_t offset = header.slots_offset + size_t{i} * header.slot_bytes;
            if (offset + header.slot_bytes > data.size()) {
                Problem("the live file ends inside a slot");
                return;
            }
            ReadSlot(header, i, data.data() + offset);
        }
        for (const auto& [index, stack] : stacks_) ReadOpen(stack);
    }

    void ReadSlot(const core::LiveHeader& header, uint32_t index, const uint8_t* at) {
        const uint64_t ring_bytes = header.slot_bytes - core::kThreadBytes;
        const auto& slot = *reinterpret_cast<const core::ThreadSlot*>(at + ring_bytes);
        if (slot.state.load() == core::SlotState::kFree) return;
        if (slot.state.load() == core::SlotState::kMoreStack) {
            stacks_[slot.owner].Add(at, ring_bytes);
            return;
        }
        stacks_[index].thread = slot.thread;
        stacks_[index].depth = slot.stack_depth.load();
        stacks_[index].Add(slot.stack(), core::kThreadBytes - sizeof slot);
        out_.live_lost += slot.lost.load();
        const uint64_t last = slot.chunk.load();
        const Place done = done_.count(slot.thread) != 0 ? done_[slot.thread] : Place{0, 0};
        for (uint64_t n = slot.drained.load(); n <= last; ++n) {
            const uint8_t* chunk_at = at + n % header.chunks_per_ring * header.chunk_bytes;
            const auto& chunk = *reinterpret_cast<const core::ChunkHeader*>(chunk_at);
            if (chunk.number.load() != n || chunk.thread != slot.thread) continue;
            uint32_t offset = 0;
            const uint32_t used = chunk.used.load();
            if (n < done.first) continue;
            if (n == done.first) offset = static_cast<uint32_t>(done.second);
            const auto* records = reinterpret_cast<const std::byte*>(chunk_at + sizeof chunk);
            Walk(slot.thread, records + offset, used - offset);
        }
    }

    struct Stack {
        uint32_t thread = 0;
        uint32_t depth = 0;
        std::vector<std::byte> bytes;  // The entries; a slot always comes before its further rooms.

        void Add(const void* room, size_t size) {
            const auto* from = static_cast<const std::byte*>(room);
            bytes.insert(bytes.end(), from, from + size);
        }
    };

    void ReadOpen(const Stack& stack) {
        for (uint32_t i = 0; i < stack.depth; ++i) {
            if ((i + 1) * sizeof(core::SpanEntry) > stack.bytes.size()) {
                Problem("a stack is deeper than its rooms");
                return;
            }
            const std::byte* image = stack.bytes.data() + i * sizeof(core::SpanEntry);
            const core::RecordPrefix prefix = core::ReadPrefix(image);
            Keep(stack.thread, prefix.type, image + sizeof prefix, prefix.bytes - sizeof prefix,
                 &out_.open_calls);
        }
    }

    std::string path_;
    std::string live_path_;
    Captured& out_;
    std::map<uint32_t, Place> done_;
    std::map<uint32_t, Stack> stacks_;  // By index of the slot.
    bool torn_ = false;
};

}  // namespace

Captured ReadCapture(const std::string& path) {
    Captured captured;
    Reader(path, &captured).Run();
    return captured;
}

std::vector<std::string> FindStreams(const std::string& folder) {
    std::vector<std::string> found;
    if (!std::filesystem::exists(folder)) return found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".cst")
            found.push_back(entry.path().parent_path() / entry.path().stem());
    }
    std::sort(found.begin(), found.end());
    return found;
}

TestFolder::TestFolder(const char* under) {
    std::string pattern = std::string(under != nullptr ? under : "/tmp") + "/comshu-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace comshu::rec
