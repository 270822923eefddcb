// State of the provider openmp, one per process.
#ifndef COMSHU_PROVIDERS_OPENMP_LIBRARY_H_
#define COMSHU_PROVIDERS_OPENMP_LIBRARY_H_

#include <atomic>
#include <cstdint>

#include "comshu/rec/thread_state.h"
#include "openmp/constructs.h"
#include "openmp/omp_calls.h"
#include "openmp/regions.h"

namespace comshu::provider::openmp {

enum class State : uint32_t { kAsleep, kReady, kRefused };

struct Library {
    std::atomic<State> state{State::kAsleep};
    std::atomic<bool> keeps_all{false};
    // Where the program asks which iterations are to have their data told.
    bool wants_all_iterations = false;
    OmpCalls omp;
    Constructs constructs;
    Regions regions;

    // With the first event: claims the provider's range and defines the constructs. False: refused.
    bool Start();
};
extern Library library;

// The calling thread, while it records; its id goes where the program asks for it. Null: nothing is to
// be done.
inline rec::ThreadState* Enter(int64_t* id) {
    rec::ThreadState* thread = rec::Current();
    if (thread == nullptr) return nullptr;
    if (library.state.load(std::memory_order_acquire) != State::kReady && !library.Start())
        [[unlikely]]
        return nullptr;
    if (*id == -1) *id = int64_t{thread->thread} + 1;
    return thread;
}

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_LIBRARY_H_
