#include "comshu/read/live_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/core.h>

#include "comshu/core/record.h"
#include "comshu/read/file_bytes.h"

namespace comshu::read {
namespace {

constexpr int kTries = 8;
// The version whose slots begin with what those of today end with: ThreadSlot, and a stack that stays there.
constexpr uint32_t kRingsLast = 1;

// Length of the run of whole records at the start.
size_t WholeRecords(const uint8_t* bytes, size_t size) {
    const auto* records = reinterpret_cast<const std::byte*>(bytes);
    size_t at = 0;
    while (core::IsWholeRecord(records + at, size - at)) at += core::ReadPrefix(records + at).bytes;
    return at;
}

}  // namespace

// One behind the other the rooms of a stack are an array of entries.
class LiveReader::StackRooms {
public:
    void Add(const void* room, uint64_t bytes) {
        rooms_.push_back({static_cast<const uint8_t*>(room), bytes});
    }
    // The open spans; of calls that come and go under every try, the outer ones that stay.
    std::vector<std::vector<uint8_t>> CopyOpen(const core::ThreadSlot& slot) const;

private:
    struct Room {
        const uint8_t* at;
        uint64_t bytes;
    };

    uint64_t Entries() const {
        uint64_t bytes = 0;
        for (const Room& room : rooms_) bytes += room.bytes;
        return bytes / sizeof(core::SpanEntry);
    }
    void Copy(uint64_t bytes, std::vector<uint8_t>* copy) const {
        copy->clear();
        for (const Room& room : rooms_) {
            const uint64_t here = std::min(room.bytes, bytes - copy->size());
            copy->insert(copy->end(), room.at, room.at + here);
        }
    }
    // How many bytes from the outermost entry on are as in the copy.
    uint64_t Same(const std::vector<uint8_t>& copy) const {
        uint64_t done = 0;
        for (const Room& room : rooms_) {
            const uint8_t* end = room.at + std::min<uint64_t>(room.bytes, copy.size() - done);
            const uint8_t* same = std::mismatch(room.at, end, copy.data() + done).first;
            done += static_cast<uint64_t>(same - room.at);
            if (same != end) break;
        }
        return done;
    }

    std::vector<Room> rooms_;
};

std::vector<std::vector<uint8_t>> LiveReader::StackRooms::CopyOpen(
    const core::ThreadSlot& slot) const {
    std::vector<uint8_t> copy;
    uint64_t whole = 0;
    for (int i = 0; i < kTries; ++i) {
        const uint32_t depth = slot.stack_depth.load(std::memory_order_acquire);
        if (depth == 0 || depth > Entries()) return {};
        Copy(depth * sizeof(core::SpanEntry), &copy);
        std::atomic_thread_fence(std::memory_order_acquire);
        const uint32_t now = slot.stack_depth.load(std::memory_order_acquire);
        whole = std::min<uint64_t>({depth, now, Same(copy) / sizeof(core::SpanEntry)});
        if (whole == depth) break;
    }
    std::vector<std::vector<uint8_t>> spans;
    for (uint64_t level = 0; level < whole; ++level) {
        const uint8_t* image = copy.data() + level * sizeof(core::SpanEntry);
        const auto* record = reinterpret_cast<const std::byte*>(image);
        if (!core::IsWholeRecord(record, core::kSpanImageBytes)) continue;
        spans.emplace_back(image, image + core::ReadPrefix(record).bytes);
    }
    return spans;
}

std::unique_ptr<LiveReader> LiveReader::Open(const std::string& path, std::string* error) {
    const auto file = FileBytes::Map(path, error);
    if (file == nullptr) return nullptr;
    return Copy(file->data(), file->size(), error);
}

std::unique_ptr<LiveReader> LiveReader::Copy(const uint8_t* data, size_t bytes,
                                             std::string* error) {
    if (bytes < sizeof(core::LiveHeader)) {
        *error = "is too short";
        return nullptr;
    }
    const auto& header = *reinterpret_cast<const core::LiveHeader*>(data);
    if (header.magic.load(std::memory_order_acquire) != core::kLiveMagic) {
        *error = "was not set up yet, or is not a .live file";
        return nullptr;
    }
    if (header.version != core::kLiveVersion && header.version != kRingsLast) {
        *error = fmt::format(
            "is of version {}; this comshu reads versions up to {}: use the comshu that captured "
            "it",
            header.version, core::kLiveVersion);
        return nullptr;
    }
    const uint64_t definitions_bytes = header.definitions_bytes;
    const uint64_t slot_bytes = header.slot_bytes;
    const uint64_t chunk_bytes = header.chunk_bytes;
    const uint64_t ring_chunks = header.chunks_per_ring;
    if (definitions_bytes > bytes - sizeof header || chunk_bytes <= sizeof(core::ChunkHeader) ||
        chunk_bytes % alignof(core::ChunkHeader) != 0 || ring_chunks == 0 ||
        slot_bytes < core::kThreadBytes + ring_chunks * chunk_bytes ||
        slot_bytes % alignof(core::ThreadSlot) != 0 || header.slots_offset > bytes ||
        header.slots_offset % alignof(core::ThreadSlot) != 0) {
        *error = "its header is damaged";
        return nullptr;
    }
    auto reader = std::make_unique<LiveReader>();
    reader->pid_ = header.pid;
    reader->start_time_ = header.start_time;
    reader->ticks_per_second_ = header.ticks_per_second.load(std::memory_order_relaxed);
    reader->calibration_ = header.calibration;
    reader->last_alive_ = header.last_alive.load(std::memory_order_relaxed);
    reader->ended_ = header.ended.load(std::memory_order_acquire) != 0;
    reader->write_lost_ = header.write_lost.load(std::memory_order_relaxed);
    reader->unslotted_lost_ = header.unslotted_lost.load(std::memory_order_relaxed);
    // The records first: what they refer to was defined before them.
    const uint64_t fit = (bytes - header.slots_offset) / slot_bytes;
    const uint64_t slots = std::min<uint64_t>(header.slots.load(std::memory_order_acquire), fit);
    const bool rings_last = header.version == kRingsLast;
    const uint64_t ring_bytes = slot_bytes - core::kThreadBytes;
    const auto place = [&](uint64_t i) { return data + header.slots_offset + i * slot_bytes; };
    const auto slot = [&](uint64_t i) -> const core::ThreadSlot& {
        return *reinterpret_cast<const core::ThreadSlot*>(place(i) + (rings_last ? 0 : ring_bytes));
    };
    const auto ring = [&](uint64_t i) { return place(i) + (rings_last ? core::kThreadBytes : 0); };
    const auto is_stack = [&](uint64_t i) {
        return slot(i).state.load(std::memory_order_acquire) == core::SlotState::kMoreStack;
    };
    std::vector<StackRooms> stacks(slots);
    for (uint64_t i = 0; i < slots; ++i)
        stacks[i].Add(slot(i).stack(), core::kThreadBytes - sizeof(core::ThreadSlot));
    for (uint64_t i = 0; i < slots; ++i) {
        if (is_stack(i) && slot(i).owner < slots) stacks[slot(i).owner].Add(place(i), ring_bytes);
    }
    for (uint64_t i = 0; i < slots; ++i) {
        if (is_stack(i)) continue;
        int tries = 0;
        while (tries < kTries && !reader->CopyThread(header, slot(i), ring(i), stacks[i])) ++tries;
    }
    if (definitions_bytes > 0) reader->CopyDefinitions(header, data + sizeof header);
    std::sort(reader->chunks_.begin(), reader->chunks_.end(),
              [](const LiveChunk& a, const LiveChunk& b) {
                  return a.thread != b.thread ? a.thread < b.thread : a.number < b.number;
              });
    return reader;
}

// False: the slot passed to another thread meanwhile, and the records of the first are in the stream.
bool LiveReader::CopyThread(const core::LiveHeader& header, const core::ThreadSlot& slot,
                            const uint8_t* ring, const StackRooms& stack) {
    LiveThread thread;
    thread.state = slot.state.load(std::memory_order_acquire);
    thread.thread = slot.thread;
    thread.tid = slot.tid;
    const uint64_t drained = slot.drained.load(std::memory_order_acquire);
    // Open spans before the chunks: one that ends in between is seen at least once.
    thread.chunk = slot.chunk.load(std::memory_order_acquire);
    if (thread.state == core::SlotState::kActive) thread.open_spans = stack.CopyOpen(slot);
    // Where this reading ends: chunks before this one are complete, and none behind it is taken, since
    // what the thread has added to this one by then would be missing.
    const uint64_t last = slot.chunk.load(std::memory_order_acquire);
    const uint64_t chunks_per_ring = header.chunks_per_ring;
    const uint64_t first =
        std::max(drained, last < chunks_per_ring ? 1 : last - chunks_per_ring + 1);
    std::vector<LiveChunk> chunks;
    // From the newest on: a ring that turns takes the oldest away.
    for (uint64_t number = last; number >= first && number > 0; --number) {
        const uint8_t* chunk_place = ring + number % chunks_per_ring * header.chunk_bytes;
        const auto& chunk = *reinterpret_cast<const core::ChunkHeader*>(chunk_place);
        if (chunk.number.load(std::memory_order_acquire) != number) continue;
        LiveChunk copy;
        copy.number = number;
        copy.thread = chunk.thread;
        const uint64_t used = std::min<uint64_t>(chunk.used.load(std::memory_order_acquire),
                                                 header.chunk_bytes - sizeof chunk);
        const uint8_t* records = chunk_place + sizeof chunk;
        copy.bytes.assign(records, records + used);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (chunk.number.load(std::memory_order_relaxed) != number) continue;
        copy.bytes.resize(WholeRecords(copy.bytes.data(), copy.bytes.size()));
        if (!copy.bytes.empty()) chunks.push_back(std::move(copy));
    }
    thread.recorded = slot.recorded.load(std::memory_order_relaxed);
    thread.lost = slot.lost.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.thread != thread.thread) return false;
    std::move(chunks.begin(), chunks.end(), std::back_inserter(chunks_));
    threads_.push_back(std::move(thread));
    return true;
}

void LiveReader::CopyDefinitions(const core::LiveHeader& header, const uint8_t* region) {
    const uint64_t size = header.definitions_bytes;
    uint64_t begin = 0;
    uint64_t head = 0;
    // They move on between the two looks: the first must not be older than what the region holds.
    for (int i = 0; i < kTries; ++i) {
        begin = header.definitions_drained.load(std::memory_order_acquire);
        head = header.definitions_head.load(std::memory_order_acquire);
        if (head <= begin || head - begin <= size) break;
    }
    definitions_begin_ = begin;
    if (head <= begin || head - begin > size) return;
    definitions_.resize(head - begin);
    const uint64_t from = begin % size;
    const uint64_t first = std::min<uint64_t>(definitions_.size(), size - from);
    std::memcpy(definitions_.data(), region + from, first);
    std::memcpy(definitions_.data() + first, region, definitions_.size() - first);
    std::atomic_thread_fence(std::memory_order_acquire);
    // What was released meanwhile may have been written over; it is in the stream.
    const uint64_t released = header.definitions_drained.load(std::memory_order_relaxed);
    if (released > begin) {
        const uint64_t gone = std::min<uint64_t>(released - begin, definitions_.size());
        definitions_.erase(definitions_.begin(),
                           definitions_.begin() + static_cast<ptrdiff_t>(gone));
        definitions_begin_ = begin + gone;
    }
    definitions_.resize(WholeRecords(definitions_.data(), definitions_.size()));
}

}  // namespace comshu::read
