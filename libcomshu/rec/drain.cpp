#include "drain.h"

#include <algorithm>
#include <cstring>

#include "engine_impl.h"
#include "process.h"
#include "record_schema.h"
#include "ring.h"

namespace comshu::rec {
namespace {

constexpr uint32_t kBlocksPerRing = 4;

// After so many blocks the way not taken is measured again.
constexpr uint32_t kMeasureAgain = 64;

// Encoding keeps up with a thread that takes so many times longer to record than encoding takes.
constexpr double kKeepsUp = 2;

// Enough chunks are full to be worth a block. A thread in its first call has none at all yet.
bool IsFilling(const Slot& slot) {
    const uint64_t pending = slot.PendingChunks();
    return pending > 1 && (pending - 1) * kBlocksPerRing >= slot.chunks;
}

// The ends of a run of records, found by walking it.
struct Run {
    uint32_t records = 0;
    uint32_t counted = 0;  // Without the engine's own.
    uint64_t first_tick = 0;
    uint64_t last_tick = 0;
};

Run Walk(const core::Schema& schema, const std::byte* records, size_t bytes) {
    Run run;
    bool timed = false;
    for (size_t at = 0; core::IsWholeRecord(records + at, bytes - at);) {
        const core::RecordPrefix prefix = core::ReadPrefix(records + at);
        ++run.records;
        if (!IsToolRecord(prefix.type)) ++run.counted;
        const core::RecordLayout* layout = schema.Find(prefix.type);
        if (layout != nullptr && layout->head != core::Head::kNone) {
            uint64_t ticks[2];
            std::memcpy(ticks, records + at + sizeof prefix, sizeof ticks);
            if (layout->head == core::Head::kInstant || ticks[1] == 0) ticks[1] = ticks[0];
            run.first_tick = timed ? std::min(run.first_tick, ticks[0]) : ticks[0];
            run.last_tick = timed ? std::max(run.last_tick, ticks[1]) : ticks[1];
            timed = true;
        }
        at += prefix.bytes;
    }
    return run;
}

// Copies what another thread may be writing: what is torn is found by its span id.
#if defined(__GNUC__)
__attribute__((no_sanitize("thread"), noinline))
#endif
void CopyEntries(const core::SpanEntry* shared, core::SpanEntry* out, size_t entries) {
    const auto* from = reinterpret_cast<const volatile uint64_t*>(shared);
    auto* to = reinterpret_cast<uint64_t*>(out);
    for (size_t i = 0; i < entries * sizeof(core::SpanEntry) / 8; ++i) to[i] = from[i];
}

std::vector<core::SpanEntry> CopyStack(const core::ThreadSlot* shared) {
    std::vector<core::SpanEntry> entries(shared->stack_depth.load(std::memory_order_acquire));
    CopyEntries(shared->stack(), entries.data(), entries.size());
    return entries;
}

uint64_t SpanOf(const core::SpanEntry& entry) {
    uint64_t span;
    std::memcpy(&span, entry.image + sizeof(core::RecordPrefix) + 16, sizeof span);
    return span;
}

// Appends a gap record for what was lost since the last one; false: nothing was.
bool AppendGap(Slot* slot, std::vector<std::byte>* records) {
    const uint64_t lost = slot->shared->lost.load(std::memory_order_relaxed);
    const uint64_t told = slot->lost_in_gaps.load(std::memory_order_relaxed);
    if (lost == told) return false;
    const schema::Gap gap = TakeGap(slot, lost - told);
    slot->lost_in_gaps.store(lost, std::memory_order_relaxed);
    const size_t at = records->size();
    records->resize(at + core::RecordBytes(sizeof gap));
    Put(records->data() + at, gap);
    return true;
}

// The same for a pause that has not ended.
bool AppendPause(Slot* slot, std::vector<std::byte>* records) {
    const uint64_t skipped = slot->skipped.load(std::memory_order_relaxed);
    const uint64_t told = slot->skipped_told.load(std::memory_order_relaxed);
    if (skipped == told) return false;
    const schema::Pause pause = TakePause(slot, skipped - told);
    slot->skipped_told.store(skipped, std::memory_order_relaxed);
    const size_t at = records->size();
    records->resize(at + core::RecordBytes(sizeof pause));
    Put(records->data() + at, pause);
    return true;
}

}  // namespace

void Drain::Speed::Measured(int64_t ns, uint64_t bytes) {
    if (bytes == 0) return;
    const double now = static_cast<double>(ns) / static_cast<double>(bytes);
    ns_per_byte = ns_per_byte == 0 ? now : ns_per_byte * 0.75 + now * 0.25;
    best = best == 0 ? now : std::min(best, now);
    age = 0;
}

Drain::Drain(Engine* engine) : engine_(*engine), encoder_(RecordSchema()) {}

int Drain::TakeWriteError() {
    const int error = write_error_;
    write_error_ = 0;
    return error;
}

bool Drain::HasWork() const {
    if (engine_.options().on_full == OnFull::kNewest) return false;
    for (const Slot* slot = engine_.first_slot(); slot != nullptr; slot = slot->next) {
        if (slot->shared->state.load(std::memory_order_acquire) != core::SlotState::kFree &&
            IsFilling(*slot)) {
            return true;
        }
    }
    return false;
}

void Drain::Pass(bool everything) {
    for (Slot* slot = engine_.first_slot(); slot != nullptr; slot = slot->next) {
        Look(slot, everything);
    }
    if (everything) engine_.definitions().Write();
}

void Drain::Look(Slot* slot, bool everything, Pace pace) {
    const auto state = slot->shared->state.load(std::memory_order_acquire);
    if (state == core::SlotState::kFree) return;
    if (everything || (engine_.options().on_full != OnFull::kNewest && IsFilling(*slot)))
        DrainSlot(slot, pace);
}

bool Drain::DrainSlot(Slot* slot, Pace pace) {
    if (engine_.options().on_full != OnFull::kNewest) return WriteBlocks(slot, pace);
    const Locked locked(&slot->oldest);
    std::vector<std::byte> gap;
    if (AppendGap(slot, &gap)) WriteExtra(slot, gap, 1, 0);
    return WriteBlocks(slot, pace);
}

// The next records that are published and not written: in one chunk, from `offset` to `used`.
bool Drain::FindExtent(const Slot* slot, uint64_t* chunk, uint32_t* offset, uint32_t* used) const {
    const uint64_t last = slot->shared->chunk.load(std::memory_order_acquire);
    while (*chunk <= last) {
        const core::ChunkHeader* header = slot->Chunk(*chunk);
        const bool closed = *chunk < last || header->closed.load(std::memory_order_acquire) != 0;
        *used = header->used.load(std::memory_order_acquire);
        if (*offset < *used) return true;
        if (!closed) return false;
        ++*chunk;
        *offset = 0;
    }
    return false;
}

// Up to what is published now: a thread that records all the time must not hold the drain for ever.
bool Drain::WriteBlocks(Slot* slot, Pace pace) {
    const uint64_t last = slot->shared->chunk.load(std::memory_order_acquire);
    const uint32_t last_used =
        last == 0 ? 0 : slot->Chunk(last)->used.load(std::memory_order_acquire);
    SeeRate(slot, last, last_used);
    const auto is_left = [&] {
        return slot->chunk < last || (slot->chunk == last && slot->offset < last_used);
    };
    while (is_left() && WriteBlock(slot)) {
        if (pace == Pace::kHandsOver && lock_.IsWanted()) break;
    }
    ReleaseWritten(slot);
    return !is_left();
}

bool Drain::WriteBlock(Slot* slot) {
    if (ChooseRaw(slot)) return WriteRaw(slot);
    bool refused = false;
    return WriteEncoded(slot, &refused) || (refused && WriteRaw(slot));
}

void Drain::WritePart(Slot* slot) {
    const uint64_t last = slot->shared->chunk.load(std::memory_order_acquire);
    if (last != 0) SeeRate(slot, last, slot->Chunk(last)->used.load(std::memory_order_acquire));
    WriteBlock(slot);
    ReleaseWritten(slot);
}

// A chunk that is closed and written to its end is free before the next one is begun.
void Drain::ReleaseWritten(Slot* slot) {
    uint64_t chunk = slot->chunk;
    uint32_t offset = slot->offset;
    uint32_t used;
    FindExtent(slot, &chunk, &offset, &used);
    Advance(slot, chunk, offset);
}

void Drain::SeeRate(Slot* slot, uint64_t chunk, uint32_t used) {
    const int64_t now = core::ReadClockNs(CLOCK_MONOTONIC);
    const uint64_t bytes = chunk * slot->Capacity() + used;
    if (bytes == slot->seen_bytes) return;
    slot->ns_per_byte =
        static_cast<double>(now - slot->seen_ns) / static_cast<double>(bytes - slot->seen_bytes);
    slot->seen_ns = now;
    slot->seen_bytes = bytes;
}

bool Drain::ChooseRaw(const Slot* slot) const {
    switch (engine_.options().writing) {
        case Writing::kEncoded:
            return false;
        case Writing::kRaw:
            return true;
        case Writing::kFaster:
            break;
    }
    if (slot->PendingChunks() * 2 <= slot->chunks) return false;
    if (encoded_.ns_per_byte == 0) return false;
    // A drain that came late, since others had the CPU, is not one that cannot keep up: raw blocks are
    // several times larger.
    if (slot->ns_per_byte > kKeepsUp * encoded_.best) return false;
    if (raw_.ns_per_byte == 0 || raw_.age > kMeasureAgain) return true;
    if (encoded_.age > kMeasureAgain) return false;
    return raw_.ns_per_byte < encoded_.ns_per_byte;
}

bool Drain::WriteEncoded(Slot* slot, bool* refused) {
    const int64_t start = core::ReadClockNs(CLOCK_MONOTONIC);
    core::FrameHeader header;
    uint64_t chunk = slot->chunk;
    uint32_t offset = slot->offset;
    uint32_t used = 0;
    uint64_t bytes = 0;
    *refused = false;
    encoder_.Begin(slot->thread.thread);
    // Part of the ring at a time, so that the thread gets room while the rest is written.
    const uint64_t most = uint64_t{slot->chunk_bytes} * slot->chunks / kBlocksPerRing;
    while ((bytes == 0 || bytes < most) && FindExtent(slot, &chunk, &offset, &used)) {
        if (bytes == 0) {
            header.first_chunk = chunk;
            header.first_offset = offset;
        }
        const size_t taken = encoder_.Add(Records(slot->Chunk(chunk)) + offset, used - offset,
                                          engine_.options().block_records, refused);
        offset += static_cast<uint32_t>(taken);
        bytes += taken;
        if (offset < used) break;
    }
    if (encoder_.records() == 0) return false;
    header.last_chunk = chunk;
    header.last_offset = offset;
    encoder_.Finish(&header, &payload_);
    const uint32_t records = encoder_.records();
    if (!Append(slot, &header, payload_.data(), payload_.size(),
                records - encoder_.tool_records())) {
        *refused = false;
        return false;
    }
    Advance(slot, chunk, offset);
    ++raw_.age;
    encoded_.Measured(core::ReadClockNs(CLOCK_MONOTONIC) - start, bytes);
    return true;
}

bool Drain::WriteRaw(Slot* slot) {
    const int64_t start = core::ReadClockNs(CLOCK_MONOTONIC);
    uint64_t chunk = slot->chunk;
    uint32_t offset = slot->offset;
    uint32_t used = 0;
    if (!FindExtent(slot, &chunk, &offset, &used)) return false;
    const std::byte* records = Records(slot->Chunk(chunk)) + offset;
    const Run run = Walk(RecordSchema(), records, used - offset);
    core::FrameHeader header;
    header.thread = slot->thread.thread;
    header.record_count = run.records;
    header.first_tick = run.first_tick;
    header.last_tick = run.last_tick;
    header.first_chunk = header.last_chunk = chunk;
    header.first_offset = offset;
    header.last_offset = used;
    if (!Append(slot, &header, records, used - offset, run.counted)) return false;
    Advance(slot, chunk, used);
    ++encoded_.age;
    raw_.Measured(core::ReadClockNs(CLOCK_MONOTONIC) - start, used - offset);
    return true;
}

bool Drain::Append(Slot* slot, core::FrameHeader* header, const void* payload, size_t bytes,
                   uint32_t records) {
    const uint64_t lost = slot->shared->lost.load(std::memory_order_relaxed);
    header->lost = static_cast<uint32_t>(lost - slot->reported_lost);
    // What the records refer to was defined before they were published.
    const bool written =
        engine_.definitions().Write() && engine_.stream().Append(header, payload, bytes);
    failing_.store(!written, std::memory_order_relaxed);
    if (!written) {
        if (write_error_ == 0) write_error_ = engine_.stream().error();
        return false;
    }
    const uint64_t most = engine_.options().largest_stream;
    if (most != 0 && engine_.stream().bytes() >= most) Pause(schema::PauseReason::max_size);
    slot->written += records;
    slot->reported_lost = lost;
    return true;
}

void Drain::Advance(Slot* slot, uint64_t chunk, uint32_t offset) {
    slot->chunk = chunk;
    slot->offset = offset;
    if (slot->shared->drained.load(std::memory_order_relaxed) == chunk) return;
    slot->shared->drained.store(chunk, std::memory_order_release);
    slot->released.fetch_add(1, std::memory_order_seq_cst);
    if (slot->waiting.load(std::memory_order_seq_cst) != 0) FutexWakeAll(&slot->released);
}

bool Drain::WriteExtra(Slot* slot, const std::vector<std::byte>& records, uint32_t count,
                       uint16_t flags) {
    core::FrameHeader header;
    header.flags = flags;
    const Run run = Walk(RecordSchema(), records.data(), records.size());
    header.thread = slot->thread.thread;
    header.record_count = count;
    header.first_tick = run.first_tick;
    header.last_tick = run.last_tick;
    // It covers nothing of the ring.
    header.first_chunk = header.last_chunk = slot->chunk;
    header.first_offset = header.last_offset = slot->offset;
    return Append(slot, &header, records.data(), records.size(), 0);
}

// Calls among the last records that were written, in order: the thread of one of them may be between
// publishing it and closing the call.
std::vector<uint64_t> Drain::LastWritten(const Slot* slot) const {
    std::vector<uint64_t> spans;
    for (uint64_t chunk = slot->chunk > 1 ? slot->chunk - 1 : 1; chunk <= slot->chunk; ++chunk) {
        const core::ChunkHeader* header = slot->Chunk(chunk);
        if (header->number.load(std::memory_order_acquire) != chunk) continue;
        const size_t bytes =
            chunk == slot->chunk ? slot->offset : header->used.load(std::memory_order_acquire);
        const std::byte* records = Records(header);
        for (size_t at = 0; core::IsWholeRecord(records + at, bytes - at);) {
            const core::RecordPrefix prefix = core::ReadPrefix(records + at);
            const core::RecordLayout* layout = RecordSchema().Find(prefix.type);
            if (layout != nullptr && layout->head == core::Head::kSpan) {
                schema::SpanHead head;
                std::memcpy(static_cast<void*>(&head), records + at + sizeof prefix, sizeof head);
                spans.push_back(head.span());
            }
            at += prefix.bytes;
        }
    }
    std::sort(spans.begin(), spans.end());
    return spans;
}

uint64_t Drain::Unwritten(const Slot* slot) const {
    uint64_t records = 0;
    uint64_t chunk = slot->chunk;
    uint32_t offset = slot->offset;
    for (uint32_t used; FindExtent(slot, &chunk, &offset, &used); offset = used) {
        records +=
            Walk(core::Schema::BuiltIn(), Records(slot->Chunk(chunk)) + offset, used - offset)
                .counted;
    }
    return records;
}

bool Drain::Finish(Slot* slot) {
    const bool runs =
        slot->shared->state.load(std::memory_order_acquire) == core::SlotState::kActive;
    std::vector<core::SpanEntry> open;
    std::vector<core::SpanEntry> now;
    if (runs) open = CopyStack(slot->shared);
    bool all_written = DrainSlot(slot);
    if (runs) now = CopyStack(slot->shared);
    const auto is_open = [&](size_t i) {
        return i < now.size() && SpanOf(open[i]) == SpanOf(now[i]);
    };
    bool ended_meanwhile = false;
    for (size_t i = 0; i < open.size(); ++i) ended_meanwhile = ended_meanwhile || !is_open(i);
    if (ended_meanwhile) all_written = DrainSlot(slot);
    if (!all_written) return false;
    std::vector<std::byte> records;
    std::vector<uint64_t> written;
    if (!open.empty()) written = LastWritten(slot);
    uint32_t count = 0;
    for (size_t i = 0; i < open.size(); ++i) {
        const std::byte* image = open[i].image;
        const uint32_t bytes = core::ReadPrefix(image).bytes;
        if (!is_open(i) || bytes > core::kSpanImageBytes) continue;
        if (std::binary_search(written.begin(), written.end(), SpanOf(open[i]))) continue;
        records.insert(records.end(), image, image + bytes);
        // A call that is between its stop and its end has no end either.
        std::memset(records.data() + records.size() - bytes + sizeof(core::RecordPrefix) + 8, 0, 8);
        ++count;
    }
    if (AppendGap(slot, &records)) ++count;
    if (AppendPause(slot, &records)) ++count;
    return count == 0 || WriteExtra(slot, records, count, core::kThreadEnded);
}

}  // namespace comshu::rec
