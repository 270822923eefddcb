// Reading while a program records, and after it was killed: what was published is there, once.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/read/open_span.h"
#include "comshu/read/pack.h"
#include "comshu/rec/engine.h"
#include "comshu/rec/options.h"
#include "comshu/rec/thread_state.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {
struct FutureRecord;
}
}  // namespace comshu::read

template <>
struct comshu::schema::RecordTraits<comshu::read::FutureRecord> {
    static constexpr uint16_t kType = 398;
    static constexpr bool kIsSpan = false;
    static constexpr bool kIsInstant = true;
};

namespace comshu::read {
namespace {

using testing::TemporaryFolder;

// Small rings and blocks, so that records are on their way everywhere at any time.
rec::Options SmallRings(const std::string& folder) {
    rec::Options options;
    std::snprintf(options.folder, sizeof options.folder, "%s", folder.c_str());
    options.chunk_bytes = 4096;
    options.chunks = 4;
    options.block_records = 100;
    options.block_ms = 5;
    options.wait_ms = 10'000;
    options.wait_total_ms = 600'000;
    return options;
}

// A frame of its own: a call in the frame of an open one would end that.
__attribute__((noinline)) void Call(uint64_t name) {
    auto* call = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
    if (call == nullptr) return;
    call->mutate_name(name);
    rec::Begin(call);
    rec::Stop(call);
    rec::End(call);
}

// Numbers of the spans of type user_region that have ended, by order; those that are open apart.
struct Spans {
    std::vector<uint64_t> ended;
    std::vector<uint64_t> open;
};

Spans ReadSpans(const Capture& capture) {
    Spans spans;
    for (const Block& block : capture.blocks()) {
        core::BlockDecoder decoder = capture.DecoderFor(block);
        if (!capture.OpenBlock(block, &decoder)) continue;
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            const core::RecordLayout* layout = decoder.types()[t].layout;
            if (layout == nullptr || layout->name != "UserRegion") continue;
            std::vector<uint64_t> end, span;
            EXPECT_TRUE(decoder.Values(t, 1, &end));
            EXPECT_TRUE(decoder.Values(t, 2, &span));
            for (size_t i = 0; i < span.size(); ++i)
                (end[i] == 0 ? spans.open : spans.ended).push_back(span[i]);
        }
    }
    std::sort(spans.ended.begin(), spans.ended.end());
    return spans;
}

// Spans 1, 2, 3 ... of thread 0 without a hole or a double.
void ExpectWithoutHoles(const Spans& spans) {
    for (size_t i = 0; i < spans.ended.size(); ++i)
        ASSERT_EQ(spans.ended[i], i + 1) << "of " << spans.ended.size();
}

std::unique_ptr<Capture> Opened(const TemporaryFolder& folder) {
    std::string error;
    auto capture = Capture::Open({folder.path()}, &error);
    EXPECT_NE(capture, nullptr) << error;
    return capture;
}

TEST(Recording, ARunningProgramIsReadWhileItRecords) {
    TemporaryFolder folder;
    ASSERT_TRUE(rec::Start(SmallRings(folder.path())));
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> issued{0};
    // So many more from reading to reading: what is recorded while one reads must not grow with what
    // there is to read.
    constexpr uint64_t kPerReading = 5000;
    std::atomic<uint64_t> allowed{kPerReading};
    std::thread program([&] {
        while (!stop.load(std::memory_order_relaxed)) {
            if (issued.load(std::memory_order_relaxed) == allowed.load(std::memory_order_relaxed)) {
                std::this_thread::yield();
                continue;
            }
            Call(1);
            issued.fetch_add(1, std::memory_order_release);
            if (issued.load(std::memory_order_relaxed) % 64 == 0) std::this_thread::yield();
        }
    });
    while (issued.load() < 1000) std::this_thread::yield();
    for (int i = 0; i < 30; ++i) {
        allowed += kPerReading;
        const uint64_t before = issued.load(std::memory_order_acquire);
        const auto capture = Opened(folder);
        ASSERT_EQ(capture->processes().size(), 1u);
        EXPECT_EQ(capture->processes()[0]->state, ProcessState::kRunning);
        const Spans spans = ReadSpans(*capture);
        EXPECT_GE(spans.ended.size(), before);
        ExpectWithoutHoles(spans);
        for (const Problem& problem : capture->problems()) ADD_FAILURE() << problem.text;
    }
    stop = true;
    program.join();
    rec::End(static_cast<uint8_t>(schema::EndReason::finished), 0);
    const auto capture = Opened(folder);
    EXPECT_EQ(capture->processes()[0]->state, ProcessState::kFinished);
    EXPECT_EQ(ReadSpans(*capture).ended.size(), issued.load());
    EXPECT_EQ(capture->processes()[0]->lost, 0u);
    rec::ResetAfterEnd();
}

// What the child tells of itself while it lives.
struct Published {
    std::atomic<uint64_t> spans;
    std::atomic<uint32_t> in_call;
};

[[noreturn]] void RecordUntilKilled(const std::string& folder, Published* published) {
    if (!rec::Start(SmallRings(folder))) _exit(1);
    auto* outer = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
    rec::Begin(outer);
    published->in_call = 1;
    while (true) {
        Call(2);
        published->spans.fetch_add(1, std::memory_order_release);
    }
}

TEST(Recording, AKilledProgramLosesNothingAndPacks) {
    void* shared =
        mmap(nullptr, sizeof(Published), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto* published = new (shared) Published();
    for (int round = 0; round < 12; ++round) {
        TemporaryFolder folder;
        published->spans = 0;
        published->in_call = 0;
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) RecordUntilKilled(folder.path(), published);
        while (published->in_call.load() == 0) usleep(1000);
        usleep(static_cast<useconds_t>(500 + 3700 * round));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const uint64_t at_least = published->spans.load();
        for (const bool packed : {false, true}) {
            if (packed) {
                PackResult result;
                std::string error;
                ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
                EXPECT_EQ(result.packed, 1u);
            }
            const auto capture = Opened(folder);
            ASSERT_EQ(capture->processes().size(), 1u);
            EXPECT_EQ(capture->processes()[0]->state, ProcessState::kKilled);
            const Spans spans = ReadSpans(*capture);
            // Span 1 is the outer one; the inner ones follow it. The last one may be on its way.
            EXPECT_GE(spans.ended.size(), at_least);
            EXPECT_LE(spans.ended.size(), at_least + 2);
            for (size_t i = 0; i < spans.ended.size(); ++i) ASSERT_EQ(spans.ended[i], i + 2);
            const auto open = OpenSpans(*capture);
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open[0].record, "user_region");
            EXPECT_EQ(open[0].depth, 0u);
            EXPECT_EQ(capture->processes()[0]->live == nullptr, packed);
        }
    }
    munmap(shared, sizeof(Published));
}

// A record that this build does not know, as a provider from elsewhere writes it: Future of
// testing/other_version.fbs.
struct FutureRecord {
    schema::EventHead head;
    uint32_t level;
    uint32_t padding;
};

std::vector<uint64_t> Levels(const Capture& capture) {
    std::vector<uint64_t> levels;
    for (const Block& block : capture.blocks()) {
        core::BlockDecoder decoder = capture.DecoderFor(block);
        if (!capture.OpenBlock(block, &decoder)) continue;
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            const core::RecordLayout* layout = decoder.types()[t].layout;
            if (layout == nullptr || layout->name != "Future") continue;
            std::vector<uint64_t> values;
            const int column = layout->FindColumn("level");
            EXPECT_TRUE(decoder.Values(t, static_cast<size_t>(column), &values));
            levels.insert(levels.end(), values.begin(), values.end());
        }
    }
    return levels;
}

TEST(Recording, RecordsOfAProviderFromElsewhereRead) {
    std::ifstream file(COMSHU_OTHER_VERSION_BFBS, std::ios::binary);
    static const std::vector<char> bfbs{std::istreambuf_iterator<char>(file), {}};
    static comshu_provider provider{};
    provider.size = sizeof provider;
    provider.version = COMSHU_ENGINE_VERSION;
    provider.name = "elsewhere";
    provider.first_type = provider.last_type = 398;
    provider.schema = reinterpret_cast<const uint8_t*>(bfbs.data());
    provider.schema_bytes = bfbs.size();
    TemporaryFolder folder;
    ASSERT_EQ(comshu_engine_declare_provider(&provider), 0);
    ASSERT_TRUE(rec::Start(SmallRings(folder.path())));
    std::vector<uint64_t> expected;
    for (uint32_t level = 0; level < 500; ++level) {
        rec::Instant(FutureRecord{{}, level, 0});
        Call(1);
        expected.push_back(level);
    }
    EXPECT_EQ(Levels(*Opened(folder)), expected) << "while it runs";
    rec::End(static_cast<uint8_t>(schema::EndReason::finished), 0);
    rec::ResetAfterEnd();
    const auto capture = Opened(folder);
    for (const Problem& problem : capture->problems()) ADD_FAILURE() << problem.text;
    EXPECT_EQ(Levels(*capture), expected) << "after the end";
    ASSERT_EQ(capture->processes().size(), 1u);
    EXPECT_EQ(capture->processes()[0]->stream->added_schemas().size(), 1u);
    // Types of the provider's schema outside of its range are not its own.
    EXPECT_EQ(capture->FindTable("mpi_call")->FindColumn("weight"), -1);

    PackResult packed;
    std::string error;
    ASSERT_TRUE(PackCapture({folder.path()}, &packed, &error)) << error;
    EXPECT_EQ(packed.packed, 1u);
    const auto again = Opened(folder);
    EXPECT_EQ(Levels(*again), expected) << "packed";
    EXPECT_TRUE(again->processes()[0]->stream->packed());
    EXPECT_NE(again->FindTable("future"), nullptr);
}

}  // namespace
}  // namespace comshu::read
