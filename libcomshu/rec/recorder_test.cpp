// The recorder end to end in one process, with limits so small that every edge is crossed.
#include <gtest/gtest.h>

#include "comshu/rec/engine.h"
#include "comshu/rec/options.h"
#include "comshu/rec/thread_state.h"
#include "testing/captured.h"

namespace comshu::rec {
namespace {

constexpr uint8_t kFinished = static_cast<uint8_t>(schema::EndReason::finished);

Options Tiny(const TestFolder& folder) {
    Options options;
    std::snprintf(options.folder, sizeof options.folder, "%s", folder.path().c_str());
    options.drain_thread = false;
    return options;
}

// One call with a number of its own, so that the test knows what must be there.
bool Call(uint64_t number, uint64_t inner = 0) {
    auto* call = Open<schema::UserRegion>(__builtin_frame_address(0));
    if (call == nullptr) return false;
    call->mutate_name(number);
    Begin(call);
    if (inner != 0) Instant(schema::Counter(schema::EventHead(), inner, 1.5));
    Stop(call);
    return End(call);
}

class RecorderTest : public testing::Test {
protected:
    void TearDown() override {
        End(kFinished, 0);
        ResetAfterEnd();
    }
    Captured EndAndRead() {
        End(kFinished, 3);
        const auto streams = FindStreams(folder_.path() + "/run");
        EXPECT_EQ(streams.size(), 1u);
        Captured captured = ReadCapture(streams.at(0));
        EXPECT_TRUE(captured.problems.empty()) << captured.problems.at(0);
        return captured;
    }
    TestFolder folder_;
};

TEST_F(RecorderTest, WhatIsRecordedIsInTheStream) {
    ASSERT_TRUE(Start(Tiny(folder_)));
    for (uint64_t i = 1; i <= 100; ++i) EXPECT_TRUE(Call(i, 1000 + i));
    const Captured captured = EndAndRead();
    const auto calls = captured.All<schema::UserRegion>();
    const auto counters = captured.All<schema::Counter>();
    ASSERT_EQ(calls.size(), 100u);
    ASSERT_EQ(counters.size(), 100u);
    for (uint64_t i = 0; i < 100; ++i) {
        EXPECT_EQ(calls[i].name(), i + 1);
        EXPECT_EQ(calls[i].head().span(), i + 1);
        EXPECT_LT(calls[i].head().begin(), calls[i].head().end());
        EXPECT_EQ(counters[i].head().span(), calls[i].head().span());
        EXPECT_EQ(counters[i].value(), 1.5);
    }
    EXPECT_FALSE(captured.has_live) << "all is in the stream";
    const auto end = captured.All<schema::ProcessEnd>();
    ASSERT_EQ(end.size(), 1u);
    EXPECT_EQ(end[0].recorded(), 200u);
    EXPECT_EQ(end[0].lost(), 0u);
    EXPECT_EQ(end[0].exit_code(), 3);
    EXPECT_EQ(end[0].reason(), schema::EndReason::finished);
    const auto process = captured.All<schema::Process>();
    ASSERT_EQ(process.size(), 1u);
    EXPECT_EQ(process[0].pid(), static_cast<uint32_t>(getpid()));
    EXPECT_GT(captured.Count<schema::Module>(), 3u);
    EXPECT_EQ(captured.Count<schema::Thread>(), 1u);
    EXPECT_EQ(captured.Count<schema::ThreadEnd>(), 1u);
}

TEST_F(RecorderTest, TheDrainThreadWritesByItself) {
    Options options = Tiny(folder_);
    options.drain_thread = true;
    options.chunk_bytes = 4096;
    ASSERT_TRUE(Start(options));
    for (uint64_t i = 1; i <= 20'000; ++i) ASSERT_TRUE(Call(i));
    const Captured captured = EndAndRead();
    const auto calls = captured.All<schema::UserRegion>();
    ASSERT_EQ(calls.size(), 20'000u);
    for (uint64_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i].name(), i + 1);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).recorded(), 20'000u);
}

}  // namespace
}  // namespace comshu::rec
