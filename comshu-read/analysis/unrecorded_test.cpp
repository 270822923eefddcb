// What is said of figures that do not hold all of the run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "comshu/analysis/sections.h"
#include "comshu/read/export.h"
#include "comshu/read/report.h"
#include "mpi_run.h"
#include "rows_of.h"

namespace comshu::analysis {
namespace {

using schema::MpiFunction;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One of two ranks, which waits for the other one; seven of its records were lost.
class HalfARun : public read::testing::MpiRun {
public:
    HalfARun() {
        Plain(0, 0, 1000, MpiFunction::MPI_Init);
        Receive(0, 2000, 4000, 1, 5);
        Rank(0).writer().Lose(0, 7);
        Plain(0, 5000, 5010, MpiFunction::MPI_Finalize);
        path_ = Finish(5010);
        // As `comshu run --ranks 0` writes it: nothing is amiss then.
        std::ofstream(path_ + "/capture.json") << R"({"environment": {"COMSHU_RANKS": "0"}})";
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

constexpr const char* kElsewhere =
    "1 of 2 ranks is not in the capture (left out by --ranks, of no record in an imported trace, "
    "or their files are not here): the "
    "figures are those of the others, and what these waited for one of them is not told as waiting "
    "for a rank.";

std::unique_ptr<read::Database> Open(const std::string& path) {
    std::string error;
    auto database = read::Database::OpenPaths({path}, &error);
    EXPECT_NE(database, nullptr) << error;
    return database;
}

std::vector<std::string> RemarksOf(read::Database* database, const char* section) {
    std::vector<std::string> remarks;
    std::string error;
    for (const SectionTable& table : FindSection(section)->tables({})) {
        read::Query query;
        if (!table.is_remarks) continue;
        EXPECT_TRUE(AskRemarks(database, table, &query, &error)) << error;
        while (query.Next()) remarks.push_back(query.Text(0));
    }
    return remarks;
}

TEST(Unrecorded, RanksThatWereLeftOutAreCounted) {
    const HalfARun run;
    const auto database = Open(run.path());
    for (const char* section : {"waits", "matrix"})
        EXPECT_THAT(RemarksOf(database.get(), section), ElementsAre(kElsewhere)) << section;
    for (const char* section : {"efficiency", "path"}) {
        EXPECT_THAT(RemarksOf(database.get(), section),
                    ElementsAre(HasSubstr("7 records of 1 rank are not here"), kElsewhere))
            << section;
    }
    // What diff says.
    std::vector<std::string> remarks;
    std::string error;
    ASSERT_TRUE(UnrecordedRemarks(database.get(), &remarks, &error)) << error;
    EXPECT_EQ(remarks.size(), 2u);
    read::Report report;
    ASSERT_TRUE(read::MakeReport(database.get(), {"demo"}, &report, &error)) << error;
    EXPECT_THAT(read::ReportText(report, {}), HasSubstr("  where     1 of 2 ranks, "));
}

// Tables that an export lacks take the remarks on others with them no more.
TEST(Unrecorded, OfAnExportOfSomeTables) {
    const HalfARun run;
    const std::string out = run.path() + ".parquet";
    std::string error;
    ASSERT_TRUE(read::Export(Open(run.path()).get(), read::ExportFormat::kParquet, out, "", &error))
        << error;
    for (const char* table : {"mpi_rank", "pause"})
        std::filesystem::remove(out + "/" + table + ".parquet");
    EXPECT_THAT(RemarksOf(Open(out).get(), "efficiency"),
                ElementsAre(HasSubstr("7 records of 1 rank")));
    EXPECT_THAT(RemarksOf(Open(out).get(), "waits"), ElementsAre());
    std::filesystem::remove_all(out);
}

// The rank's files were expected. Exports of before have no kinds of problems: what was said tells.
TEST(Unrecorded, WhatIsMissingIsToldByKindAndInOlderExportsByText) {
    const HalfARun run;
    std::filesystem::remove(run.path() + "/capture.json");
    const auto database = Open(run.path());
    const auto missing = HasSubstr("1 part is of the files missing or damaged");
    const std::string kinds = "SELECT kind, count(*) FROM problem GROUP BY kind";
    EXPECT_EQ(read::testing::RowsOf(database.get(), kinds, " "), "missing 1\n");
    EXPECT_THAT(RemarksOf(database.get(), "efficiency"), ::testing::Contains(missing));
    const std::string out = run.path() + ".parquet";
    const std::string file = read::SqlText(out + "/problem.parquet");
    std::string error;
    ASSERT_TRUE(read::Export(database.get(), read::ExportFormat::kParquet, out, "", &error))
        << error;
    ASSERT_TRUE(database->Execute("CREATE TEMP TABLE older AS SELECT text FROM read_parquet(" +
                                      file + "); COPY older TO " + file + " (FORMAT parquet)",
                                  &error))
        << error;
    const auto older = Open(out);
    EXPECT_EQ(read::testing::RowsOf(older.get(), kinds, " "), "missing 1\n");
    EXPECT_THAT(RemarksOf(older.get(), "efficiency"), ::testing::Contains(missing));
    read::Report report;
    ASSERT_TRUE(read::MakeReport(older.get(), {"demo"}, &report, &error)) << error;
    EXPECT_TRUE(report.facts.is_damaged);
    std::filesystem::remove_all(out);
}

// Processes that are rank 0 of 1 each, one after another `apart` later.
class Alone {
public:
    explicit Alone(int64_t apart, uint64_t processes = 2, int32_t size = 1) {
        for (uint64_t i = 0; i < processes; ++i) {
            read::testing::ProcessOptions options;
            options.pid += static_cast<uint32_t>(i);
            options.ticks += i * static_cast<uint64_t>(apart) * 2;
            options.realtime_ns += static_cast<int64_t>(i) * apart;
            read::testing::StreamWriter writer(
                folder_.File("run/node0." + std::to_string(options.pid) + ".0.cst"), options);
            const uint64_t library = writer.Intern("Open MPI v4.1.4, package: x");
            writer.Define(schema::MpiRank(writer.Ticks(0), read::testing::kWorld + i,
                                          writer.Intern("job"), library, 0, size, 0, 0, 0));
            writer.Add(0, schema::MpiCall(
                              read::testing::SpanOf(writer.Ticks(100), writer.Ticks(200), 0, 1),
                              0x500, MpiFunction::MPI_Init));
            writer.End(writer.Ticks(1000), schema::EndReason::finished);
        }
    }
    // What is said of it in a section and in the report.
    std::string Told() const {
        const auto database = Open(folder_.path());
        read::Report report;
        std::string error, told;
        EXPECT_TRUE(read::MakeReport(database.get(), {"demo"}, &report, &error)) << error;
        for (const std::string& remark : RemarksOf(database.get(), "path")) told += remark;
        EXPECT_EQ(told.find("rank 0 of 1") == told.npos, report.facts.launcher.empty());
        return report.facts.launcher;
    }

private:
    read::testing::TemporaryFolder folder_;
};

TEST(Unrecorded, ALauncherOfAnotherMpiIsTold) {
    EXPECT_THAT(Alone(10).Told(),
                ::testing::AllOf(HasSubstr("2 processes each say that they are rank 0 of 1"),
                                 HasSubstr("than the program's (Open MPI v4.1.4): start them")));
    // One by one, as a script does; one of them; and ranks that know of each other.
    EXPECT_EQ(Alone(5000).Told(), "");
    EXPECT_EQ(Alone(10, 1).Told(), "");
    EXPECT_EQ(Alone(10, 2, 2).Told(), "");
}

}  // namespace
}  // namespace comshu::analysis
