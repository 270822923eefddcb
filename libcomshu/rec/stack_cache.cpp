#include "stack_cache.h"

#include <cstring>

#include <unwind.h>

#include "comshu/rec/engine.h"
#include "comshu/rec/options.h"
#include "engine_impl.h"
#include "slot.h"

namespace comshu::rec {
namespace {

// Frames of the tool between the unwinder and the caller; more are none of ours.
constexpr uint32_t kMostOwnFrames = 24;

struct FrameWalk {
    uint64_t caller;
    uint32_t most;
    uint32_t own_frames = 0;
    bool found = false;
    std::vector<uint64_t>* addresses;
    std::vector<uint64_t>* places;
};

// The unwinder's frame address at a frame is that of the frame it called, above which the return
// address was pushed.
_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* data) {
    auto* walk = static_cast<FrameWalk*>(data);
    const uint64_t address = _Unwind_GetIP(context);
    if (address == 0) return _URC_END_OF_STACK;
    if (!walk->found) {
        walk->found = address == walk->caller;
        if (!walk->found)
            return ++walk->own_frames > kMostOwnFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
    walk->addresses->push_back(address);
#if defined(__x86_64__)
    walk->places->push_back(_Unwind_GetCFA(context) - sizeof(uint64_t));
#else
    walk->places->push_back(0);
#endif
    return walk->addresses->size() == walk->most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

uint64_t Load(uint64_t place) {
    uint64_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof value);
    return value;
}

}  // namespace

StackCache::StackCache(uint32_t depth, uint64_t low, uint64_t high)
    : depth_(depth), low_(low), high_(high), entries_(kEntries), steps_(kEntries * depth) {}

bool StackCache::Unwind(uint64_t caller, Entry* entry, Step* steps) {
    addresses_.clear();
    std::vector<uint64_t> places;
    FrameWalk walk{.caller = caller, .most = depth_, .addresses = &addresses_, .places = &places};
    _Unwind_Backtrace(&OnFrame, &walk);
    // Who called without a frame of its own is known all the same.
    if (addresses_.empty()) {
        addresses_.push_back(caller);
        return false;
    }
    for (size_t i = 0; i < addresses_.size(); ++i) {
        const bool on_stack = places[i] >= low_ && places[i] + sizeof(uint64_t) <= high_;
        if (!on_stack || Load(places[i]) != addresses_[i]) return false;
        steps[i] = {places[i], addresses_[i]};
    }
    entry->steps = static_cast<uint32_t>(addresses_.size());
    return true;
}

uint64_t StackCache::Find(uint64_t caller, uint64_t frame) {
    const size_t index = (caller * 0x9e3779b97f4a7c15 ^ frame * 0xff51afd7ed558ccd) >> 56;
    static_assert(kEntries == 1u << 8);
    Entry& entry = entries_[index];
    Step* const steps = &steps_[index * depth_];
    if (entry.caller == caller && entry.frame == frame) {
        uint32_t same = 0;
        while (same < entry.steps && Load(steps[same].place) == steps[same].address) ++same;
        if (same == entry.steps) return entry.id;
    }
    const SlowPath slow;
    entry.caller = 0;
    const bool keep = Unwind(caller, &entry, steps);
    const uint64_t id =
        comshu_engine_intern(static_cast<uint8_t>(schema::ArtifactKind::call_stack),
                             addresses_.data(), addresses_.size() * sizeof(uint64_t));
    if (keep) {
        entry.caller = caller;
        entry.frame = frame;
        entry.id = id;
    }
    return id;
}

extern "C" void comshu_rec_stack(ThreadState* thread, const core::SpanEntry* entry,
                                 uint64_t caller) {
    if ((comshu_recording.load(std::memory_order_relaxed) & kPaused) != 0) return;
    Slot* slot = SlotOf(thread);
    if (slot->stacks == nullptr) {
        const SlowPath slow;
        slot->stacks = std::make_unique<StackCache>(slot->engine->options().stacks, slot->stack_low,
                                                    slot->stack_high);
    }
    uint64_t span;
    std::memcpy(&span, entry->image + sizeof(core::RecordPrefix) + 16, sizeof span);
    const uint64_t id = slot->stacks->Find(caller, entry->frame);
    constexpr uint32_t kBytes = core::RecordBytes(sizeof(schema::CallStack));
    std::byte* at = Reserve(thread, kBytes, 0);
    if (at == nullptr) return;
    Publish(thread, Put(at, schema::CallStack(schema::EventHead(ReadTicks(), span), id)), 0);
}

}  // namespace comshu::rec
