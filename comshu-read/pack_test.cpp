// Packing: the same records, fewer bytes, whatever happens in between.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "comshu/read/dump.h"
#include "comshu/read/pack.h"
#include "live_writer.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::AppendRecord;
using testing::LiveWriter;
using testing::ProcessOptions;
using testing::SpanOf;
using testing::StreamWriter;
using testing::TemporaryFolder;

schema::MpiPointToPoint Send(uint64_t begin, uint32_t thread, uint64_t number) {
    return schema::MpiPointToPoint(
        SpanOf(begin, begin + 100 + number % 13, thread, number), 0x400123, 77, 8 * (number % 100),
        number, static_cast<int32_t>(number % 3), 1, 1, schema::MpiFunction::MPI_Isend);
}

// All records as text.
std::string Dumped(const std::string& folder) {
    std::string error;
    const auto capture = Capture::Open({folder}, &error);
    if (capture == nullptr) return error;
    char* text = nullptr;
    size_t bytes = 0;
    std::FILE* out = open_memstream(&text, &bytes);
    EXPECT_TRUE(Dump(*capture, {}, out, &error)) << error;
    std::fclose(out);
    std::string dumped(text, bytes);
    std::free(text);
    for (const Problem& problem : capture->problems()) dumped += "problem " + problem.text + '\n';
    return dumped;
}

size_t Lines(const std::string& text, const std::string& start) {
    std::istringstream lines(text);
    size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.starts_with(start);
    return count;
}

TEST(Pack, SameRecordsFewerBytes) {
    TemporaryFolder folder;
    ProcessOptions options;
    options.block_records = 700;
    for (const bool raw : {false, true}) {
        options.raw = raw;
        options.pid += 1;
        StreamWriter writer(folder.File("run/node0." + std::to_string(options.pid) + ".0.cst"),
                            options);
        for (uint32_t thread = 0; thread < 3; ++thread) {
            for (uint64_t i = 1; i <= 20'000; ++i)
                writer.Add(thread, Send(writer.Ticks(static_cast<int64_t>(1000 * i)), thread, i));
        }
        writer.Lose(1, 5);
        writer.Add(1,
                   schema::Gap(writer.Ticks(1), writer.Ticks(2), 5, schema::LossReason::ring_full));
        writer.End(writer.Ticks(30'000'000), schema::EndReason::finished);
    }
    const std::string before = Dumped(folder.path());
    ASSERT_EQ(Lines(before, "mpi_point_to_point"), 120'000u);
    PackResult result;
    std::string error;
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    EXPECT_EQ(result.packed, 2u);
    EXPECT_TRUE(result.left.empty()) << result.left.front();
    EXPECT_LT(result.bytes_after * 4, result.bytes_before);
    EXPECT_EQ(Dumped(folder.path()), before);

    // Blocks of a thread were joined: 20,000 records are two blocks now.
    const auto capture = Capture::Open({folder.path()}, &error);
    size_t blocks = 0;
    uint32_t lost = 0;
    for (const Block& block : capture->blocks()) {
        blocks += !block.definitions();
        lost += block.header.lost;
    }
    EXPECT_EQ(blocks, 2u * 3u * 2u);
    EXPECT_EQ(lost, 10u);

    // Again: nothing to do.
    result = {};
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    EXPECT_EQ(result.packed, 0u);
    EXPECT_EQ(result.already, 2u);
}

TEST(Pack, TheDescriptionIsThatOfTheRecords) {
    TemporaryFolder folder;
    const std::string path = folder.File("run/node0.1000.0.cst");
    {
        StreamWriter writer(path, {});
        writer.Add(0, Send(writer.Ticks(1000), 0, 1));
        writer.End(writer.Ticks(2000), schema::EndReason::finished);
    }
    PackResult result;
    std::string error;
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    const auto stream = StreamReader::Open(path, &error);
    ASSERT_NE(stream, nullptr) << error;
    ASSERT_TRUE(stream->has_schema());
    EXPECT_TRUE(stream->packed());
    const core::Schema& schema = stream->schema();
    EXPECT_EQ(schema.FindTable("mpi_rma"), nullptr);
    const core::RecordLayout* sends = schema.FindTable("mpi_point_to_point");
    const core::RecordLayout* whole = core::Schema::BuiltIn().FindTable("mpi_point_to_point");
    ASSERT_NE(sends, nullptr);
    EXPECT_EQ(sends->struct_bytes, whole->struct_bytes);
    EXPECT_EQ(sends->layer, "mpi");
    ASSERT_EQ(sends->columns.size(), whole->columns.size());
    for (size_t i = 0; i < whole->columns.size(); ++i) {
        EXPECT_EQ(sends->columns[i].name, whole->columns[i].name);
        EXPECT_EQ(sends->columns[i].offset, whole->columns[i].offset);
        EXPECT_EQ(sends->columns[i].unit, whole->columns[i].unit);
        EXPECT_EQ(sends->columns[i].null, whole->columns[i].null);
    }
    const int function = sends->columns.back().enum_index;
    ASSERT_GE(function, 0);
    const core::EnumType& names = schema.enums()[static_cast<size_t>(function)];
    EXPECT_EQ(names.name, "MpiFunction");
    ASSERT_EQ(names.values.size(), 1u);
    EXPECT_EQ(names.values[0].second, "MPI_Isend");
    EXPECT_EQ(names.values[0].first, static_cast<int64_t>(schema::MpiFunction::MPI_Isend));
}

TEST(Pack, WhatWaitedInTheRingComesInAndTheRingGoes) {
    TemporaryFolder folder;
    const std::string stem = folder.File("run/node0.1000.0");
    {
        StreamWriter writer(stem + ".cst", {});
        for (uint64_t i = 1; i <= 10; ++i)
            writer.Add(0, Send(writer.Ticks(static_cast<int64_t>(1000 * i)), 0, i));
        writer.Flush();
        // The stream covers chunk 1; chunk 2 and a call in progress are in the ring alone.
        LiveWriter live(stem + ".live");
        live.AddChunk(0, 1, [&](auto* out) {
            for (uint64_t i = 1; i <= 10; ++i)
                AppendRecord(Send(writer.Ticks(static_cast<int64_t>(1000 * i)), 0, i), out);
        });
        live.AddChunk(0, 2, [&](auto* out) {
            for (uint64_t i = 11; i <= 15; ++i)
                AppendRecord(Send(writer.Ticks(static_cast<int64_t>(1000 * i)), 0, i), out);
        });
        schema::MpiPointToPoint open = Send(writer.Ticks(16'000), 0, 16);
        open.mutable_head().mutate_end(0);
        live.PushSpan(0, open);
        live.Write();
    }
    const std::string before = Dumped(folder.path());
    EXPECT_EQ(Lines(before, "mpi_point_to_point"), 16u);
    const std::string live_path = stem + ".live";
    ASSERT_TRUE(std::filesystem::exists(live_path));
    std::filesystem::copy(live_path, folder.File("live"));
    PackResult result;
    std::string error;
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    EXPECT_EQ(result.packed, 1u);
    EXPECT_TRUE(result.left.empty()) << result.left.front();
    EXPECT_FALSE(std::filesystem::exists(live_path));
    EXPECT_EQ(Dumped(folder.path()), before);

    // Ended between rename and removal: both are there, and nothing counts twice.
    std::filesystem::copy(folder.File("live"), live_path);
    EXPECT_EQ(Dumped(folder.path()), before);
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    EXPECT_FALSE(std::filesystem::exists(live_path));
    EXPECT_EQ(Dumped(folder.path()), before);
}

TEST(Pack, ADamagedStreamIsLeftAlone) {
    TemporaryFolder folder;
    const std::string path = folder.File("run/node0.1000.0.cst");
    {
        ProcessOptions options;
        options.block_records = 100;
        StreamWriter writer(path, options);
        for (uint64_t i = 1; i <= 1000; ++i)
            writer.Add(0, Send(writer.Ticks(static_cast<int64_t>(1000 * i)), 0, i));
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path)) - 64);
    file.write("damage", 6);
    file.close();
    const std::string before = Dumped(folder.path());
    EXPECT_EQ(Lines(before, "mpi_point_to_point"), 900u);
    EXPECT_GE(Lines(before, "problem"), 1u);
    PackResult result;
    std::string error;
    ASSERT_TRUE(PackCapture({folder.path()}, &result, &error)) << error;
    EXPECT_EQ(result.packed, 0u);
    ASSERT_EQ(result.left.size(), 1u);
    EXPECT_NE(result.left[0].find("damage"), std::string::npos);
    EXPECT_EQ(Dumped(folder.path()), before);
}

}  // namespace
}  // namespace comshu::read
