// Pauses: what is left out, that it is no loss, and that providers are asked for what they counted.
#include <atomic>
#include <thread>
#include <vector>

#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::UserRegion;

// By a provider that counts what does not get to the ring, as mpi does.
std::atomic<uint64_t> left_out{0};
std::atomic<uint64_t> reported{0};

const comshu_provider* Provider() {
    static comshu_provider provider = [] {
        comshu_provider p{};
        p.size = sizeof p;
        p.version = COMSHU_ENGINE_VERSION;
        p.name = "pausing";
        p.first_type = 400;
        p.last_type = 499;
        p.report_loss = [](uint32_t, uint64_t begin, uint64_t end) {
            EXPECT_LE(begin, end);
            reported += left_out.exchange(0);
        };
        return p;
    }();
    return &provider;
}

class PauseTest : public Recording {
protected:
    void SetUp() override {
        left_out = 0;
        reported = 0;
        ASSERT_EQ(comshu_engine_declare_provider(Provider()), 0);
    }
    Options Roomy() const {
        Options options = Tiny();
        options.chunk_bytes = 64 * 1024;
        return options;
    }
    static void Calls(uint64_t from, uint64_t to) {
        for (uint64_t i = from; i <= to; ++i) {
            if (!Call(i)) ++left_out;
        }
    }
    static std::vector<uint64_t> Numbers(const Captured& captured) {
        std::vector<uint64_t> numbers;
        for (const auto& call : captured.All<UserRegion>()) numbers.push_back(call.name());
        return numbers;
    }
};

TEST_F(PauseTest, LeavesOutWhatIsInside) {
    ASSERT_TRUE(Start(Roomy()));
    Calls(1, 3);
    comshu_engine_pause();
    Calls(4, 6);
    EXPECT_EQ(left_out, 3u);
    comshu_engine_resume();
    Calls(7, 8);
    EXPECT_EQ(reported, 3u);
    const Captured captured = EndAndRead();
    EXPECT_EQ(Numbers(captured), (std::vector<uint64_t>{1, 2, 3, 7, 8}));
    const auto pauses = captured.All<schema::Pause>();
    ASSERT_EQ(pauses.size(), 1u);
    EXPECT_EQ(pauses[0].skipped(), 3u);
    EXPECT_EQ(pauses[0].reason(), schema::PauseReason::asked);
    const auto calls = captured.All<UserRegion>();
    EXPECT_GE(pauses[0].begin(), calls[2].head().end());
    EXPECT_GE(pauses[0].end(), pauses[0].begin());
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.recorded(), 5u);
    EXPECT_EQ(end.lost(), 0u);
    EXPECT_EQ(captured.Count<schema::Gap>(), 0u);
}

TEST_F(PauseTest, StartsPaused) {
    Options options = Roomy();
    options.start_paused = true;
    ASSERT_TRUE(Start(options));
    Calls(1, 2);
    comshu_engine_resume();
    Calls(3, 4);
    comshu_engine_pause();
    Calls(5, 6);
    const Captured captured = EndAndRead();
    EXPECT_EQ(Numbers(captured), (std::vector<uint64_t>{3, 4}));
    uint64_t skipped = 0;
    for (const auto& pause : captured.All<schema::Pause>()) skipped += pause.skipped();
    EXPECT_EQ(skipped, 4u);
    EXPECT_EQ(captured.Count<schema::Pause>(), 2u);
    // At the end providers are asked for the last pause too.
    EXPECT_EQ(reported, 4u);
}

TEST_F(PauseTest, BeforeAnythingIsRecorded) {
    comshu_engine_pause();
    ASSERT_TRUE(Start(Roomy()));
    Calls(1, 2);
    comshu_engine_resume();
    Calls(3, 3);
    EXPECT_EQ(Numbers(EndAndRead()), (std::vector<uint64_t>{3}));
}

TEST_F(PauseTest, ACallAcrossTheBorder) {
    ASSERT_TRUE(Start(Roomy()));
    Calls(1, 1);
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(2);
    Begin(call);
    comshu_engine_pause();
    // Nobody has looked yet: it is recorded whole.
    Stop(call);
    EXPECT_TRUE(End(call));
    call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(3);
    Begin(call);
    comshu_engine_resume();
    Stop(call);
    EXPECT_TRUE(End(call));
    EXPECT_EQ(Numbers(EndAndRead()), (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(PauseTest, InstantsAreLeftOutToo) {
    ASSERT_TRUE(Start(Roomy()));
    comshu_engine_pause();
    EXPECT_FALSE(Instant(schema::Mark(schema::EventHead(), 1, 0)));
    comshu_engine_resume();
    EXPECT_TRUE(Instant(schema::Mark(schema::EventHead(), 2, 0)));
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.Count<schema::Mark>(), 1u);
    EXPECT_EQ(captured.All<schema::Pause>().at(0).skipped(), 1u);
}

// A pause and a loss are told apart.
TEST_F(PauseTest, WithinLosses) {
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    ASSERT_TRUE(Start(options));
    Calls(1, 100);
    const uint64_t lost = left_out;
    EXPECT_GT(lost, 0u);
    comshu_engine_pause();
    Calls(101, 150);
    comshu_engine_flush();
    comshu_engine_resume();
    Calls(151, 152);
    const Captured captured = EndAndRead();
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.lost(), lost);
    EXPECT_EQ(end.recorded() + end.lost(), 102u);
    EXPECT_EQ(captured.All<schema::Pause>().at(0).skipped(), 50u);
    EXPECT_EQ(reported, lost + 50);
}

TEST_F(PauseTest, AtTheLargestSize) {
    Options options = Tiny();
    options.chunks = 64;
    options.largest_stream = 1;
    ASSERT_TRUE(Start(options));
    Calls(1, 10);
    comshu_engine_flush();
    Calls(11, 20);
    // Only more room would help.
    comshu_engine_resume();
    Calls(21, 30);
    const Captured captured = EndAndRead();
    EXPECT_EQ(Numbers(captured).size(), 10u);
    const auto pauses = captured.All<schema::Pause>();
    ASSERT_EQ(pauses.size(), 1u);
    EXPECT_EQ(pauses[0].skipped(), 20u);
    EXPECT_EQ(pauses[0].reason(), schema::PauseReason::max_size);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
    EXPECT_EQ(captured.Count<schema::Note>(), 1u);
}

TEST_F(PauseTest, AtTheLargestSizeWhenAllIsRecorded) {
    Options options = Tiny();
    options.drain_thread = false;
    options.chunks = 64;
    options.largest_stream = 1;
    ASSERT_TRUE(Start(options));
    Calls(1, 10);
    const Captured captured = EndAndRead();
    EXPECT_EQ(Numbers(captured).size(), 10u);
    EXPECT_EQ(captured.Count<schema::Pause>(), 0u);
    EXPECT_EQ(captured.Count<schema::Note>(), 0u) << "nothing came later";
}

// Whenever a thread looks, each call is recorded or left out.
TEST_F(PauseTest, ThreadsWhileOthersPause) {
    constexpr int kThreads = 3;
    constexpr int kCalls = 1000;
    Options options = Roomy();
    options.chunks = 8;
    ASSERT_TRUE(Start(options));
    std::atomic<int> running{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (int i = 1; i <= kCalls; ++i) Call(static_cast<uint64_t>(i));
            --running;
        });
    }
    while (running > 0) {
        comshu_engine_pause();
        std::this_thread::yield();
        comshu_engine_resume();
    }
    for (std::thread& thread : threads) thread.join();
    const Captured captured = EndAndRead();
    uint64_t skipped = 0;
    for (const auto& pause : captured.All<schema::Pause>()) skipped += pause.skipped();
    EXPECT_EQ(captured.Count<UserRegion>() + skipped, uint64_t{kThreads} * kCalls);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
}

TEST_F(PauseTest, FlightRecorderKeepsWhatWasBefore) {
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    ASSERT_TRUE(Start(options));
    Calls(1, 50);
    comshu_engine_pause();
    Calls(51, 100);
    const auto numbers = Numbers(EndAndRead());
    ASSERT_FALSE(numbers.empty());
    EXPECT_EQ(numbers.back(), 50u);
}

}  // namespace
}  // namespace comshu::rec
