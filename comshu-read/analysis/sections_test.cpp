// The numbers that sections show of a run whose numbers are known.
#include "comshu/analysis/sections.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "comshu/read/export.h"
#include "comshu/read/query.h"
#include "comshu/schema/openmp_traits.h"
#include "mpi_run.h"
#include "rows_of.h"

namespace comshu::analysis {
namespace {

using schema::MpiFunction;

class SectionsRun : public read::testing::MpiRun {
public:
    SectionsRun() {
        for (int32_t rank = 0; rank < 2; ++rank) Plain(rank, 0, 1000, MpiFunction::MPI_Init);
        Send(0, 2000, 2010, 1, 5);
        Receive(1, 1500, 2100, 0, 5);
        Collective(MpiFunction::MPI_Barrier, {{2500, 4000}, {3900, 4000}});
        for (int32_t rank = 0; rank < 2; ++rank) Plain(rank, 5000, 5000, MpiFunction::MPI_Finalize);
        path_ = Finish(5000);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Opening a capture takes far longer than asking it: the tests share one.
class SectionsTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        run_ = std::make_unique<SectionsRun>();
        std::string error;
        database_ = read::Database::OpenPaths({run_->path()}, &error);
        ASSERT_NE(database_, nullptr) << error;
    }
    static void TearDownTestSuite() {
        database_.reset();
        run_.reset();
    }

    // Rows of one table of a section.
    std::string Rows(const std::string& name, const std::string& table, const Filter& filter = {}) {
        const Section* section = FindSection(name);
        if (section == nullptr) return "no such section";
        std::string error;
        if (!Prepare(*section, filter, database_.get(), &error)) return error;
        std::string out = "no such table";
        for (const SectionTable& at : section->tables(filter)) {
            if (at.name != table) continue;
            out = read::testing::RowsOf(database_.get(), at.sql, " | ");
        }
        return out;
    }

    static inline std::unique_ptr<SectionsRun> run_;
    static inline std::unique_ptr<read::Database> database_;
};

TEST(Sections, ListsKnowWhatTheyLeaveOut) {
    const SectionTable list{"calls", "Calls", "SELECT rank FROM rank ORDER BY rank", 40};
    EXPECT_EQ(ShortSql(list), "SELECT rank FROM rank ORDER BY rank LIMIT 40");
    const SectionTable whole{"calls", "Calls", "SELECT * FROM (SELECT rank FROM rank LIMIT 40)"};
    EXPECT_EQ(ShortSql(whole), whole.sql);
    // All rows are asked of a query that holds no limit of its own.
    for (const Section& section : Sections()) {
        for (const SectionTable& table : section.tables({}))
            EXPECT_EQ(table.sql.find(" LIMIT "), std::string::npos) << table.name;
    }
}

TEST_F(SectionsTest, EveryQueryOfEverySectionRuns) {
    Filter filter;
    std::string error;
    ASSERT_TRUE(filter.SetWindow("1000ns:4000ns", &error));
    filter.ranks = {0, 1};
    for (const Section& section : Sections()) {
        ASSERT_TRUE(Prepare(section, filter, database_.get(), &error)) << section.name << error;
        for (const SectionTable& table : section.tables(filter)) {
            read::Query query;
            EXPECT_TRUE(query.Run(database_.get(), ShortSql(table), &error))
                << section.name << " " << table.name << ": " << error;
        }
    }
}

TEST_F(SectionsTest, Waits) {
    EXPECT_EQ(Rows("waits", "by_rank"),
              "0 | wait at barrier | 1 | 0.0014 | 0\n"
              "1 | late sender | 1 | 0.0005 | 0\n");
    EXPECT_EQ(Rows("waits", "by_kind"),
              "wait at barrier | 1 | 0.0014 | 0.0014 | 14\n"
              "late sender | 1 | 0.0005 | 0.0005 | 5\n");
    EXPECT_EQ(Rows("waits", "by_cause"),
              "1 | 0 | wait at barrier | 1 | 0.0014\n"
              "0 | 1 | late sender | 1 | 0.0005\n");
}

// Three threads of one rank wait for nine tenths of its time: not 270 %.
TEST_F(SectionsTest, WaitingOfThreadsIsAShareOfTheTimeOfAllThreads) {
    read::testing::TemporaryFolder folder;
    {
        read::testing::StreamWriter writer(folder.File("run/node0.1000.0.cst"), {});
        for (uint32_t thread = 0; thread < 3; ++thread) {
            writer.Add(thread, schema::OmpWait(read::testing::SpanOf(writer.Ticks(100),
                                                                     writer.Ticks(1000), thread, 1),
                                               0, 1, schema::OmpFunction::implicit_barrier_wait));
        }
        writer.End(writer.Ticks(1000), schema::EndReason::finished);
    }
    std::string error;
    auto current = std::exchange(database_, read::Database::OpenPaths({folder.path()}, &error));
    ASSERT_NE(database_, nullptr) << error;
    EXPECT_EQ(Rows("waits", "by_kind"), "OpenMP wait | 3 | 0.0027 | 0.0009 | 90\n");
    database_ = std::move(current);
}

TEST_F(SectionsTest, WindowRankAndCondition) {
    Filter filter;
    std::string error;
    // Half of the waiting at the barrier.
    ASSERT_TRUE(filter.SetWindow("3200ns:", &error));
    EXPECT_EQ(Rows("waits", "by_rank", filter), "0 | wait at barrier | 1 | 0.0007 | 0\n");
    filter = Filter{};
    filter.ranks = {1};
    EXPECT_EQ(Rows("waits", "by_rank", filter), "1 | late sender | 1 | 0.0005 | 0\n");
    filter = Filter{};
    filter.where = "name = 'MPI_Barrier'";
    EXPECT_EQ(Rows("waits", "by_rank", filter), "0 | wait at barrier | 1 | 0.0014 | 0\n");
}

// Rank 1 was the last at the barrier: it waited for nobody there, and rank 0 waited for it.
TEST_F(SectionsTest, WhoWaitedForAChosenRankIsTold) {
    Filter filter;
    filter.ranks = {1};
    EXPECT_EQ(Rows("waits", "by_cause", filter),
              "1 | 0 | wait at barrier | 1 | 0.0014\n"
              "0 | 1 | late sender | 1 | 0.0005\n");
    EXPECT_EQ(Rows("waits", "by_kind", filter), "late sender | 1 | 0.0005 | 0.0005 | 10\n");
    EXPECT_EQ(Rows("waits", "by_call", filter), "late sender | MPI_Recv | - | 1 | 0.0005 | 10\n");
}

TEST_F(SectionsTest, EveryTableIsNarrowedToRanksOrSaysThatItIsNot) {
    Filter filter;
    filter.ranks = {0};
    EXPECT_EQ(Rows("path", "by_rank", filter), "0 | 0.0021 | 52.5 | 0.0014\n");
    EXPECT_EQ(Rows("path", "by_call", filter),
              "before MPI_Finalize | - | 1 | 0.001 | 25 | -\n"
              "before MPI_Send | - | 1 | 0.001 | 25 | -\n"
              "MPI_Barrier | - | 1 | 0.0001 | 2.5 | -\n");
    for (const SectionTable& table : FindSection("efficiency")->tables(filter)) {
        EXPECT_EQ(table.of_all_ranks, table.name != "useful" && table.name != "remarks")
            << table.name;
    }
    for (const Section& section : Sections()) {
        for (const SectionTable& table : section.tables(filter)) {
            EXPECT_TRUE(!section.takes_ranks || table.of_all_ranks ||
                        (PrepareSql(section, filter) + table.sql).find("IN (0)") !=
                            std::string::npos)
                << section.name << "." << table.name;
        }
    }
}

TEST_F(SectionsTest, TimesOfCallsAreThoseInTheWindow) {
    Filter filter;
    std::string error;
    ASSERT_TRUE(filter.SetWindow("3000ns:3500ns", &error));
    EXPECT_EQ(Rows("calls", "calls", filter), "mpi | MPI_Barrier | - | 1 | 0.0005 | 0.0005 | 8\n");
}

TEST_F(SectionsTest, Efficiency) {
    // Useful: rank 0 4000 - 10 - 1500, rank 1 4000 - 600 - 100; of 4000 each.
    EXPECT_EQ(Rows("efficiency", "useful"), "0 | 0.00249 | 62.25\n1 | 0.0033 | 82.5\n");
    // Rank 1 is held by the send at 1000, works 1800, then both 1000.
    EXPECT_EQ(Rows("efficiency", "efficiency"),
              "0.001 | 0.005 | 72.38 | 87.73 | 82.5 | 86.84 | 95\n");
}

TEST_F(SectionsTest, Path) {
    EXPECT_EQ(Rows("path", "by_rank"), "0 | 0.0021 | 52.5 | 0.0014\n1 | 0.0019 | 47.5 | 0.0005\n");
    EXPECT_EQ(Rows("path", "by_call"),
              "before MPI_Barrier | - | 1 | 0.0018 | 45 | -\n"
              "before MPI_Finalize | - | 1 | 0.001 | 25 | -\n"
              "before MPI_Send | - | 1 | 0.001 | 25 | -\n"
              "MPI_Barrier | - | 1 | 0.0001 | 2.5 | 0\n"
              "MPI_Recv | - | 1 | 0.0001 | 2.5 | 0\n");
}

TEST_F(SectionsTest, WhatWasNotRecordedIsTold) {
    EXPECT_EQ(Rows("efficiency", "remarks"), "");
    EXPECT_EQ(Rows("path", "remarks"), "");
    std::string error;
    ASSERT_TRUE(database_->Execute(
        "CREATE TEMP TABLE rank AS SELECT * FROM (VALUES (0, 7, 'finished'), (1, 53, 'killed')) "
        "r(rank, lost, state); CREATE TEMP TABLE pause AS SELECT 1 AS rank, 340 AS skipped",
        &error))
        << error;
    // Without what prepares the section: that reads the ranks too.
    const auto remarks = [&](const char* section, const Filter& filter) {
        std::string out;
        for (const SectionTable& table : FindSection(section)->tables(filter)) {
            read::Query query;
            if (!table.is_remarks || !query.Run(database_.get(), table.sql, &error)) continue;
            while (query.Next()) out += query.Text(0) + "\n";
        }
        return out;
    };
    EXPECT_EQ(
        remarks("path", {}),
        "60 records of 2 ranks are not here (lost or overwritten): where they are missing a rank "
        "counts as outside of MPI, as useful work.\n"
        "Recording was paused or stopped on 1 rank (340 records left out): that time counts as "
        "outside of MPI, as useful work.\n"
        "1 rank did not end by itself (killed, cut off or still running): what a rank did outside "
        "of "
        "MPI after its last call is not here.\n");
    std::vector<std::string> of_the_run;
    ASSERT_TRUE(UnrecordedRemarks(database_.get(), &of_the_run, &error)) << error;
    EXPECT_EQ(of_the_run.size(), 3u);
    Filter filter;
    filter.ranks = {0};
    EXPECT_EQ(
        remarks("efficiency", filter),
        "7 records of 1 rank are not here (lost or overwritten): where they are missing a rank "
        "counts as outside of MPI, as useful work.\n");
    EXPECT_TRUE(database_->Execute("DROP TABLE temp.rank; DROP TABLE temp.pause", &error)) << error;
}

TEST_F(SectionsTest, WhatHasNoRowsIsTold) {
    for (const Section& section : Sections()) EXPECT_STRNE(section.none, "") << section.name;
    std::string why, error;
    ASSERT_TRUE(WhyNothing(database_.get(), *FindSection("openmp"), {}, &why, &error)) << error;
    EXPECT_NE(why.find("`comshu run -p openmp` records"), why.npos) << why;
    Filter filter;
    filter.ranks = {1};
    ASSERT_TRUE(WhyNothing(database_.get(), *FindSection("matrix"), filter, &why, &error)) << error;
    EXPECT_EQ(why,
              "No message was sent and received. That is of what --window, --rank and --where "
              "leave.");
}

TEST_F(SectionsTest, Matrix) {
    EXPECT_EQ(Rows("matrix", "pairs"), "0 | 1 | 1 | 8 | 8 | 8\n");
}

// As an older comshu wrote it: no names of communicators, no views of waiting and one-sided calls.
TEST_F(SectionsTest, OfOlderExports) {
    const std::string out = run_->path() + ".parquet";
    std::string error;
    ASSERT_TRUE(read::Export(database_.get(), read::ExportFormat::kParquet, out, "", &error))
        << error;
    for (const char* view : {"span", "message", "unmatched", "collective"}) {
        const std::string file = out + "/" + view + ".parquet";
        ASSERT_TRUE(
            database_->Execute("CREATE OR REPLACE TEMP TABLE older AS SELECT * EXCLUDE "
                               "comm_name FROM read_parquet(" +
                                   read::SqlText(file) + "); COPY older TO " + read::SqlText(file) +
                                   " (FORMAT parquet)",
                               &error))
            << error;
    }
    for (const char* view : {"wait_state", "rma_epoch", "file_access"})
        std::filesystem::remove(out + "/" + view + ".parquet");
    auto current = std::exchange(database_, read::Database::OpenPaths({out}, &error));
    ASSERT_NE(database_, nullptr) << error;
    EXPECT_EQ(Rows("matrix", "pairs"), "0 | 1 | 1 | 8 | 8 | 8\n");
    EXPECT_EQ(Rows("matrix", "communicators"), "- | 5 | 1 | 8 | 77\n");
    EXPECT_EQ(Rows("waits", "by_rank"),
              "0 | wait at barrier | 1 | 0.0014 | 0\n"
              "1 | late sender | 1 | 0.0005 | 0\n");
    for (const Section& section : Sections()) {
        if (std::string_view(section.name) == "openmp") continue;
        ASSERT_TRUE(Prepare(section, {}, database_.get(), &error)) << section.name << error;
        for (const SectionTable& table : section.tables({})) {
            read::Query query;
            EXPECT_TRUE(query.Run(database_.get(), table.sql, &error))
                << section.name << " " << table.name << ": " << error;
        }
    }
    database_ = std::move(current);
    std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace comshu::analysis
