// Full rings: what each policy keeps, and that issued = recorded + lost, always.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "slot.h"
#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::UserRegion;

// A provider that counts what it could not record by the number of the call, as the MPI provider
// counts messages: what is recorded and what it reports must be all calls, each once.
struct Counting {
    static inline std::map<uint64_t, uint64_t> untold;  // Number of a call -> times lost.
    static inline std::map<uint64_t, uint64_t> told;
    static inline uint64_t reports = 0;

    static void ReportLoss(uint32_t, uint64_t begin, uint64_t end) {
        EXPECT_LE(begin, end);
        ++reports;
        for (const auto& [number, times] : untold) told[number] += times;
        untold.clear();
    }
    static void Overwriting(uint32_t, const void* records, size_t bytes) {
        const auto* at = static_cast<const std::byte*>(records);
        const std::byte* const end = at + bytes;
        while (at < end) {
            const core::RecordPrefix prefix = core::ReadPrefix(at);
            if (prefix.type == schema::RecordTraits<UserRegion>::kType) {
                UserRegion call;
                std::memcpy(static_cast<void*>(&call), at + sizeof prefix, sizeof call);
                ++untold[call.name()];
            }
            at += prefix.bytes;
        }
    }
    static const comshu_provider* Provider() {
        static comshu_provider provider = [] {
            comshu_provider p{};
            p.size = sizeof p;
            p.version = COMSHU_ENGINE_VERSION;
            p.name = "counting";
            p.first_type = 400;
            p.last_type = 499;
            p.report_loss = ReportLoss;
            p.overwriting = Overwriting;
            return p;
        }();
        return &provider;
    }
};

class LossTest : public Recording {
protected:
    void SetUp() override {
        Counting::untold.clear();
        Counting::told.clear();
        Counting::reports = 0;
        ASSERT_EQ(comshu_engine_declare_provider(Counting::Provider()), 0);
    }
    void Issue(uint64_t from, uint64_t to) {
        for (uint64_t i = from; i <= to; ++i) {
            ++issued_;
            if (!Call(i)) ++Counting::untold[i];
        }
    }
    // Each call of [1, last] is in the stream or in what the provider was asked for.
    void ExpectEachOnce(const Captured& captured, uint64_t last) {
        std::map<uint64_t, uint64_t> times = Counting::told;
        for (const auto& call : captured.All<UserRegion>()) ++times[call.name()];
        EXPECT_TRUE(Counting::untold.empty());
        EXPECT_EQ(times.size(), last);
        for (const auto& [number, count] : times) EXPECT_EQ(count, 1u) << "call " << number;
        const auto end = captured.All<schema::ProcessEnd>().at(0);
        EXPECT_EQ(end.recorded() + end.lost(), issued_);
        EXPECT_EQ(end.recorded(), captured.Count<UserRegion>());
        uint64_t in_gaps = 0;
        for (const auto& gap : captured.All<schema::Gap>()) {
            EXPECT_LE(gap.begin(), gap.end());
            in_gaps += gap.lost();
        }
        EXPECT_EQ(in_gaps, end.lost());
        uint64_t in_frames = 0;
        for (const core::FrameHeader& frame : captured.frames) in_frames += frame.lost;
        EXPECT_EQ(in_frames, end.lost());
    }
    uint64_t issued_ = 0;
};

TEST_F(LossTest, DropKeepsTheFirst) {
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    ASSERT_TRUE(Start(options));
    Issue(1, 100);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 100);
    const auto calls = captured.All<UserRegion>();
    ASSERT_LT(calls.size(), 10u);
    for (uint64_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i].name(), i + 1);
}

TEST_F(LossTest, DropTellsWhereItHappened) {
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    ASSERT_TRUE(Start(options));
    uint64_t number = 0;
    for (int round = 0; round < 20; ++round) {
        Issue(number + 1, number + 13);
        number += 13;
        comshu_engine_flush();
    }
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, number);
    EXPECT_EQ(captured.Count<schema::Gap>(), 20u);
    // Order by time: a gap lies between the ends of the calls around it.
    uint64_t last_end = 0;
    for (const CapturedRecord& record : captured.records) {
        uint64_t end = last_end;
        if (record.type == schema::RecordTraits<UserRegion>::kType) {
            end = record.As<UserRegion>().head().end();
        } else if (record.type == schema::RecordTraits<schema::Gap>::kType) {
            EXPECT_GE(record.As<schema::Gap>().begin(), last_end);
            end = record.As<schema::Gap>().end();
        }
        EXPECT_GE(end, last_end);
        last_end = end;
    }
}

TEST_F(LossTest, DropWithTheDrainRunning) {
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    options.drain_thread = true;
    options.block_ms = 2;
    ASSERT_TRUE(Start(options));
    Issue(1, 20'000);
    ExpectEachOnce(EndAndRead(), 20'000);
}

// What is older than the time to be kept is lost when the rest is written, all but the last call.
TEST_F(LossTest, NewestKeepsATime) {
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    options.chunks = 16;
    options.keep_ns = 1;
    ASSERT_TRUE(Start(options));
    Issue(1, 20);
    comshu_engine_flush();
    Issue(21, 40);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 40);
    const auto calls = captured.All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name(), 20u);
    EXPECT_EQ(calls[1].name(), 40u);
}

TEST_F(LossTest, NewestKeepsAllOfALongTime) {
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    options.chunks = 16;
    options.keep_ns = uint64_t{3600} * 1'000'000'000;
    ASSERT_TRUE(Start(options));
    Issue(1, 40);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 40);
    EXPECT_EQ(captured.Count<UserRegion>(), 40u);
}

TEST_F(LossTest, NewestKeepsTheLast) {
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    ASSERT_TRUE(Start(options));
    Issue(1, 100);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 100);
    const auto calls = captured.All<UserRegion>();
    ASSERT_GE(calls.size(), 3u);
    ASSERT_LT(calls.size(), 10u);
    for (uint64_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(calls[i].name(), 100 - calls.size() + i + 1);
    }
    const auto gaps = captured.All<schema::Gap>();
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_LE(gaps[0].end(), calls[0].head().begin());
}

TEST_F(LossTest, NewestWithFlushes) {
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    options.drain_thread = true;
    options.block_ms = 1;
    ASSERT_TRUE(Start(options));
    uint64_t number = 0;
    for (int round = 0; round < 30; ++round) {
        Issue(number + 1, number + 1 + static_cast<uint64_t>(round));
        number += 1 + static_cast<uint64_t>(round);
        comshu_engine_flush();
    }
    ExpectEachOnce(EndAndRead(), number);
}

TEST_F(LossTest, WaitLosesNothingWhileTheDrainKeepsUp) {
    Options options = Tiny();
    options.drain_thread = true;
    options.wait_ms = 60'000;
    options.wait_total_ms = 600'000;
    ASSERT_TRUE(Start(options));
    Issue(1, 20'000);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 20'000);
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.lost(), 0u);
    uint64_t waited = 0;
    for (const auto& time : captured.All<schema::ToolTime>()) {
        EXPECT_LE(time.begin(), time.end());
        waited += time.end() - time.begin();
    }
    EXPECT_GT(waited, 0u);
    EXPECT_EQ(waited, end.waited());
}

// Without any time to wait records are lost ...
TEST_F(LossTest, NoTimeToWaitLoses) {
    Options options = Tiny();
    options.wait_ms = options.wait_total_ms = options.wait_percent = 0;
    ASSERT_TRUE(Start(options));
    Issue(1, 1000);
    EXPECT_GT(EndAndRead().All<schema::ProcessEnd>().at(0).lost(), 0u);
}

// ... unless all must be kept.
TEST_F(LossTest, KeepAllWaitsWithoutLimit) {
    Options options = Tiny();
    options.wait_ms = options.wait_total_ms = options.wait_percent = 0;
    ASSERT_TRUE(Start(options));
    comshu_engine_keep_all();
    Issue(1, 1000);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 1000);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
}

TEST_F(LossTest, KeepAllEndsRecordingWithTheFirstLoss) {
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    ASSERT_TRUE(Start(options));
    comshu_engine_keep_all();
    Issue(1, 100);
    comshu_engine_flush();
    comshu_engine_resume();
    EXPECT_FALSE(Call(101));
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 1u);
    EXPECT_EQ(captured.Count<schema::Note>(), 1u);
}

// A thread stops the program while another one waits for room.
TEST_F(LossTest, KeepAllLosesNothingAtTheEnd) {
    ASSERT_TRUE(Start(Tiny()));
    comshu_engine_keep_all();
    Engine* engine = RunningEngine();
    std::atomic<Slot*> slot{nullptr};
    engine->drain().lock().Lock();
    std::thread waiting([&] {
        Call(1);
        slot = SlotOf(comshu_thread);
        for (uint64_t i = 2; i <= 100; ++i) Call(i);
    });
    while (slot == nullptr || slot.load()->waiting == 0) usleep(100);
    std::thread ending([] { rec::End(kFinished, 0); });
    while (!engine->has_ended()) usleep(100);
    engine->drain().lock().Unlock();
    ending.join();
    waiting.join();
    const Captured captured = Read();
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
    EXPECT_EQ(captured.Count<schema::Gap>(), 0u);
    const auto calls = captured.All<UserRegion>();
    EXPECT_LT(calls.size(), 100u);
    for (size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i].name(), i + 1);
}

TEST_F(LossTest, WaitWithoutADrainThreadWritesItself) {
    ASSERT_TRUE(Start(Tiny()));
    Issue(1, 1000);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 1000);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).lost(), 0u);
}

TEST_F(LossTest, WaitGivesUpAtItsLimits) {
    Options options = Tiny();
    options.drain_thread = true;
    options.wait_ms = 1;
    options.wait_total_ms = 20;
    options.wait_percent = 0;
    ASSERT_TRUE(Start(options));
    Issue(1, 1);
    {
        // The drain cannot write: the ring stays full.
        const HeldDrain held;
        Issue(2, 200);
    }
    Issue(201, 210);
    const Captured captured = EndAndRead();
    ExpectEachOnce(captured, 210);
    EXPECT_GT(captured.All<schema::ProcessEnd>().at(0).lost(), 100u);
}

TEST_F(LossTest, ACallThatFitsInNoChunkIsLostWhole) {
    ASSERT_TRUE(Start(Tiny()));
    auto* call = Open<UserRegion>(__builtin_frame_address(0));
    call->mutate_name(1);
    Begin(call);
    Stop(call);
    constexpr uint32_t kMark = core::RecordBytes(sizeof(schema::Mark));
    EXPECT_FALSE(EndWith(call, 100 * kMark, 100, [](std::byte*) { FAIL(); }));
    EXPECT_TRUE(Call(2));
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.Count<UserRegion>(), 1u);
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.recorded(), 1u);
    EXPECT_EQ(end.lost(), 101u);
}

TEST_F(LossTest, RawAndEncodedBlocksHoldTheSame) {
    for (const Writing writing : {Writing::kRaw, Writing::kEncoded}) {
        TestFolder folder;
        Options options = Tiny();
        std::snprintf(options.folder, sizeof options.folder, "%s", folder.path().c_str());
        options.writing = writing;
        ASSERT_TRUE(Start(options));
        for (uint64_t i = 1; i <= 50; ++i) ASSERT_TRUE(Call(i, i));
        rec::End(kFinished, 0);
        const Captured captured = ReadCapture(FindStreams(folder.path() + "/run").at(0));
        EXPECT_TRUE(captured.problems.empty());
        size_t raw = 0;
        for (const core::FrameHeader& frame : captured.frames) {
            if (frame.kind != core::FrameKind::kRecords || frame.thread == core::kDefinitionsThread)
                continue;
            EXPECT_LE(frame.first_tick, frame.last_tick);
            raw += frame.encoding == core::FrameEncoding::kRaw ? 1 : 0;
        }
        EXPECT_EQ(raw > 0, writing == Writing::kRaw);
        const auto calls = captured.All<UserRegion>();
        ASSERT_EQ(calls.size(), 50u);
        for (uint64_t i = 0; i < 50; ++i) EXPECT_EQ(calls[i].name(), i + 1);
        ResetAfterEnd();
    }
}

}  // namespace
}  // namespace comshu::rec
