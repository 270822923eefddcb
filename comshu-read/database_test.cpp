// Captures as SQL: numbers known by construction.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "comshu/read/database.h"
#include "comshu/read/query.h"
#include "stream_writer.h"
#include "temporary_folder.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

using testing::ProcessOptions;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr int kCalls = 5000;

// Each rank sends call i of 8 * (i % 10) bytes with tag i % 3 to the other one; every tenth size is
// not known.
void WriteSends(const std::string& path, int32_t rank, bool raw) {
    ProcessOptions options;
    options.pid += static_cast<uint32_t>(rank);
    options.raw = raw;
    options.block_records = 1000;
    StreamWriter writer(path, options);
    writer.Define(schema::Thread(writer.Ticks(0), writer.Intern("main"), 0, options.pid));
    writer.Define(schema::MpiRank(writer.Ticks(0), 77, writer.Intern("job"), 0, rank, 2, 0, 0, 0));
    writer.Define(schema::MpiComm(writer.Ticks(0), 77, 0, writer.InternList({0, 1}), 0,
                                  writer.Intern("MPI_COMM_WORLD"), 2, rank));
    writer.Define(schema::Note(writer.Ticks(0), writer.Intern("greeting"),
                               writer.Intern("hello from a rank")));
    for (int i = 0; i < kCalls; ++i) {
        const uint64_t begin = writer.Ticks(1000 * i);
        const uint64_t bytes = i % 10 == 0 ? ~uint64_t{0} : 8 * static_cast<uint64_t>(i % 10);
        const schema::SpanHead head(begin, begin + 200,
                                    core::SpanId(0, static_cast<uint64_t>(i) + 2),
                                    static_cast<uint32_t>(i) + 1, schema::SpanFlags::NONE);
        writer.Add(0, schema::MpiPointToPoint(head, 0x400000, 77, bytes, 0, i % 3, 1 - rank,
                                              1 - rank, schema::MpiFunction::MPI_Send));
    }
    writer.End(writer.Ticks(1000 * kCalls), schema::EndReason::finished);
}

class DatabaseTest : public ::testing::Test {
protected:
    void SetUp() override {
        WriteSends(folder_.File("run/node0.1000.0.cst"), 0, true);
        WriteSends(folder_.File("run/node0.1001.0.cst"), 1, false);
        std::string error;
        std::shared_ptr<const Capture> capture = Capture::Open({folder_.path()}, &error);
        ASSERT_NE(capture, nullptr) << error;
        database_ = Database::Open(std::move(capture), &error);
        ASSERT_NE(database_, nullptr) << error;
    }

    std::string Rows(const std::string& sql) { return testing::RowsOf(database_.get(), sql); }

    TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(DatabaseTest, AQueryKnowsHowManyRowsWereTaken) {
    Query query;
    std::string error;
    ASSERT_TRUE(query.Run(database_.get(), "SELECT * FROM range(5000)", &error)) << error;
    EXPECT_EQ(query.taken(), 0u);
    ASSERT_TRUE(query.Next());
    EXPECT_EQ(query.taken(), 1u);
    while (query.Next()) continue;
    EXPECT_EQ(query.taken(), 5000u);
}

TEST_F(DatabaseTest, CountsAndSums) {
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point"), "10000\n");
    EXPECT_EQ(Rows("SELECT rank, tag, count(*), sum(bytes), count(bytes) FROM mpi_point_to_point "
                   "GROUP BY rank, tag ORDER BY rank, tag"),
              "0 0 1667 60024 1500\n0 1 1667 60000 1500\n0 2 1666 59976 1500\n"
              "1 0 1667 60024 1500\n1 1 1667 60000 1500\n1 2 1666 59976 1500\n");
    EXPECT_EQ(Rows("SELECT min(begin_ns), max(end_ns), sum(end_ns - begin_ns) FROM "
                   "mpi_point_to_point WHERE rank = 0"),
              "0 4999100 500000\n");
}

// With DuckDB alone it stops for good (streaming_plan.h).
TEST_F(DatabaseTest, ALongResultOfSeveralPartsComesToItsEnd) {
    Query query;
    std::string error;
    ASSERT_TRUE(query.Run(database_.get(),
                          "SELECT i FROM range(3000000) t(i) UNION ALL SELECT a.i FROM "
                          "range(3000000) a(i) JOIN range(100) b(i) USING (i) UNION ALL "
                          "SELECT max(i) FROM range(3000000) t(i) GROUP BY i % 10",
                          &error))
        << error;
    size_t rows = 0;
    while (query.Next()) ++rows;
    EXPECT_EQ(query.error(), "");
    EXPECT_EQ(rows, 3'000'110u);
}

TEST_F(DatabaseTest, WhatIsSpilledHasAPrivateFolderThatGoes) {
    std::string path = Rows("SELECT current_setting('temp_directory')");
    path.pop_back();
    const std::filesystem::path folder = path;
    EXPECT_TRUE(folder.filename().string().starts_with("comshu-spill-")) << folder;
    ASSERT_TRUE(std::filesystem::is_directory(folder));
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
    database_.reset();
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(DatabaseTest, NamesOfEnumValues) {
    EXPECT_EQ(Rows("SELECT name, count(*) FROM mpi_point_to_point JOIN enum_value ON value = "
                   "function AND enum = 'MpiFunction' GROUP BY name"),
              "MPI_Send 10000\n");
}

TEST_F(DatabaseTest, SpanIdsAreUniqueAndParentsMeet) {
    EXPECT_EQ(Rows("SELECT count(DISTINCT span_id), count(DISTINCT parent_id) FROM "
                   "mpi_point_to_point"),
              "10000 2\n");
}

TEST_F(DatabaseTest, ParametersLeaveOutBlocks) {
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point(ranks := [1])"), "5000\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point(t0_ns := 4500000)"), "2000\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point(t1_ns := 500000)"), "2000\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point(t0_ns := 9000000)"), "0\n");
}

TEST_F(DatabaseTest, RanksThatAreNullAreNone) {
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point(ranks := [NULL, 1])"), "5000\n");
}

// Opening does not read the blocks: only who looks at all of them knows.
TEST_F(DatabaseTest, AChangedByteIsAProblemOnceAllIsLookedAt) {
    const std::string path = folder_.path() + "/run/node0.1000.0.cst";
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2);
    file.seekg(middle);
    const int byte = file.get();
    file.seekp(middle);
    file.put(static_cast<char>(byte ^ 2));
    file.close();
    std::string error;
    database_ = Database::OpenPaths({folder_.path()}, &error);
    ASSERT_NE(database_, nullptr) << error;
    ASSERT_TRUE(database_->CheckAll(&error)) << error;
    ASSERT_TRUE(database_->CheckAll(&error)) << error;
    EXPECT_EQ(Rows("SELECT count(*) FROM problem WHERE kind = 'missing' AND text LIKE "
                   "'%1,000 records%damaged%'"),
              "1\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point"), "9000\n");
}

TEST_F(DatabaseTest, AFolderGivenTwiceIsReadOnce) {
    std::string error;
    database_ = Database::OpenPaths({folder_.path(), folder_.path() + "/."}, &error);
    ASSERT_NE(database_, nullptr) << error;
    EXPECT_EQ(Rows("SELECT count(*) FROM mpi_point_to_point"), "10000\n");
    EXPECT_EQ(
        Rows("SELECT count(*) FROM problem WHERE kind = 'input' AND text LIKE '%given twice%'"),
        "1\n");
}

TEST_F(DatabaseTest, DefinitionsWithTextAndLists) {
    EXPECT_EQ(
        Rows("SELECT rank, comm_rank, name, members, parent, time_ns FROM mpi_comm ORDER BY rank"),
        "0 0 MPI_COMM_WORLD [0, 1] - 0\n1 1 MPI_COMM_WORLD [0, 1] - 0\n");
    EXPECT_EQ(Rows("SELECT rank, kind, text FROM note ORDER BY rank"),
              "0 greeting hello from a rank\n1 greeting hello from a rank\n");
}

TEST_F(DatabaseTest, RanksAndThreads) {
    EXPECT_EQ(Rows("SELECT rank, world, world_rank, host, pid, recorded, lost, state FROM rank "
                   "ORDER BY rank"),
              "0 77 0 node0 1000 5000 0 finished\n1 77 1 node0 1001 5000 0 finished\n");
    EXPECT_EQ(Rows("SELECT rank, thread, name, recorded, lost FROM thread ORDER BY rank"),
              "0 0 main 5000 0\n1 0 main 5000 0\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM problem"), "0\n");
}

TEST_F(DatabaseTest, TypesBeyondNumbersAreText) {
    EXPECT_EQ(Rows("SELECT 1.25::DECIMAL(5,2), [1, 2], true, NULL, sum(1)::HUGEINT"),
              "1.25 [1, 2] true - 1\n");
    EXPECT_EQ(Rows("CREATE TABLE t AS SELECT 3 AS x; SELECT x FROM t;"), "3\n");
    EXPECT_NE(Rows("SELECT nothing FROM rank").find("failed: "), std::string::npos);
}

}  // namespace
}  // namespace comshu::read
