#include "ring.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

#include "engine_impl.h"
#include "process.h"
#include "record_schema.h"

namespace comshu::rec {
namespace {

using schema::LossReason;

// True: nothing was there before.
bool Lower(std::atomic<uint64_t>* tick, uint64_t to) {
    uint64_t now = tick->load(std::memory_order_relaxed);
    while ((now == 0 || to < now) &&
           !tick->compare_exchange_weak(now, to, std::memory_order_relaxed)) {
    }
    return now == 0;
}

void Lose(Slot* slot, uint32_t records, uint8_t reason, uint64_t first, uint64_t last) {
    if (records == 0) return;
    if (Lower(&slot->gap_begin, first)) slot->gap_reason.store(reason, std::memory_order_relaxed);
    Lower(&slot->report_begin, first);
    slot->gap_end.store(last, std::memory_order_relaxed);
    slot->shared->lost.fetch_add(records, std::memory_order_relaxed);
}

// What a chunk may begin with besides the record that opens it.
constexpr uint32_t kToolBytes = core::RecordBytes(sizeof(schema::Gap)) +
                                core::RecordBytes(sizeof(schema::Pause)) +
                                core::RecordBytes(sizeof(schema::ToolTime));

// On the owning thread.
void ShowRecorded(Slot* slot) {
    const uint64_t overwritten = slot->overwritten.load(std::memory_order_relaxed);
    slot->shared->recorded.store(slot->thread.recorded - overwritten, std::memory_order_relaxed);
}

void CloseChunk(Slot* slot) {
    if (!slot->open) return;
    slot->open = false;
    slot->thread.chunk->closed.store(1, std::memory_order_release);
    ShowRecorded(slot);
    slot->thread.chunk_end = slot->thread.cursor;
}

void OpenChunk(Slot* slot, uint64_t number) {
    core::ChunkHeader* chunk = slot->Chunk(number);
    chunk->used.store(0, std::memory_order_relaxed);
    chunk->closed.store(0, std::memory_order_relaxed);
    chunk->thread = slot->thread.thread;
    chunk->opened = ReadTicks();
    chunk->number.store(number, std::memory_order_release);
    // Whoever copies records of this chunk's next use sees that its number has changed.
    std::atomic_thread_fence(std::memory_order_release);
    slot->shared->chunk.store(number, std::memory_order_release);
    ThreadState& thread = slot->thread;
    thread.chunk = chunk;
    thread.chunk_begin = reinterpret_cast<std::byte*>(chunk + 1);
    thread.cursor = thread.chunk_begin;
    thread.chunk_end = thread.chunk_begin + slot->Capacity();
    slot->open = true;
}

constexpr uint64_t kLookAgainNs = 2'000'000;
// Where nothing may be lost, who waits when recording ends does so until its ring is written for the last
// time: its call is there as one that was open, or ended meanwhile. No longer, as the end may be late.
constexpr int64_t kLastRoomWithinNs = 1'000'000'000;

// False: the drain is at work, or will never be again.
bool WriteOwnPart(Slot* slot) {
    const SlowPath slow;
    Drain& drain = slot->engine->drain();
    if (!drain.lock().TryLock()) return false;
    const bool ended = slot->engine->has_ended();
    if (!ended) drain.WritePart(slot);
    drain.lock().Unlock();
    return !ended;
}

// Waits until there is room, within the limits. Where the drain is not at work at this moment (on a
// busy machine the lowest priority gets little time) the thread writes a part of its ring itself.
void WaitForRoom(Slot* slot, uint64_t number) {
    const Options& options = slot->engine->options();
    Drain& drain = slot->engine->drain();
    const int64_t begin = core::ReadClockNs(CLOCK_MONOTONIC);
    const uint64_t run = static_cast<uint64_t>(begin - slot->engine->start_ns());
    const uint64_t most =
        std::max(uint64_t{options.wait_total_ms} * 1'000'000, run / 100 * options.wait_percent);
    const bool keeps_all = slot->engine->keeps_all();
    if (slot->waited_ns >= most && !keeps_all) return;
    int64_t deadline =
        keeps_all ? std::numeric_limits<int64_t>::max()
                  : begin + static_cast<int64_t>(std::min(uint64_t{options.wait_ms} * 1'000'000,
                                                          most - slot->waited_ns));
    slot->waiting.store(1, std::memory_order_seq_cst);
    int64_t now = begin;
    bool has_ended = false;
    while (!drain.is_failing() && now < deadline) {
        const uint32_t released = slot->released.load(std::memory_order_seq_cst);
        if (slot->IsFree(number)) break;
        if (!has_ended && slot->engine->has_ended()) {
            if (!keeps_all) break;
            has_ended = true;
            deadline = now + kLastRoomWithinNs;
        }
        if (!WriteOwnPart(slot)) {
            FutexWait(&slot->released, released,
                      std::min(kLookAgainNs, static_cast<uint64_t>(deadline - now)));
        }
        now = core::ReadClockNs(CLOCK_MONOTONIC);
    }
    slot->waiting.store(0, std::memory_order_relaxed);
    slot->waited_ns += static_cast<uint64_t>(core::ReadClockNs(CLOCK_MONOTONIC) - begin);
}

// When a record was complete; 0: it has no time.
uint64_t EndTick(const std::byte* record) {
    const core::RecordLayout* layout = RecordSchema().Find(core::ReadPrefix(record).type);
    if (layout == nullptr || layout->head == core::Head::kNone) return 0;
    uint64_t ticks[2];
    std::memcpy(ticks, record + sizeof(core::RecordPrefix), sizeof ticks);
    return layout->head == core::Head::kSpan ? ticks[1] : ticks[0];
}

// What the oldest chunk still holds.
struct Rest {
    const std::byte* records;
    size_t bytes;
};

Rest RestOfOldest(const Slot* slot) {
    const core::ChunkHeader* chunk = slot->Chunk(slot->chunk);
    const uint32_t used = chunk->used.load(std::memory_order_acquire);
    return {Records(chunk) + slot->offset, used - std::min(used, slot->offset)};
}

// Whoever calls these two holds slot->oldest.
void LoseFirst(Slot* slot, size_t bytes) {
    const std::byte* records = RestOfOldest(slot).records;
    uint32_t count = 0;
    uint64_t first = 0;
    uint64_t last = 0;
    for (size_t at = 0; core::IsWholeRecord(records + at, bytes - at);) {
        const core::RecordPrefix prefix = core::ReadPrefix(records + at);
        if (!IsToolRecord(prefix.type)) {
            last = EndTick(records + at);
            if (count++ == 0) first = last;
        }
        at += prefix.bytes;
    }
    slot->engine->providers().Overwriting(slot->thread.thread, records, bytes);
    slot->overwritten.fetch_add(count, std::memory_order_relaxed);
    if (count > 0) Lose(slot, count, static_cast<uint8_t>(LossReason::ring_full), first, last);
    slot->offset += static_cast<uint32_t>(bytes);
}

void LoseOldest(Slot* slot) {
    LoseFirst(slot, RestOfOldest(slot).bytes);
    slot->offset = 0;
    slot->shared->drained.store(++slot->chunk, std::memory_order_release);
}

// Where the oldest call begins that is to be kept, or the last one: what ends with a call lies behind
// it.
size_t BytesBeforeCallAt(const Rest& rest, uint64_t tick) {
    size_t call = 0;
    for (size_t at = 0; core::IsWholeRecord(rest.records + at, rest.bytes - at);) {
        const core::RecordPrefix prefix = core::ReadPrefix(rest.records + at);
        const core::RecordLayout* layout = RecordSchema().Find(prefix.type);
        if (layout != nullptr && layout->head == core::Head::kSpan) call = at;
        if (EndTick(rest.records + at) >= tick) break;
        at += prefix.bytes;
    }
    return call;
}

void OverwriteOldest(Slot* slot) {
    // Held by the drain for as long as it writes that chunk: then what is new is lost instead. Providers
    // tell apart what was lost before the records that it writes and what is lost behind them.
    if (!slot->oldest.TryLock()) {
        if (slot->lost_in_gaps.load(std::memory_order_relaxed) > slot->lost_in_reports)
            ReportLoss(slot);
        return;
    }
    LoseOldest(slot);
    slot->oldest.Unlock();
    ShowRecorded(slot);
}

template <typename Record>
void PutTool(Slot* slot, const Record& record) {
    Publish(&slot->thread, Put(slot->thread.cursor, record), 0);
}

// A loss has ended: its record goes to the ring.
void TellGap(Slot* slot) {
    const uint64_t lost = slot->shared->lost.load(std::memory_order_relaxed);
    const uint64_t told = slot->lost_in_gaps.load(std::memory_order_relaxed);
    if (lost == told) return;
    PutTool(slot, TakeGap(slot, lost - told));
    slot->lost_in_gaps.store(lost, std::memory_order_relaxed);
}

bool IsPaused() {
    return (comshu_recording.load(std::memory_order_relaxed) & kPaused) != 0;
}

void Skip(Slot* slot, uint32_t records) {
    if (ReasonOfPause() == schema::PauseReason::max_size) slot->engine->LeaveOut();
    const uint64_t now = ReadTicks();
    uint64_t none = 0;
    slot->pause_begin.compare_exchange_strong(none, now, std::memory_order_relaxed);
    none = 0;
    slot->report_begin.compare_exchange_strong(none, now, std::memory_order_relaxed);
    slot->skipped.fetch_add(records, std::memory_order_relaxed);
}

// A pause has ended: its record goes to the ring.
void TellPause(Slot* slot) {
    const uint64_t skipped = slot->skipped.load(std::memory_order_relaxed);
    const uint64_t told = slot->skipped_told.load(std::memory_order_relaxed);
    if (skipped == told) {
        slot->pause_begin.store(0, std::memory_order_relaxed);
        return;
    }
    PutTool(slot, TakePause(slot, skipped - told));
    slot->skipped_told.store(skipped, std::memory_order_relaxed);
}

}  // namespace

void LoseOlder(Slot* slot, uint64_t tick) {
    const Locked locked(&slot->oldest);
    const uint64_t last = slot->shared->chunk.load(std::memory_order_acquire);
    // A chunk is opened when the records of the one before have ended.
    while (slot->chunk < last && slot->Chunk(slot->chunk + 1)->opened <= tick) LoseOldest(slot);
    if (slot->chunk > last) return;
    const size_t bytes = BytesBeforeCallAt(RestOfOldest(slot), tick);
    if (bytes > 0) LoseFirst(slot, bytes);
}

void EnterPause(Slot* slot) {
    if (!slot->open) return;
    uint64_t none = 0;
    slot->pause_begin.compare_exchange_strong(none, ReadTicks(), std::memory_order_relaxed);
    CloseChunk(slot);
}

schema::Pause TakePause(Slot* slot, uint64_t skipped) {
    const uint64_t now = ReadTicks();
    const uint64_t begin = slot->pause_begin.exchange(0, std::memory_order_relaxed);
    return schema::Pause(begin == 0 ? now : begin, now, skipped, ReasonOfPause());
}

void ResetSlot(Slot* slot, uint32_t thread, uint32_t tid) {
    core::ThreadSlot* shared = slot->shared;
    for (uint32_t i = 0; i < slot->chunks; ++i) {
        core::ChunkHeader* chunk = slot->Chunk(i);
        chunk->number.store(0, std::memory_order_relaxed);
        chunk->used.store(0, std::memory_order_relaxed);
        chunk->closed.store(0, std::memory_order_relaxed);
    }
    shared->thread = thread;
    shared->tid = tid;
    shared->stack_depth.store(0, std::memory_order_relaxed);
    shared->chunk.store(0, std::memory_order_relaxed);
    shared->recorded.store(0, std::memory_order_relaxed);
    shared->lost.store(0, std::memory_order_relaxed);
    shared->drained.store(1, std::memory_order_relaxed);

    ThreadState& state = slot->thread;
    state.cursor = state.chunk_end = state.chunk_begin = nullptr;
    state.chunk = nullptr;
    state.slot = shared;
    state.next_span = core::SpanId(thread, 1);
    state.thread = thread;
    state.busy = false;
    state.recorded = 0;
    slot->overwritten.store(0, std::memory_order_relaxed);
    slot->open = false;
    slot->gap_begin.store(0, std::memory_order_relaxed);
    slot->lost_in_gaps.store(0, std::memory_order_relaxed);
    slot->report_begin.store(0, std::memory_order_relaxed);
    slot->lost_in_reports = 0;
    slot->skipped.store(0, std::memory_order_relaxed);
    slot->skipped_told.store(0, std::memory_order_relaxed);
    slot->pause_begin.store(0, std::memory_order_relaxed);
    slot->skipped_in_reports = 0;
    slot->waited_ns = 0;
    slot->stacks.reset();
    slot->retired = 0;
    slot->exit_rounds = 0;
    slot->waited_ticks.store(0, std::memory_order_relaxed);
    slot->chunk = 1;
    slot->offset = 0;
    slot->written = slot->reported_lost = 0;
    shared->state.store(core::SlotState::kActive, std::memory_order_release);
}

void CountLost(Slot* slot, uint32_t records, uint8_t reason) {
    const uint64_t now = ReadTicks();
    Lose(slot, records, reason, now, now);
    if (reason == static_cast<uint8_t>(LossReason::write_failed)) {
        slot->engine->live().header()->write_lost.fetch_add(records, std::memory_order_relaxed);
    }
}

schema::Gap TakeGap(Slot* slot, uint64_t lost) {
    uint64_t begin = slot->gap_begin.exchange(0, std::memory_order_relaxed);
    if (begin == 0) begin = ReadTicks();
    const uint64_t end = slot->gap_end.load(std::memory_order_relaxed);
    return schema::Gap(begin, end < begin ? begin : end, lost,
                       static_cast<LossReason>(slot->gap_reason.load(std::memory_order_relaxed)));
}

void ReportLoss(Slot* slot) {
    const uint64_t lost = slot->shared->lost.load(std::memory_order_relaxed);
    const uint64_t skipped = slot->skipped.load(std::memory_order_relaxed);
    if (lost == slot->lost_in_reports && skipped == slot->skipped_in_reports) return;
    slot->lost_in_reports = lost;
    slot->skipped_in_reports = skipped;
    const uint64_t now = ReadTicks();
    const uint64_t begin = slot->report_begin.exchange(0, std::memory_order_relaxed);
    slot->engine->providers().ReportLoss(slot->thread.thread, begin == 0 ? now : begin, now);
}

std::byte* MakeRoom(Slot* slot, uint32_t bytes, uint32_t records) {
    if (bytes > slot->Capacity()) {
        CountLost(slot, records, static_cast<uint8_t>(LossReason::ring_full));
        return nullptr;
    }
    CloseChunk(slot);
    if (IsPaused()) {
        Skip(slot, records);
        return nullptr;
    }
    const uint64_t number = slot->shared->chunk.load(std::memory_order_relaxed) + 1;
    Engine& engine = *slot->engine;
    uint64_t waited_from = 0;
    if (!slot->IsFree(number)) {
        switch (engine.options().on_full) {
            case OnFull::kWait:
                if (!engine.drain().is_failing()) {
                    waited_from = ReadTicks();
                    WaitForRoom(slot, number);
                }
                break;
            case OnFull::kDrop:
                engine.WakeDrain();
                break;
            case OnFull::kNewest:
                OverwriteOldest(slot);
                break;
        }
        if (!slot->IsFree(number)) {
            CountLost(slot, records,
                      static_cast<uint8_t>(engine.drain().is_failing() ? LossReason::write_failed
                                                                       : LossReason::ring_full));
            return nullptr;
        }
    } else if (engine.options().on_full != OnFull::kNewest &&
               slot->PendingChunks() * 4 >= slot->chunks) {
        engine.WakeDrain();
    }
    OpenChunk(slot, number);
    if (engine.options().on_full != OnFull::kNewest) {
        ReportLoss(slot);
        TellGap(slot);
    } else if (slot->lost_in_gaps.load(std::memory_order_relaxed) > slot->lost_in_reports ||
               slot->skipped.load(std::memory_order_relaxed) > slot->skipped_in_reports) {
        // A flush has told of losses: while the ring only turns, nothing is written.
        ReportLoss(slot);
    }
    TellPause(slot);
    if (waited_from != 0) {
        const uint64_t now = ReadTicks();
        slot->waited_ticks.fetch_add(now - waited_from, std::memory_order_relaxed);
        PutTool(slot, schema::ToolTime(waited_from, now, InnermostSpan(&slot->thread)));
    }
    const auto left = static_cast<uint32_t>(slot->thread.chunk_end - slot->thread.cursor);
    if (left >= bytes) return slot->thread.cursor;
    // A chunk so small, or a call so large, that it does not fit beside the gap before it.
    static_assert(kToolBytes < 128);
    return MakeRoom(slot, bytes, records);
}

namespace {

schema::SpanHead HeadOf(const core::SpanEntry& entry) {
    schema::SpanHead head;
    std::memcpy(static_cast<void*>(&head), entry.image + sizeof(core::RecordPrefix), sizeof head);
    return head;
}

}  // namespace

void CloseAbove(Slot* slot, uint32_t depth) {
    core::ThreadSlot* shared = slot->shared;
    uint32_t open = shared->stack_depth.load(std::memory_order_relaxed);
    // What is left open inside a call whose end has been stamped ended with it, not now.
    const uint64_t outer_end = depth > 0 ? HeadOf(shared->stack()[depth - 1]).end() : 0;
    const uint64_t end = outer_end != 0 ? outer_end : ReadTicks();
    while (open > depth) {
        core::SpanEntry& entry = shared->stack()[--open];
        const uint32_t bytes = core::ReadPrefix(entry.image).bytes;
        schema::SpanHead head = HeadOf(entry);
        if (head.end() == 0) head.mutate_end(std::max(head.begin(), end));
        head.mutate_flags(
            static_cast<schema::SpanFlags>(static_cast<uint32_t>(head.flags()) |
                                           static_cast<uint32_t>(schema::SpanFlags::unwound)));
        std::memcpy(entry.image + sizeof(core::RecordPrefix), static_cast<const void*>(&head),
                    sizeof head);
        std::byte* at = Reserve(&slot->thread, bytes, 1);
        if (at != nullptr) {
            std::memcpy(at, entry.image, bytes);
            Publish(&slot->thread, at + bytes, 1);
        }
        shared->stack_depth.store(open, std::memory_order_release);
    }
}

void Retire(Slot* slot) {
    slot->thread.busy = true;
    CloseAbove(slot, 0);
    CloseChunk(slot);
    ReportLoss(slot);
    slot->retired = ReadTicks();
    slot->shared->state.store(core::SlotState::kDead, std::memory_order_release);
}

extern "C" {

std::byte* comshu_rec_make_room(ThreadState* thread, uint32_t bytes, uint32_t records) {
    const int saved = errno;
    std::byte* at = MakeRoom(SlotOf(thread), bytes, records);
    if (at == nullptr && SlotOf(thread)->engine->keeps_all() && !IsPaused()) GiveUp();
    errno = saved;
    return at;
}

ThreadState* comshu_rec_paused(void) {
    ThreadState* thread = comshu_thread;
    if (thread == nullptr) return comshu_rec_attach();
    if (!thread->busy) {
        Enter(thread);
        EnterPause(SlotOf(thread));
        Leave(thread);
    }
    return thread;
}

void comshu_rec_unwind(ThreadState* thread, uint64_t frame) {
    const int saved = errno;
    Unwind(SlotOf(thread), frame);
    errno = saved;
}

void comshu_rec_close_above(ThreadState* thread, uint32_t depth) {
    const int saved = errno;
    CloseAbove(SlotOf(thread), depth);
    errno = saved;
}

bool comshu_rec_grow_stack(ThreadState* thread) {
    Slot* slot = SlotOf(thread);
    const SlowPath slow;
    return slot->engine->GrowStack(slot);
}

void comshu_rec_count_lost(ThreadState* thread, uint32_t records, uint8_t reason) {
    CountLost(SlotOf(thread), records, reason);
}
}

}  // namespace comshu::rec
