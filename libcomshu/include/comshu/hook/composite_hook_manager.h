// Any number of collectors around one original function.
#ifndef COMSHU_HOOK_COMPOSITE_HOOK_MANAGER_H_
#define COMSHU_HOOK_COMPOSITE_HOOK_MANAGER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pthread.h>
#include <sched.h>

#include "comshu/hook/hook_trait.h"

namespace comshu::hook {

// Problem: several parties want to see the calls of one function that can be intercepted once only.
// Idea: the interceptor calls Call, which runs all collectors before the original, and after it in
// the opposite order, so that they nest. The set of collectors is immutable and replaced as a whole: a
// call sees one set from its begin to its end.
//
// Threads: Call from any number of threads, without a lock; Add and Remove at any time, one after
// the other. When Remove returns no call is inside the collector: so it waits for the calls that
// began before, and must not be called from a collector. Cost of Call: one load without collectors,
// two counter updates (about 12 ns) with them.
template <typename Tag>
class CompositeHookManager {
public:
    using Trait = HookTrait<Tag>;
    using Result = typename Trait::Result;
    using Function = typename Trait::Function;
    static constexpr size_t kMostCollectors = 8;

    template <typename Signature>
    class CollectorOf;
    template <typename Return, typename... Arguments>
    class CollectorOf<Return (*)(Arguments...)> {
    public:
        virtual void Before(Arguments... /*arguments*/) {}
        // `result` points to the result; null if the function has none.
        virtual void After(
            const std::conditional_t<std::is_void_v<Return>, void, Return>* /*result*/,
            Arguments... /*arguments*/) {}

    protected:
        ~CollectorOf() = default;
    };
    using Collector = CollectorOf<Function>;

    // False: there are too many, or it is there already.
    bool Add(Collector* collector) {
        pthread_mutex_lock(&lock_);
        const Set& now = sets_[current_.load(std::memory_order_relaxed)];
        bool added = now.count < kMostCollectors;
        for (size_t i = 0; i < now.count; ++i) added = added && now.collectors[i] != collector;
        if (added) {
            Set next = now;
            next.collectors[next.count++] = collector;
            Replace(next);
        }
        pthread_mutex_unlock(&lock_);
        return added;
    }

    // False: it is not there.
    bool Remove(Collector* collector) {
        pthread_mutex_lock(&lock_);
        const Set& now = sets_[current_.load(std::memory_order_relaxed)];
        Set next;
        for (size_t i = 0; i < now.count; ++i) {
            if (now.collectors[i] != collector) next.collectors[next.count++] = now.collectors[i];
        }
        const bool removed = next.count != now.count;
        if (removed) Replace(next);
        pthread_mutex_unlock(&lock_);
        return removed;
    }

    template <typename... Arguments>
    Result Call(Function original, Arguments... arguments) {
        if (!any_.load(std::memory_order_acquire)) return original(arguments...);
        const Inside inside(this);
        const Set& set = inside.set();
        for (size_t i = 0; i < set.count; ++i) set.collectors[i]->Before(arguments...);
        if constexpr (std::is_void_v<Result>) {
            original(arguments...);
            for (size_t i = set.count; i-- > 0;) set.collectors[i]->After(nullptr, arguments...);
        } else {
            Result result = original(arguments...);
            for (size_t i = set.count; i-- > 0;) set.collectors[i]->After(&result, arguments...);
            return result;
        }
    }

private:
    struct Set {
        size_t count = 0;
        std::array<Collector*, kMostCollectors> collectors{};
    };

    // A call that uses one of the two sets.
    class Inside {
    public:
        explicit Inside(CompositeHookManager* manager) : manager_(*manager) {
            while (true) {
                index_ = manager_.current_.load(std::memory_order_seq_cst);
                manager_.calls_[index_].fetch_add(1, std::memory_order_seq_cst);
                // Still the one in use: whoever replaces it will see this call.
                if (manager_.current_.load(std::memory_order_seq_cst) == index_) return;
                manager_.calls_[index_].fetch_sub(1, std::memory_order_release);
            }
        }
        ~Inside() { manager_.calls_[index_].fetch_sub(1, std::memory_order_release); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        const Set& set() const { return manager_.sets_[index_]; }

    private:
        CompositeHookManager& manager_;
        uint32_t index_;
    };

    // The other set is not used by any call: the last Replace waited for that.
    void Replace(const Set& next) {
        const uint32_t old = current_.load(std::memory_order_relaxed);
        const uint32_t other = 1 - old;
        // A call may have counted itself there for a moment, and will notice that it is late.
        while (calls_[other].load(std::memory_order_seq_cst) != 0) sched_yield();
        sets_[other] = next;
        current_.store(other, std::memory_order_seq_cst);
        any_.store(next.count != 0, std::memory_order_release);
        while (calls_[old].load(std::memory_order_seq_cst) != 0) sched_yield();
    }

    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<bool> any_{false};
    std::atomic<uint32_t> current_{0};
    std::array<Set, 2> sets_{};
    std::array<std::atomic<uint64_t>, 2> calls_{};
};

}  // namespace comshu::hook

#endif  // COMSHU_HOOK_COMPOSITE_HOOK_MANAGER_H_
