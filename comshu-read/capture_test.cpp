// Opening captures: processes, ranks, clocks, blocks.
#include <fstream>

#include <gtest/gtest.h>

#include "comshu/read/capture.h"
#include "live_writer.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::LiveWriter;
using testing::ProcessOptions;
using testing::SpanOf;
using testing::StreamWriter;
using testing::TemporaryFolder;

// A rank with `calls` barriers, 100 ns each, one per microsecond.
void WriteRank(const std::string& path, int32_t rank, int calls, ProcessOptions options = {}) {
    options.pid += static_cast<uint32_t>(rank);
    StreamWriter writer(path, options);
    writer.Define(schema::Thread(writer.Ticks(0), writer.Intern("main"), 0, options.pid));
    writer.Define(schema::MpiRank(writer.Ticks(0), 77, writer.Intern("job"), 0, rank, 2, 0, 0, 0));
    for (int i = 0; i < calls; ++i) {
        const uint64_t begin = writer.Ticks(1000 * i);
        writer.Add(0, schema::MpiCall(SpanOf(begin, begin + 200, 0, static_cast<uint64_t>(i) + 1),
                                      0, schema::MpiFunction::MPI_Barrier));
    }
    writer.End(writer.Ticks(1000 * calls), schema::EndReason::finished);
}

TEST(Capture, TwoRanks) {
    TemporaryFolder folder;
    ProcessOptions options;
    options.block_records = 100;
    WriteRank(folder.File("run/node0.1001.0.cst"), 1, 250, options);
    options.raw = true;
    WriteRank(folder.File("run/node0.1000.0.cst"), 0, 130, options);
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    EXPECT_TRUE(capture->problems().empty()) << capture->problems().front().text;
    ASSERT_EQ(capture->processes().size(), 2u);
    const Process& first = *capture->processes()[0];
    const Process& second = *capture->processes()[1];
    EXPECT_EQ(first.rank, 0);
    EXPECT_EQ(second.rank, 1);
    EXPECT_EQ(first.host, "node0");
    EXPECT_EQ(first.state, ProcessState::kFinished);
    EXPECT_EQ(first.threads.at(0).name, "main");
    EXPECT_EQ(first.threads.at(0).recorded, 130u);
    EXPECT_NE(first.CaptureSpanId(core::SpanId(0, 1)), second.CaptureSpanId(core::SpanId(0, 1)));

    std::atomic<uint64_t> calls{0};
    std::atomic<int64_t> last{0};
    capture->ForEachBlock({}, 2, [&](size_t, const Block& block, core::BlockDecoder& decoder) {
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            if (decoder.types()[t].layout->name != "MpiCall") continue;
            calls += decoder.types()[t].count;
            std::vector<uint64_t> begin;
            ASSERT_TRUE(decoder.Values(t, 0, &begin));
            const int64_t ns = capture->processes()[block.process]->scale.ToNs(begin.back());
            if (ns > last) last = ns;
        }
    });
    EXPECT_EQ(calls, 380u);
    EXPECT_NEAR(static_cast<double>(last), 249'000.0, 1.0);

    // The second rank's last block lies after 200 us; the first rank ended before.
    size_t blocks = 0;
    BlockFilter filter;
    filter.t0_ns = 200'500;
    for (const Block& block : capture->blocks()) {
        blocks += !block.definitions() && capture->Passes(block, filter);
    }
    EXPECT_EQ(blocks, 1u);
    filter = {};
    filter.ranks = {0};
    blocks = 0;
    for (const Block& block : capture->blocks()) {
        blocks += !block.definitions() && capture->Passes(block, filter);
    }
    EXPECT_EQ(blocks, 2u);
}

// Containers on two machines: names, and the numbers of processes, are the same on both.
TEST(Capture, ProcessesHaveTheRankOfTheirParentOnTheirOwnHost) {
    const TemporaryFolder folder;
    for (const int32_t rank : {0, 1}) {
        ProcessOptions options;
        options.boot_id = "boot " + std::to_string(rank);
        options.pid -= static_cast<uint32_t>(rank);  // WriteRank counts from there.
        WriteRank(folder.File("run/node0.1000." + std::to_string(rank) + ".cst"), rank, 3, options);
        options.pid = 2000;
        options.parent_pid = 1000;
        StreamWriter child(folder.File("run/node0.2000." + std::to_string(rank) + ".cst"), options);
        child.End(child.Ticks(10), schema::EndReason::finished);
    }
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    ASSERT_EQ(capture->processes().size(), 4u);
    for (const auto& process : capture->processes()) {
        EXPECT_EQ("boot " + std::to_string(process->rank), process->boot_id) << process->path;
    }
}

TEST(Capture, MissingRanksAreTold) {
    TemporaryFolder folder;
    WriteRank(folder.File("run/node0.1001.0.cst"), 1, 3);
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    ASSERT_EQ(capture->problems().size(), 1u);
    EXPECT_NE(capture->problems()[0].text.find("rank 0 of 2 not in the capture"), std::string::npos)
        << capture->problems()[0].text;
    EXPECT_EQ(capture->problems()[0].kind, ProblemKind::kMissing);
    EXPECT_EQ(capture->processes()[0]->rank, 1);
}

// Its stack was copied, then it went to the ring, the ring to the stream and more behind it.
TEST(Capture, ACallThatEndedWhileTheLiveFileWasCopiedCountsOnce) {
    for (const bool ended : {false, true}) {
        for (const uint64_t number : {11u, 15u, 20u, 40u, 41u}) {
            TemporaryFolder folder;
            ProcessOptions options;
            options.block_records = 10;
            StreamWriter writer(folder.File("run/node0.1000.0.cst"), options);
            const auto call = [&](uint64_t i) {
                return schema::MpiCall(
                    SpanOf(writer.Ticks(100 * static_cast<int64_t>(i)),
                           writer.Ticks(100 * static_cast<int64_t>(i) + 50), 0, i),
                    0, schema::MpiFunction::MPI_Barrier);
            };
            for (uint64_t i = 1; i <= 40; ++i) writer.Add(0, call(i));
            writer.Flush();
            LiveWriter live(folder.File("run/node0.1000.0.live"));
            live.AddChunk(0, 2, [](auto*) {});
            schema::MpiCall on_stack = call(number);
            if (!ended) on_stack.mutable_head().mutate_end(0);
            live.PushSpan(0, on_stack);
            live.Write();
            std::string error;
            const auto capture = Capture::Open({folder.path()}, &error);
            ASSERT_NE(capture, nullptr) << error;
            uint64_t calls = 0;
            uint64_t open = 0;
            for (const Block& block : capture->blocks()) {
                if (block.header.thread != 0) continue;
                (block.open_spans ? open : calls) += block.header.record_count;
            }
            EXPECT_EQ(calls, 40u);
            EXPECT_EQ(open, number > 40 ? 1u : 0u) << number;
        }
    }
}

TEST(Capture, OpenCallsOfDeepStacksAreRead) {
    TemporaryFolder folder;
    StreamWriter writer(folder.File("run/node0.1000.0.cst"), {});
    LiveWriter live(folder.File("run/node0.1000.0.live"));
    // The rooms of the first, third and fourth thread do not do.
    const std::vector<uint64_t> depths = {85, 84, 200, 1000};
    for (uint32_t thread = 0; thread < depths.size(); ++thread) {
        for (uint64_t i = 1; i <= depths[thread]; ++i)
            live.PushSpan(thread, schema::MpiCall(SpanOf(writer.Ticks(100), 0, thread, i), 0,
                                                  schema::MpiFunction::MPI_Barrier));
    }
    live.Write();
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    std::vector<uint64_t> open(depths.size());
    for (const Block& block : capture->blocks()) {
        if (block.open_spans) open.at(block.header.thread) += block.header.record_count;
    }
    EXPECT_EQ(open, depths);
}

TEST(Capture, AFolderWithoutStreamsIsRefused) {
    TemporaryFolder folder;
    std::string error;
    EXPECT_EQ(Capture::Open({folder.path()}, &error), nullptr);
    EXPECT_NE(error.find("not a capture"), std::string::npos);
    EXPECT_EQ(Capture::Open({folder.path() + "/nowhere"}, &error), nullptr);
    EXPECT_NE(error.find("no such file"), std::string::npos);
    std::ofstream(folder.path() + "/capture.json") << "{}";
    EXPECT_EQ(Capture::Open({folder.path()}, &error), nullptr);
    EXPECT_NE(error.find("nothing was recorded"), std::string::npos);
}

TEST(Capture, AProcessThatIsGoneWithoutEndWasKilled) {
    TemporaryFolder folder;
    {
        StreamWriter writer(folder.File("run/node0.1000.0.cst"), {});
        writer.Add(0,
                   schema::Gap(writer.Ticks(5), writer.Ticks(6), 3, schema::LossReason::ring_full));
    }
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    EXPECT_EQ(capture->processes()[0]->state, ProcessState::kKilled);
    EXPECT_EQ(capture->processes()[0]->rank, 0);
}

// Its call began at 100 ns, the drain last woke at 5 s, and nobody saw the run end.
TEST(Capture, HowLongAKilledProcessStoodInItsCallIsKnownFromItsLiveFile) {
    TemporaryFolder folder;
    StreamWriter writer(folder.File("run/node0.1000.0.cst"), {});
    writer.Flush();
    LiveWriter live(folder.File("run/node0.1000.0.live"));
    live.AddChunk(0, 1, [](auto*) {});
    live.PushSpan(0, schema::MpiCall(SpanOf(writer.Ticks(100), 0, 0, 1), 0,
                                     schema::MpiFunction::MPI_Barrier));
    live.SetLastAlive(writer.Ticks(5'000'000'000));
    live.Write();
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    EXPECT_EQ(capture->StoodUntilNs(*capture->processes()[0]), 5'000'000'000);
}

}  // namespace
}  // namespace comshu::read
