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

bool BelongsToApplication(void* address) {
    return Classify(address) == Caller::kApplication;
}

bool IsCode(void* address) {
    return Classify(address) != Caller::kNoObject;
}

}  // namespace

void CallingStack(const QMPI_Call* call, int count, void** addresses) {
    int found = 0;
    addresses[found++] = call->calling_address;
    const Bounds bounds = StackBounds();
    auto above = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const bool on_stack = above >= bounds.low && above < bounds.high;
    const auto* frame = on_stack ? static_cast<const Frame*>(QmpiFrameOfCaller(call)) : nullptr;
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
