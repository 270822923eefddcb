// Call stacks of one thread, unwound once per place they come from.
#ifndef COMSHU_REC_STACK_CACHE_H_
#define COMSHU_REC_STACK_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comshu::rec {

// Problem: unwinding costs microseconds, a call of MPI some hundred nanoseconds. Idea: a stack that was
// seen is remembered with the places where its return addresses lie; it is the same stack if all of
// them are still there. No frame pointers are needed. Assumes the thread's own stack: on other stacks
// every call is unwound. Cost: one load per frame where the stack is known. Owned by one thread, used
// inside its recording steps.
class StackCache {
public:
    // Stacks of at most `depth` calls, on a thread whose stack lies in [low, high).
    StackCache(uint32_t depth, uint64_t low, uint64_t high);

    // Id of the artifact that holds the stack, from the call that returns to `caller` outwards; 0: it
    // cannot be found. `frame` is an address in the innermost frame.
    uint64_t Find(uint64_t caller, uint64_t frame);

private:
    static constexpr size_t kEntries = 256;
    struct Step {
        uint64_t place;  // Address at which the return address lies.
        uint64_t address;
    };
    struct Entry {
        uint64_t caller = 0;
        uint64_t frame = 0;
        uint64_t id = 0;
        uint32_t steps = 0;
    };
    bool Unwind(uint64_t caller, Entry* entry, Step* steps);

    uint32_t depth_;
    uint64_t low_;
    uint64_t high_;
    std::vector<Entry> entries_;
    std::vector<Step> steps_;  // depth_ for each entry.
    std::vector<uint64_t> addresses_;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_STACK_CACHE_H_
