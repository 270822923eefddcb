// What a program that is about to be killed says of itself to the test that kills it.
#ifndef COMSHU_REC_TESTING_KILL_COUNTERS_H_
#define COMSHU_REC_TESTING_KILL_COUNTERS_H_

#include <atomic>
#include <cstdint>

namespace comshu::rec {

constexpr int kKillThreads = 3;
constexpr uint64_t kOuterCall = 1'000'000'000'000;

struct KillCounters {
    struct {
        std::atomic<uint64_t> outer;   // The call around all others is open.
        std::atomic<uint64_t> issued;  // Calls that have returned, numbered from 1.
        std::atomic<uint64_t> lost;    // Those of them that said they were lost.
    } of_thread[kKillThreads];
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_TESTING_KILL_COUNTERS_H_
