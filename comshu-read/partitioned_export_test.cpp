// What a partitioned export holds is what the capture holds, and lies where engines look for it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "comshu/read/export.h"
#include "comshu/read/partitioned_export.h"
#include "comshu/read/query.h"
#include "mpi_run.h"
#include "register_statements.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;
using schema::MpiFunction;

class PartitionedExport : public ::testing::Test {
protected:
    static constexpr int kRanks = 5;

    // One for all tests: there are 60 tables to write.
    static void SetUpTestSuite() {
        run_ = std::make_unique<testing::MpiRun>();
        // Later ranks begin earlier: a file in order of ranks is not in order of time.
        for (int i = 0; i < 10; ++i) {
            for (int rank = 0; rank < kRanks; ++rank) {
                const int64_t begin = 1000 * i + 100 * (kRanks - rank);
                run_->Send(rank, begin, begin + 10, (rank + 1) % kRanks, i);
                run_->Receive(rank, begin + 500, begin + 520, (rank + kRanks - 1) % kRanks, i);
            }
        }
        capture_ = run_->Finish(100'000);
        out_ = capture_ + "/lake";
        std::string error;
        const auto database = Open(capture_);
        ASSERT_TRUE(ExportPartitioned(database.get(), out_ + "/", 2, &error)) << error;
    }
    static void TearDownTestSuite() { run_.reset(); }
    static std::unique_ptr<Database> Open(const std::string& path) {
        std::string error;
        auto database = Database::OpenPaths({path}, &error);
        EXPECT_NE(database, nullptr) << error;
        return database;
    }
    static std::string Text(const char* file) {
        std::ifstream in(out_ + "/" + file);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }

    static inline std::unique_ptr<testing::MpiRun> run_;
    static inline std::string capture_;
    static inline std::string out_;
};

TEST_F(PartitionedExport, HoldsWhatTheCaptureHolds) {
    EXPECT_TRUE(IsExportFolder(out_));
    const auto before = Open(capture_);
    const auto after = Open(out_);
    std::string error;
    const std::vector<std::string> names = TableNames(before.get(), &error);
    EXPECT_EQ(TableNames(after.get(), &error), names);
    for (const std::string& name : names) {
        // Types as well as rows.
        for (const std::string& sql :
             {"DESCRIBE " + name, "SELECT * FROM " + name + " ORDER BY ALL"}) {
            EXPECT_EQ(testing::RowsOf(after.get(), sql), testing::RowsOf(before.get(), sql)) << sql;
        }
    }
    EXPECT_EQ(testing::RowsOf(after.get(), "SELECT count(*), sum(bytes) FROM message"), "50 400\n");
}

TEST_F(PartitionedExport, EnginesFindGroupsOfRanksInOrderOfTime) {
    const auto any = Open(capture_);
    const std::string files = "'" + out_ + "/span/*/*.parquet'";
    EXPECT_EQ(
        testing::RowsOf(any.get(),
                        "SELECT rank_group, min(rank), max(rank), count(*) FROM read_parquet(" +
                            files + ", hive_partitioning = true) GROUP BY 1 ORDER BY 1"),
        "0 0 1 40\n1 2 3 40\n2 4 4 20\n");
    for (const char* group : {"0", "1", "2"}) {
        EXPECT_EQ(testing::RowsOf(
                      any.get(),
                      "SELECT count(*) FROM (SELECT begin_ns, lag(begin_ns) OVER (ORDER BY "
                      "file_row_number) AS before FROM read_parquet('" +
                          out_ + "/span/rank_group=" + group +
                          "/part-0.parquet', file_row_number = true)) WHERE before > begin_ns"),
                  "0\n");
    }
    EXPECT_EQ(
        testing::RowsOf(any.get(),
                        "SELECT DISTINCT compression, encodings LIKE '%DELTA_BINARY_PACKED%' FROM "
                        "parquet_metadata(" +
                            files + ") WHERE path_in_schema = 'span_id'"),
        "ZSTD true\n");
    // No unsigned numbers.
    EXPECT_EQ(testing::RowsOf(any.get(), "SELECT count(*) FROM parquet_schema('" + out_ +
                                             "/*/*/*.parquet') WHERE converted_type LIKE 'UINT%'"),
              "0\n");
}

TEST_F(PartitionedExport, FloatingPointNumbersAreWhatVectorizedReadersKnow) {
    const auto any = Open(capture_);
    const std::string encodings = ") WHERE encodings LIKE '%BYTE_STREAM_SPLIT%'";
    EXPECT_EQ(testing::RowsOf(any.get(), "SELECT count(*) FROM parquet_metadata('" + out_ +
                                             "/*/**/*.parquet'" + encodings),
              "0\n");
    // Enough of them that no dictionary holds them.
    std::string error;
    ASSERT_TRUE(
        any->Execute("CREATE TABLE many AS SELECT i, sin(i) AS value, sin(i)::FLOAT AS less "
                     "FROM range(20000) AS t(i)",
                     &error))
        << error;
    const std::string file = out_ + "/../many.parquet";
    ASSERT_TRUE(Export(any.get(), ExportFormat::kParquet, file, "many", &error)) << error;
    EXPECT_EQ(testing::RowsOf(any.get(),
                              "SELECT DISTINCT encodings FROM parquet_metadata('" + file + "')"),
              "PLAIN\n");
}

TEST_F(PartitionedExport, StatementsNameEachTable) {
    std::string error;
    const std::vector<std::string> names = TableNames(Open(capture_).get(), &error);
    const std::string spark = Text("register-spark.sql");
    const std::string trino = Text("register-trino.sql");
    const std::string clickhouse = Text("register-clickhouse.sql");
    EXPECT_NE(spark.find("blanks: dbg_interval_csv\n"), std::string::npos);
    for (const std::string& name : names) {
        EXPECT_NE(clickhouse.find("CREATE OR REPLACE VIEW comshu_lake.`" + name + "` AS "),
                  std::string::npos);
        EXPECT_TRUE(fs::is_directory(out_ + "/" + name)) << name;
        if (name == "dbg_interval_csv") continue;
        EXPECT_NE(spark.find("DROP TABLE IF EXISTS `" + name + "`;\nCREATE TABLE `" + name + "` ("),
                  std::string::npos);
        const std::string table = "hive.comshu_lake.\"" + name + "\"";
        EXPECT_NE(trino.find("DROP TABLE IF EXISTS " + table + ";\nCREATE TABLE " + table + " ("),
                  std::string::npos);
    }
    EXPECT_NE(spark.find("USE comshu_lake;"), std::string::npos);
    EXPECT_NE(spark.find("`tag` INTEGER"), std::string::npos);
    EXPECT_NE(spark.find("PARTITIONED BY (`rank_group`) LOCATION 'file://" + out_ + "/span'"),
              std::string::npos);
    EXPECT_NE(trino.find("'file://" + out_ +
                         "/span', format = 'PARQUET', partitioned_by = "
                         "ARRAY['rank_group']"),
              std::string::npos);
    EXPECT_NE(clickhouse.find("/[^/]*$') AS Int32) AS rank_group FROM file('" + out_ +
                              "/span/*/*.parquet', 'Parquet');\n"),
              std::string::npos);
}

TEST(RegisterStatements, NamesThatMeanSomethingToAnEngine) {
    const std::vector<ExportedTable> tables = {{"odd", {{"begin line", "INTEGER"}}},
                                               {"plain", {{"text", "VARCHAR"}}}};
    const std::string path = "/data/it's {2}\\*/Run 7.b";
    EXPECT_EQ(DatabaseName(path), "comshu_run_7_b");
    const std::string spark = SparkStatements(tables, path);
    EXPECT_NE(spark.find("blanks: odd\n"), std::string::npos);
    EXPECT_EQ(spark.find("`odd`"), std::string::npos);
    EXPECT_NE(spark.find(R"(LOCATION 'file:///data/it\'s {2}\\*/Run 7.b/plain';)"),
              std::string::npos);
    const std::string trino = TrinoStatements(tables, path);
    EXPECT_NE(trino.find("blanks: odd\n"), std::string::npos);
    EXPECT_EQ(trino.find("\"odd\""), std::string::npos);
    EXPECT_NE(trino.find(R"('file:///data/it''s {2}\*/Run 7.b/plain')"), std::string::npos);
    const std::string clickhouse = ClickHouseStatements(tables, path);
    EXPECT_NE(clickhouse.find("`odd` AS SELECT `begin line` FROM"), std::string::npos);
    EXPECT_NE(
        clickhouse.find(
            R"(file('/data/it\'s ?2?\\?/Run 7.b/plain/*.parquet', 'Parquet') WHERE startsWith(_path, '/data/it\'s {2}\\*/Run 7.b/plain/');)"),
        std::string::npos)
        << clickhouse;
}

TEST_F(PartitionedExport, IsRefusedWhereSomethingIs) {
    std::string error;
    EXPECT_FALSE(ExportPartitioned(Open(capture_).get(), out_, 2, &error));
    EXPECT_NE(error.find("exists"), std::string::npos);
}

}  // namespace
}  // namespace comshu::read
