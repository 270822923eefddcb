// Which rows go to which file of a table of links.
#include "views/link_files.h"

#include <gtest/gtest.h>

#include "comshu/read/database.h"
#include "comshu/read/links.h"
#include "comshu/read/query.h"
#include "mpi_run.h"

namespace comshu::read {
namespace {

TEST(LinkFiles, BinsFillFilesInOrder) {
    EXPECT_EQ(FilesOfBins({5, 5, 0, 1, 20, 0, 3}, 10),
              (std::vector<uint32_t>{0, 0, 0, 1, 2, 2, 3}));
    EXPECT_EQ(FilesOfBins({0, 0, 0}, 10), (std::vector<uint32_t>{0, 0, 0}));
}

TEST(LinkFiles, NamesTellHowManyThereAre) {
    EXPECT_EQ(LinkFileName("message", 0, 1), "message.parquet");
    EXPECT_EQ(LinkFileName("message", 2, 12), "message.00002-of-00012.parquet");
}

TEST(LinkFiles, SqlAndCodeHaveTheSameBins) {
    testing::MpiRun run;
    run.Send(0, 0, 10, 1, 1);
    run.Receive(1, 900'000'000, 1'000'000'000, 0, 1);
    std::string error;
    const auto database = Database::OpenPaths({run.Finish(2'000'000'000)}, &error);
    ASSERT_NE(database, nullptr) << error;
    const LinkBins bins(*database->capture());
    for (const int64_t time : {int64_t{-5}, int64_t{0}, int64_t{12'345'678}, int64_t{999'999'999},
                               int64_t{5'000'000'000}, kNoTime}) {
        Query query;
        const std::string value =
            time == kNoTime ? "NULL::BIGINT" : std::to_string(time) + "::BIGINT";
        ASSERT_TRUE(query.Run(database.get(), "SELECT " + bins.BinSql(value), &error)) << error;
        ASSERT_TRUE(query.Next());
        EXPECT_EQ(query.Unsigned(0), bins.BinOf(time)) << time;
    }
    EXPECT_EQ(bins.BinOf(kNoTime), LinkBins::kBins - 1);
    EXPECT_EQ(bins.BinOf(-5), 0u);
    EXPECT_LT(bins.BinOf(12'345'678), bins.BinOf(999'999'999));
}

TEST(LinkFiles, OfSeveralAllMustBeThere) {
    testing::MpiRun run;
    for (int i = 0; i < 100; ++i) {
        run.Send(0, 1000 * i, 1000 * i + 10, 1, 1);
        run.Receive(1, 1000 * i + 20, 1000 * i + 30, 0, 1);
    }
    const std::string folder = run.Finish(200'000);
    std::string error;
    auto database = Database::OpenPaths({folder}, &error);
    ASSERT_TRUE(KeepLinks(database.get(), &error, 30)) << error;
    const std::vector<std::string> files = LinkFiles(LinkFolder(*database->capture()), "message");
    ASSERT_EQ(files.size(), 4u);
    EXPECT_TRUE(HasLinks(database.get()));
    // In order of time from file to file, and in each. Rows without an order come as threads read them.
    std::string list;
    for (const std::string& file : files) list += (list.empty() ? "" : ", ") + SqlText(file);
    Query query;
    ASSERT_TRUE(query.Run(database.get(),
                          "SELECT send_begin_ns FROM read_parquet([" + list +
                              "], filename = true, file_row_number = true) "
                              "ORDER BY filename, file_row_number",
                          &error))
        << error;
    for (int64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(query.Next());
        EXPECT_EQ(query.Integer(0), 1000 * i);
    }
    EXPECT_FALSE(query.Next());
    std::remove(files[1].c_str());
    EXPECT_FALSE(HasLinks(database.get()));
}

TEST(LinkFiles, TheViewHasTheRowsOfAll) {
    testing::MpiRun run;
    for (int i = 0; i < 100; ++i) {
        run.Send(0, 1000 * i, 1000 * i + 10, 1, 1);
        run.Receive(1, 1000 * i + 20, 1000 * i + 30, 0, 1);
    }
    const std::string folder = run.Finish(200'000);
    std::string error;
    auto database = Database::OpenPaths({folder}, &error);
    ASSERT_TRUE(KeepLinks(database.get(), &error, 30)) << error;
    database = Database::OpenPaths({folder}, &error);
    Query query;
    ASSERT_TRUE(
        query.Run(database.get(), "SELECT count(*), sum(send_begin_ns) FROM message", &error))
        << error;
    ASSERT_TRUE(query.Next());
    EXPECT_EQ(query.Integer(0), 100);
    EXPECT_EQ(query.Integer(1), 1000 * 99 * 100 / 2);
}

}  // namespace
}  // namespace comshu::read
