#include "launch/capture_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "comshu/schema/record_traits.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::launch {
namespace {
namespace fs = std::filesystem;
using read::testing::ProcessOptions;
using read::testing::StreamWriter;
using testing::ElementsAre;

TEST(CaptureEnd, CountsCallsLossesAndNotes) {
    read::testing::TemporaryFolder folder;
    const std::string pass = folder.path() + "/run";
    fs::create_directories(pass);
    for (uint32_t pid : {10u, 11u}) {
        ProcessOptions options;
        options.pid = pid;
        StreamWriter writer(pass + "/node0." + std::to_string(pid) + ".0.cst", options);
        const uint64_t kind = writer.Intern("ring");
        writer.Define(schema::Note(writer.Ticks(0), kind, writer.Intern("rings are in memory")));
        if (pid == 11) {
            writer.Define(schema::Note(writer.Ticks(0), kind, writer.Intern("only here")));
        }
        for (uint64_t call = 1; call <= 5; ++call) {
            const uint64_t tick = writer.Ticks(static_cast<int64_t>(call) * 100);
            writer.Add(
                0, schema::MpiCall(schema::SpanHead(tick, tick + 10, call, 0, schema::SpanFlags{}),
                                   0, schema::MpiFunction::MPI_Barrier));
        }
        writer.Lose(0, pid == 10 ? 3 : 0);
        writer.End(writer.Ticks(1'000'000), schema::EndReason::finished);
    }
    std::string error;
    auto capture = read::Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    CaptureCounts counts = CountCapture(*capture);
    EXPECT_EQ(counts.processes, 2u);
    EXPECT_EQ(counts.calls, 10u);
    EXPECT_EQ(counts.lost, 3u);
    EXPECT_EQ(counts.bytes,
              fs::file_size(pass + "/node0.10.0.cst") + fs::file_size(pass + "/node0.11.0.cst"));
    EXPECT_THAT(CaptureNotes(*capture),
                ElementsAre("rings are in memory (2 processes)", "only here"));
    EXPECT_TRUE(BringRingsHome(*capture, "node0").empty());
}

TEST(CaptureEnd, StreamsThatMayGrowElsewhereAreLeft) {
    read::testing::TemporaryFolder folder;
    const std::string pass = folder.path() + "/run";
    fs::create_directories(pass);
    uint32_t pid = 10;
    for (const char* name : {"here.10.0", "here.11.0", "here.net.12.0", "here.net.13.0"}) {
        ProcessOptions options;
        options.pid = pid++;
        options.host = fs::path(name).stem().stem().string();
        StreamWriter writer(pass + "/" + name + ".cst", options);
        // The odd ones have not ended.
        if (options.pid % 2 == 0) writer.End(writer.Ticks(10), schema::EndReason::finished);
    }
    std::string error;
    auto capture = read::Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    std::vector<std::string> left;
    EXPECT_THAT(
        StreamsToPack(*capture, "here", &left),
        ElementsAre(pass + "/here.10.0.cst", pass + "/here.11.0.cst", pass + "/here.net.12.0.cst"));
    EXPECT_THAT(left, ElementsAre(testing::HasSubstr("here.net.13.0.cst")));
}

}  // namespace
}  // namespace comshu::launch
