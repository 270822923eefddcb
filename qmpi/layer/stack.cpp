#include "layer/stack.h"

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "layer/caller.h"

namespace qmpi {

namespace {

struct Bounds {
    uintptr_t low, high;
};

const Bounds& StackBounds() {
    static __thread Bounds bounds;
    pthread_attr_t attributes;
    if (bounds.high == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* low = nullptr;
        size_t size = 0;
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        bounds = {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
    }
    return bounds;
}

// A frame as frame pointers see it.
struct Frame {
    const Frame* caller;
    void* return_address;
};

bool IsInside(const Frame* frame, uintptr_t above, uintptr_t high) {
    const auto at = reinterpret_cast<uintptr_t>(frame);
    return at > above && at % sizeof(void*) == 0 && at <= high - sizeof(Frame);
}

// The frame of the function that made the call, which pushed its return address a little above the
// wrapper's call record; for a Fortran routine the thunk kept it.
const Frame* CallersFrame(const QMPI_Call* call, uintptr_t above, uintptr_t high) {
    if (call == &qmpi_open_call.call) {
        call = qmpi_open_call.origin;
    }
    const auto at = reinterpret_cast<uintptr_t>(call);
    if (at <= above || at > high - sizeof(*call)) {
        return nullptr;
    }
    if (qmpi_fortran_call.address == call->calling_address && call->calling_address != nullptr) {
        return static_cast<const Frame*>(qmpi_fortran_call.frame);
    }
    constexpr size_t kWords = 64;
    auto* word = reinterpret_cast<void* const*>(call + 1);
    for (size_t i = 1; i < kWords && reinterpret_cast<uintptr_t>(word + i + 1) <= high; i++) {
        if (word[i] == call->calling_address) {
            return static_cast<const Frame*>(word[i - 1]);
        }
    }
    return nullptr;
}

bool BelongsToApplication(void* address) {
    int tool = 0;
    return Classify(address, &tool) == Caller::kApplication && tool == 0;
}

bool IsCode(void* address) {
    int tool = 0;
    Classify(address, &tool);
    return tool >= 0;
}

}  // namespace

void CallingStack(const QMPI_Call* call, int count, void** addresses) {
    int found = 0;
    addresses[found++] = call->calling_address;
    const Bounds bounds = StackBounds();
    auto above = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const bool on_stack = above >= bounds.low && above < bounds.high;
    const Frame* frame = on_stack ? CallersFrame(call, above, bounds.high) : nullptr;
    while (found < count && IsInside(frame, above, bounds.high) && IsCode(frame->return_address)) {
        if (BelongsToApplication(frame->return_address)) {
            addresses[found++] = frame->return_address;
        }
        above = reinterpret_cast<uintptr_t>(frame);
        frame = frame->caller;
    }
    while (found < count) {
        addresses[found++] = nullptr;
    }
}

}  // namespace qmpi
