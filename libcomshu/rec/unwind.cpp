// Which open calls were left without an end.
#include <csignal>

#include "ring.h"

namespace comshu::rec {
namespace {

enum class Place { kOwnStack, kSignalStack, kElsewhere };

// Frames of one fiber lie closer together than this.
constexpr uint64_t kFiberBytes = 256 * 1024;

bool IsGone(Place top, uint64_t top_frame, Place now, uint64_t frame, bool on_signal_stack) {
    if (top == now) {
        if (top == Place::kElsewhere && frame - top_frame >= kFiberBytes) return false;
        return top_frame <= frame;
    }
    // A handler whose stack is not in use any more has been left. A fiber may come back.
    return top == Place::kSignalStack && !on_signal_stack;
}

}  // namespace

void Unwind(Slot* slot, uint64_t frame) {
    core::ThreadSlot* shared = slot->shared;
    stack_t signal_stack{};
    sigaltstack(nullptr, &signal_stack);
    const auto signal_low = reinterpret_cast<uint64_t>(signal_stack.ss_sp);
    const auto place = [&](uint64_t address) {
        if (slot->stack_high == 0) return Place::kOwnStack;
        if (address >= slot->stack_low && address < slot->stack_high) return Place::kOwnStack;
        if (signal_stack.ss_flags != SS_DISABLE && address - signal_low < signal_stack.ss_size) {
            return Place::kSignalStack;
        }
        return Place::kElsewhere;
    };
    const bool on_signal_stack = (signal_stack.ss_flags & SS_ONSTACK) != 0;
    uint32_t depth = shared->stack_depth.load(std::memory_order_relaxed);
    const Place now = place(frame);
    while (depth > 0) {
        const uint64_t top = shared->stack()[depth - 1].frame;
        if (!IsGone(place(top), top, now, frame, on_signal_stack)) break;
        --depth;
    }
    CloseAbove(slot, depth);
}

}  // namespace comshu::rec
