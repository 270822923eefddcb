#include "comshu/hook/composite_hook_manager.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace comshu::hook {

struct Twice;
template <>
struct HookTrait<Twice> : HookSignature<int(int)> {
    static constexpr const char* kName = "twice";
};
struct Touch;
template <>
struct HookTrait<Touch> : HookSignature<void(int*)> {
    static constexpr const char* kName = "touch";
};

namespace {

int DoTwice(int value) {
    return 2 * value;
}
void DoTouch(int* value) {
    ++*value;
}

class Teller : public CompositeHookManager<Twice>::Collector {
public:
    Teller(std::string name, std::string* out) : name_(std::move(name)), out_(*out) {}
    void Before(int value) override { out_ += name_ + "(" + std::to_string(value) + " "; }
    void After(const int* result, int) override { out_ += std::to_string(*result) + name_ + ") "; }

private:
    std::string name_;
    std::string& out_;
};

TEST(CompositeHookManager, CollectorsNestAroundTheOriginal) {
    CompositeHookManager<Twice> manager;
    std::string told;
    Teller a("a", &told);
    Teller b("b", &told);
    EXPECT_EQ(manager.Call(DoTwice, 3), 6);
    EXPECT_EQ(told, "");
    EXPECT_TRUE(manager.Add(&a));
    EXPECT_TRUE(manager.Add(&b));
    EXPECT_FALSE(manager.Add(&a)) << "once only";
    EXPECT_EQ(manager.Call(DoTwice, 4), 8);
    EXPECT_EQ(told, "a(4 b(4 8b) 8a) ");
    told.clear();
    EXPECT_TRUE(manager.Remove(&a));
    EXPECT_FALSE(manager.Remove(&a));
    EXPECT_EQ(manager.Call(DoTwice, 5), 10);
    EXPECT_EQ(told, "b(5 10b) ");
    EXPECT_STREQ(CompositeHookManager<Twice>::Trait::kName, "twice");
}

class Counter : public CompositeHookManager<Touch>::Collector {
public:
    void Before(int*) override { ++before; }
    void After(const void* result, int*) override {
        EXPECT_EQ(result, nullptr);
        ++after;
    }
    int before = 0;
    int after = 0;
};

TEST(CompositeHookManager, FunctionsWithoutAResult) {
    CompositeHookManager<Touch> manager;
    Counter counter;
    manager.Add(&counter);
    int value = 1;
    manager.Call(DoTouch, &value);
    EXPECT_EQ(value, 2);
    EXPECT_EQ(counter.before, 1);
    EXPECT_EQ(counter.after, 1);
}

TEST(CompositeHookManager, ThereIsALimit) {
    CompositeHookManager<Touch> manager;
    std::vector<Counter> counters(CompositeHookManager<Touch>::kMostCollectors + 1);
    for (size_t i = 0; i + 1 < counters.size(); ++i) EXPECT_TRUE(manager.Add(&counters[i]));
    EXPECT_FALSE(manager.Add(&counters.back()));
}

// Sees every call whole, and nothing after it was removed.
class Pairs : public CompositeHookManager<Twice>::Collector {
public:
    void Before(int) override {
        EXPECT_TRUE(alive);
        ++open;
        ++calls;
    }
    void After(const int*, int) override {
        EXPECT_TRUE(alive);
        --open;
    }
    std::atomic<bool> alive{true};
    std::atomic<int> open{0};
    std::atomic<uint64_t> calls{0};
};

TEST(CompositeHookManager, AddAndRemoveWhileCallsRun) {
    CompositeHookManager<Twice> manager;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; !stop; ++i) EXPECT_EQ(manager.Call(DoTwice, i & 1023), 2 * (i & 1023));
        });
    }
    uint64_t seen = 0;
    for (int i = 0; i < 200; ++i) {
        Pairs pairs;
        ASSERT_TRUE(manager.Add(&pairs));
        if (i % 10 == 0) {
            while (pairs.calls == 0) sched_yield();
        }
        ASSERT_TRUE(manager.Remove(&pairs));
        pairs.alive = false;
        EXPECT_EQ(pairs.open, 0);
        seen += pairs.calls;
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(seen, 20u);
}

}  // namespace
}  // namespace comshu::hook
