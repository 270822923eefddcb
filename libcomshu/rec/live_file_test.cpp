// Stacks that outgrow their slots: however deep calls nest, each is there, ended or not.
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::UserRegion;

// Several times the room of a slot of Tiny(), and of what a stack grows by.
constexpr uint32_t kDeep = 5000;

// Calls inside each other, on the thread that opens them.
class Nest {
public:
    // Up to this depth; where that is not possible, as deep as it is.
    void Open(uint32_t depth) {
        while (open_.size() < depth) {
            // Frames grow down, as those of nested calls do.
            auto* region =
                rec::Open<UserRegion>(reinterpret_cast<void*>(frame_ - (open_.size() + 1) * 64));
            if (region == nullptr) return;
            open_.push_back(region);
            region->mutate_name(open_.size());
            Begin(region);
        }
    }
    void End() {
        for (; !open_.empty(); open_.pop_back()) {
            Stop(open_.back());
            EXPECT_TRUE(rec::End(open_.back()));
        }
    }
    size_t depth() const { return open_.size(); }

private:
    uint64_t frame_ = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    std::vector<UserRegion*> open_;
};

void ExpectNested(const std::vector<UserRegion>& outer_first, uint64_t depth, bool ended) {
    ASSERT_EQ(outer_first.size(), depth);
    for (uint64_t i = 0; i < depth; ++i) {
        const UserRegion& region = outer_first[i];
        ASSERT_EQ(region.name(), i + 1);
        ASSERT_EQ(region.head().parent_distance(), i == 0 ? 0u : 1u);
        ASSERT_EQ(region.head().end() != 0, ended);
    }
}

std::vector<UserRegion> OpenCalls(const Captured& captured, uint32_t thread) {
    std::vector<UserRegion> regions;
    for (const CapturedRecord& call : captured.open_calls) {
        if (call.thread == thread) regions.push_back(call.As<UserRegion>());
    }
    return regions;
}

class LiveFileTest : public Recording {};

TEST_F(LiveFileTest, ADeepStackIsRecordedWhole) {
    ASSERT_TRUE(Start(Tiny()));
    Nest nest;
    // What has grown stays: the second time nothing is made.
    for (int i = 0; i < 2; ++i) {
        nest.Open(kDeep);
        ASSERT_EQ(nest.depth(), kDeep);
        nest.End();
    }
    const Captured captured = EndAndRead();
    const auto regions = captured.All<UserRegion>();
    ASSERT_EQ(regions.size(), 2 * kDeep);
    ExpectNested({regions.rbegin(), regions.rbegin() + kDeep}, kDeep, true);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
}

TEST_F(LiveFileTest, OpenCallsOfDeepStacksAreSeenWhileTheyRun) {
    ASSERT_TRUE(Start(Tiny()));
    Nest nest;
    nest.Open(1000);
    // The rooms of both lie between each other.
    std::thread([&] {
        Nest other;
        other.Open(300);
        const Captured captured = Read();
        ExpectNested(OpenCalls(captured, 0), 1000, false);
        ExpectNested(OpenCalls(captured, 1), 300, false);
        other.End();
    }).join();
    nest.Open(kDeep);
    const Captured captured = Read();
    EXPECT_TRUE(captured.has_live);
    ExpectNested(OpenCalls(captured, 0), kDeep, false);
    nest.End();
}

TEST_F(LiveFileTest, OpenCallsOfADeepStackAreThereWhenTheProcessEnds) {
    ASSERT_TRUE(Start(Tiny()));
    Nest nest;
    nest.Open(kDeep);
    ExpectNested(EndAndRead().All<UserRegion>(), kDeep, false);
}

// A ring that is larger than what a stack may take in all.
TEST_F(LiveFileTest, AStackGrowsBesideALargeRing) {
    Options options = Tiny();
    options.chunk_bytes = 10 << 20;
    options.chunks = 4;
    ASSERT_TRUE(Start(options));
    Nest nest;
    nest.Open(1'000'000);
    EXPECT_GT(nest.depth(), 230'000u);
    EXPECT_LT(nest.depth(), 240'000u);
    EXPECT_EQ(OpenCalls(Read(), 0).size(), nest.depth());
    nest.End();
    EXPECT_EQ(EndAndRead().All<schema::ProcessEnd>().at(0).lost(), 1u);
}

class NoMoreStack : public LiveFileTest, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, NoMoreStack, testing::Values("slots", "addresses"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(NoMoreStack, LosesTheInnermost) {
    Options options = Tiny();
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    if (std::string(GetParam()) == "slots") {
        options.largest_slots = 1;
    } else {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "a sanitizer takes more addresses than any limit";
#endif
        const rlimit limited{uint64_t{1} << 36, before.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
    }
    ASSERT_TRUE(Start(options));
    Nest nest;
    nest.Open(kDeep);
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(nest.depth(), core::kSpanEntries);
    nest.End();
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.Count<UserRegion>(), core::kSpanEntries);
    const auto gaps = captured.All<schema::Gap>();
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].lost(), 1u);
    EXPECT_EQ(gaps[0].reason(), schema::LossReason::stack_full);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 1u);
}

}  // namespace
}  // namespace comshu::rec
