#include "live_writer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "comshu/core/live_layout.h"

namespace comshu::read::testing {
namespace {

constexpr uint32_t kDefinitionsBytes = 8192;
constexpr uint32_t kChunkBytes = 4096;
constexpr uint32_t kChunks = 4;
constexpr uint32_t kRingBytes = kChunks * kChunkBytes;
constexpr uint32_t kSlotBytes = kRingBytes + core::kThreadBytes;
constexpr uint32_t kOwnStackBytes = core::kThreadBytes - sizeof(core::ThreadSlot);

// Slots that a stack needs besides its own.
uint32_t MoreSlots(size_t entries) {
    const size_t bytes = entries * sizeof(core::SpanEntry);
    if (bytes <= kOwnStackBytes) return 0;
    return static_cast<uint32_t>((bytes - kOwnStackBytes + kRingBytes - 1) / kRingBytes);
}

}  // namespace

void LiveWriter::AddChunk(uint32_t thread, uint64_t number,
                          const std::function<void(std::vector<std::byte>*)>& append) {
    append(&threads_[thread].chunks[number]);
}

std::vector<std::byte> LiveWriter::Bytes() const {
    const size_t slots_offset = sizeof(core::LiveHeader) + kDefinitionsBytes;
    auto slots = static_cast<uint32_t>(threads_.size());
    for (const auto& [number, thread] : threads_) slots += MoreSlots(thread.stack.size());
    const size_t bytes = slots_offset + size_t{slots} * kSlotBytes;
    // As mapped memory is aligned, which the layout relies on.
    const std::unique_ptr<std::byte, decltype(&std::free)> memory(
        static_cast<std::byte*>(std::aligned_alloc(alignof(core::LiveHeader), bytes)), &std::free);
    if (memory == nullptr) throw std::bad_alloc();
    std::byte* const file = memory.get();
    std::memset(file, 0, bytes);
    auto& header = *reinterpret_cast<core::LiveHeader*>(file);
    header.magic = core::kLiveMagic;
    header.version = core::kLiveVersion;
    header.pid = pid_;
    header.start_time = start_time_;
    header.definitions_bytes = kDefinitionsBytes;
    header.slot_bytes = kSlotBytes;
    header.chunk_bytes = kChunkBytes;
    header.chunks_per_ring = kChunks;
    header.slots_offset = slots_offset;
    header.slots = slots;
    header.last_alive = last_alive_;
    header.definitions_drained = definitions_begin_;
    header.definitions_head = definitions_begin_ + definitions_.size();
    for (size_t i = 0; i < definitions_.size(); ++i)
        file[sizeof header + (definitions_begin_ + i) % kDefinitionsBytes] = definitions_[i];
    std::byte* place = file + slots_offset;
    std::byte* more_place = place + threads_.size() * kSlotBytes;
    uint32_t index = 0;
    for (const auto& [number, thread] : threads_) {
        auto& slot = *reinterpret_cast<core::ThreadSlot*>(place + kRingBytes);
        slot.state = core::SlotState::kActive;
        slot.thread = number;
        slot.tid = pid_ + number;
        slot.drained = 1;
        slot.stack_depth = static_cast<uint32_t>(thread.stack.size());
        std::vector<std::byte> stack(kOwnStackBytes + MoreSlots(thread.stack.size()) * kRingBytes);
        for (size_t i = 0; i < thread.stack.size(); ++i)
            std::copy(thread.stack[i].begin(), thread.stack[i].end(),
                      stack.begin() + static_cast<ptrdiff_t>(i * sizeof(core::SpanEntry)));
        std::memcpy(static_cast<void*>(slot.stack()), stack.data(), kOwnStackBytes);
        for (size_t at = kOwnStackBytes; at < stack.size(); at += kRingBytes) {
            std::memcpy(more_place, stack.data() + at, kRingBytes);
            auto& more = *reinterpret_cast<core::ThreadSlot*>(more_place + kRingBytes);
            more.state = core::SlotState::kMoreStack;
            more.owner = index;
            more_place += kSlotBytes;
        }
        for (const auto& [chunk_number, records] : thread.chunks) {
            std::byte* at = place + chunk_number % kChunks * kChunkBytes;
            auto& chunk = *reinterpret_cast<core::ChunkHeader*>(at);
            if (records.size() > kChunkBytes - sizeof chunk) throw std::length_error("chunk");
            chunk.number = chunk_number;
            chunk.thread = number;
            chunk.used = static_cast<uint32_t>(records.size());
            std::copy(records.begin(), records.end(), at + sizeof chunk);
            slot.chunk = chunk_number;
        }
        place += kSlotBytes;
        ++index;
    }
    return {file, file + bytes};
}

void LiveWriter::Write() const {
    const std::vector<std::byte> file = Bytes();
    std::FILE* out = std::fopen(path_.c_str(), "wb");
    if (out == nullptr) throw std::runtime_error("cannot write " + path_);
    std::fwrite(file.data(), 1, file.size(), out);
    std::fclose(out);
}

}  // namespace comshu::read::testing
