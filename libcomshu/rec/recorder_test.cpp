// What is recorded is what is read: records, nesting, calls that were left without an end.
#include <csetjmp>
#include <csignal>
#include <vector>

#include <sys/mman.h>

#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::SpanFlags;
using schema::UserRegion;

class RecorderTest : public Recording {};

TEST_F(RecorderTest, WhatIsRecordedIsInTheStream) {
    ASSERT_TRUE(Start(Tiny()));
    for (uint64_t i = 1; i <= 100; ++i) EXPECT_TRUE(Call(i, 1000 + i));
    const Captured captured = EndAndRead(3);
    const auto calls = captured.All<UserRegion>();
    const auto counters = captured.All<schema::Counter>();
    ASSERT_EQ(calls.size(), 100u);
    ASSERT_EQ(counters.size(), 100u);
    for (uint64_t i = 0; i < 100; ++i) {
        EXPECT_EQ(calls[i].name(), i + 1);
        EXPECT_EQ(calls[i].head().span(), i + 1);
        EXPECT_LT(calls[i].head().begin(), calls[i].head().end());
        EXPECT_EQ(calls[i].head().flags(), SpanFlags::NONE);
        EXPECT_EQ(counters[i].head().span(), calls[i].head().span());
        EXPECT_EQ(counters[i].name(), 1001 + i);
        EXPECT_EQ(counters[i].value(), 1.5);
    }
    EXPECT_FALSE(captured.has_live) << "all is in the stream";
    const auto end = captured.All<schema::ProcessEnd>();
    ASSERT_EQ(end.size(), 1u);
    EXPECT_EQ(end[0].recorded(), 200u);
    EXPECT_EQ(end[0].lost(), 0u);
    EXPECT_EQ(end[0].exit_code(), 3);
    EXPECT_EQ(end[0].reason(), schema::EndReason::finished);
    for (const core::FrameHeader& frame : captured.frames) {
        if (frame.encoding == core::FrameEncoding::kColumns) {
            EXPECT_LE(frame.record_count, 3u);
        }
        EXPECT_NE(frame.calibration.ticks, 0u);
    }
}

TEST_F(RecorderTest, TheProcessDescribesItself) {
    ASSERT_TRUE(Start(Tiny()));
    Call(1);
    const Captured captured = EndAndRead();
    const auto process = captured.All<schema::Process>();
    ASSERT_EQ(process.size(), 1u);
    EXPECT_EQ(process[0].pid(), static_cast<uint32_t>(getpid()));
    EXPECT_EQ(process[0].parent_pid(), static_cast<uint32_t>(getppid()));
    EXPECT_GT(process[0].start_time(), 0u);
    EXPECT_NE(captured.text.at(process[0].executable()).find("recorder_test"), std::string::npos);
    EXPECT_NE(captured.text.at(process[0].command()).find("recorder_test"), std::string::npos);
    EXPECT_EQ(captured.text.at(process[0].boot_id()).size(), 36u);
    EXPECT_GT(process[0].ticks_per_second(), 1'000'000u);
    const auto threads = captured.All<schema::Thread>();
    ASSERT_EQ(threads.size(), 1u);
    EXPECT_EQ(threads[0].tid(), static_cast<uint32_t>(getpid()));
    EXPECT_EQ(captured.text.at(threads[0].name()), "recorder_test");
    // The program and its libraries, among them the code of this test.
    const auto here = reinterpret_cast<uint64_t>(&kCallBytes);
    bool found = false;
    for (const auto& module : captured.All<schema::Module>()) {
        EXPECT_LT(module.begin(), module.end());
        found = found || captured.text.at(module.path()).find("libc.so") != std::string::npos;
        (void)here;
    }
    EXPECT_TRUE(found);
}

TEST_F(RecorderTest, TheClockOfTheSystemServesWhereTheCounterDoesNot) {
    Options options = Tiny();
    options.monotonic = true;
    ASSERT_TRUE(Start(options));
    const auto before = static_cast<uint64_t>(core::ReadClockNs(CLOCK_MONOTONIC));
    Call(1, 2);
    const auto after = static_cast<uint64_t>(core::ReadClockNs(CLOCK_MONOTONIC));
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.All<schema::Process>().at(0).clock(), schema::Clock::monotonic);
    const auto call = captured.All<UserRegion>().at(0);
    EXPECT_GE(call.head().begin(), before);
    EXPECT_LE(call.head().end(), after);
    const uint64_t tick = captured.All<schema::Counter>().at(0).head().tick();
    EXPECT_GE(tick, call.head().begin());
    EXPECT_LE(tick, call.head().end());
}

TEST_F(RecorderTest, NestedCallsNameTheirParents) {
    ASSERT_TRUE(Start(Tiny()));
    auto* outer = Open<UserRegion>(__builtin_frame_address(0));
    outer->mutate_name(1);
    Begin(outer);
    Call(2);
    Call(3);
    Stop(outer);
    EXPECT_TRUE(End(outer));
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].name(), 2u);
    EXPECT_EQ(calls[2].name(), 1u);
    const uint64_t parent = calls[2].head().span();
    EXPECT_EQ(calls[0].head().span() - calls[0].head().parent_distance(), parent);
    EXPECT_EQ(calls[1].head().span() - calls[1].head().parent_distance(), parent);
    EXPECT_EQ(calls[2].head().parent_distance(), 0u);
}

TEST_F(RecorderTest, ACallWithWhatBelongsToIt) {
    Options options = Tiny();
    options.chunk_bytes = 1024;
    ASSERT_TRUE(Start(options));
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(7);
    Begin(call);
    Stop(call);
    constexpr uint32_t kMark = core::RecordBytes(sizeof(schema::Mark));
    EXPECT_TRUE(EndWith(call, 2 * kMark, 2, [&](std::byte* at) {
        const uint64_t span = call->head().span();
        at = Put(at, schema::Mark(schema::EventHead(10, span), 8, 0.5));
        Put(at, schema::Mark(schema::EventHead(11, span), 9, 0.25));
    }));
    const Captured captured = EndAndRead();
    const auto marks = captured.All<schema::Mark>();
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[1].name(), 9u);
    EXPECT_EQ(marks[1].head().span(), captured.All<UserRegion>().at(0).head().span());
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).recorded(), 3u);
}

jmp_buf out_of_the_calls;

// Opens `depth` calls, one inside the other, and leaves them all at once.
[[noreturn, gnu::noinline]] void CallAndLeave(uint64_t number, int depth) {
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(number);
    Begin(call);
    if (depth > 1) {
        CallAndLeave(number + 1, depth - 1);
    }
    std::longjmp(out_of_the_calls, 1);
}

TEST_F(RecorderTest, CallsLeftByLongjmpAreClosedAndMarked) {
    ASSERT_TRUE(Start(Tiny()));
    auto* outer = Open<UserRegion>(__builtin_frame_address(0));
    outer->mutate_name(1);
    Begin(outer);
    if (setjmp(out_of_the_calls) == 0) CallAndLeave(2, 3);
    Call(10);
    Stop(outer);
    EXPECT_TRUE(End(outer));
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 5u);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(calls[static_cast<size_t>(i)].name(), static_cast<uint64_t>(4 - i));
        EXPECT_EQ(calls[static_cast<size_t>(i)].head().flags(), SpanFlags::unwound);
        EXPECT_GT(calls[static_cast<size_t>(i)].head().end(), 0u);
    }
    EXPECT_EQ(calls[3].name(), 10u);
    EXPECT_EQ(calls[3].head().span() - calls[3].head().parent_distance(), calls[4].head().span());
    EXPECT_EQ(calls[4].head().flags(), SpanFlags::NONE);
}

TEST_F(RecorderTest, TheEndOfAnOuterCallClosesWhatIsStillOpenInside) {
    ASSERT_TRUE(Start(Tiny()));
    auto* outer = Open<UserRegion>(__builtin_frame_address(0));
    outer->mutate_name(1);
    Begin(outer);
    if (setjmp(out_of_the_calls) == 0) CallAndLeave(2, 2);
    Stop(outer);
    EXPECT_TRUE(End(outer));
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].head().flags(), SpanFlags::unwound);
    EXPECT_EQ(calls[1].head().flags(), SpanFlags::unwound);
    EXPECT_EQ(calls[2].name(), 1u);
    // They lie inside it.
    EXPECT_EQ(calls[0].head().end(), calls[2].head().end());
    EXPECT_EQ(calls[1].head().end(), calls[2].head().end());
}

TEST_F(RecorderTest, TheEndOfAClosedCallDoesNothing) {
    ASSERT_TRUE(Start(Tiny()));
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    Begin(call);
    Stop(call);
    EXPECT_TRUE(End(call));
    EXPECT_FALSE(End(call));
    EXPECT_FALSE(comshu_thread->busy);
    EXPECT_TRUE(Call(2));
    EXPECT_EQ(EndAndRead().Count<UserRegion>(), 2u);
}

TEST_F(RecorderTest, OpenCallsOfARunningThreadHaveNoEnd) {
    ASSERT_TRUE(Start(Tiny()));
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(5);
    Begin(call);
    Call(6);
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[1].name(), 5u);
    EXPECT_GT(calls[1].head().begin(), 0u);
    EXPECT_EQ(calls[1].head().end(), 0u);
}

void CallInHandler(int) {
    Call(77);
}

TEST_F(RecorderTest, AHandlerRecordsBetweenStepsAndLosesInside) {
    ASSERT_TRUE(Start(Tiny()));
    struct sigaction action {};
    action.sa_handler = CallInHandler;
    sigaction(SIGUSR1, &action, nullptr);
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    raise(SIGUSR1);  // Between Open and Begin: inside a step.
    call->mutate_name(1);
    Begin(call);
    raise(SIGUSR1);  // The call runs.
    Stop(call);
    EXPECT_TRUE(End(call));
    signal(SIGUSR1, SIG_DFL);
    const Captured captured = EndAndRead();
    const auto calls = captured.All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name(), 77u);
    EXPECT_EQ(calls[1].name(), 1u);
    const auto gaps = captured.All<schema::Gap>();
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].reason(), schema::LossReason::in_signal_handler);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 1u);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).recorded(), 2u);
}

class SignalStack {
public:
    // Above the thread's own stack if that can be had: the place that looks like an unwound frame.
    explicit SignalStack(bool above) {
        void* hint = above ? reinterpret_cast<void*>(0x7fffffff0000 - kBytes) : nullptr;
        memory_ = mmap(hint, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t stack{};
        stack.ss_sp = memory_;
        stack.ss_size = kBytes;
        sigaltstack(&stack, &before_);
    }
    ~SignalStack() {
        sigaltstack(&before_, nullptr);
        munmap(memory_, kBytes);
    }

private:
    static constexpr size_t kBytes = 256 * 1024;
    void* memory_;
    stack_t before_{};
};

sigjmp_buf out_of_the_handler;

void LeaveHandler(int) {
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(78);
    Begin(call);
    siglongjmp(out_of_the_handler, 1);
}

class SignalStackTest : public RecorderTest, public testing::WithParamInterface<bool> {};

TEST_P(SignalStackTest, AHandlerOnAStackOfItsOwnUnwindsNothing) {
    ASSERT_TRUE(Start(Tiny()));
    const SignalStack stack(GetParam());
    struct sigaction action {};
    action.sa_handler = CallInHandler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(1);
    Begin(call);
    raise(SIGUSR1);
    Stop(call);
    EXPECT_TRUE(End(call));
    signal(SIGUSR1, SIG_DFL);
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name(), 77u);
    EXPECT_EQ(calls[0].head().span() - calls[0].head().parent_distance(), calls[1].head().span());
    EXPECT_EQ(calls[1].head().flags(), SpanFlags::NONE);
}

TEST_P(SignalStackTest, AHandlerThatIsLeftIsUnwound) {
    ASSERT_TRUE(Start(Tiny()));
    const SignalStack stack(GetParam());
    struct sigaction action {};
    action.sa_handler = LeaveHandler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(1);
    Begin(call);
    if (sigsetjmp(out_of_the_handler, 1) == 0) raise(SIGUSR1);
    Stop(call);
    EXPECT_TRUE(End(call));
    signal(SIGUSR1, SIG_DFL);
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name(), 78u);
    EXPECT_EQ(calls[0].head().flags(), SpanFlags::unwound);
    EXPECT_EQ(calls[1].head().flags(), SpanFlags::NONE);
}

INSTANTIATE_TEST_SUITE_P(Places, SignalStackTest, testing::Bool());

TEST_F(RecorderTest, ErrnoIsLeftAlone) {
    ASSERT_TRUE(Start(Tiny()));
    errno = EOWNERDEAD;
    for (uint64_t i = 0; i < 50; ++i) Call(i);
    const uint64_t id = comshu_engine_intern(0, "x", 1);
    comshu_engine_note("kind", "text");
    comshu_engine_flush();
    EXPECT_EQ(errno, EOWNERDEAD);
    EXPECT_NE(id, 0u);
}

// Otherwise its drain would not sleep as long as the call lasts, as MPI_Init may.
TEST_F(RecorderTest, AThreadInItsFirstCallIsNoWork) {
    ASSERT_TRUE(Start(Tiny()));
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    ASSERT_NE(call, nullptr);
    Begin(call);
    EXPECT_FALSE(RunningEngine()->drain().HasWork());
    Stop(call);
    EXPECT_TRUE(End(call));
    EXPECT_FALSE(RunningEngine()->drain().HasWork());
    comshu_engine_flush();
    EXPECT_FALSE(RunningEngine()->drain().HasWork());
}

TEST_F(RecorderTest, OffWithoutAFolder) {
    Options options = Tiny();
    options.folder[0] = '\0';
    EXPECT_FALSE(Start(options));
    EXPECT_FALSE(Call(1));
    EXPECT_EQ(comshu_recording.load() & kRecordingOn, 0u);
    EXPECT_TRUE(FindStreams(folder_.path() + "/run").empty());
}

TEST_F(RecorderTest, OffWhereNoFileCanBeMade) {
    Options options = Tiny();
    std::snprintf(options.folder, sizeof options.folder, "/proc/nowhere");
    EXPECT_FALSE(Start(options));
    EXPECT_FALSE(Call(1));
}

}  // namespace
}  // namespace comshu::rec
