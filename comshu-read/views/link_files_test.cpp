// Which rows go to which file of a table of links.
#include "views/link_files.h"

#include <gtest/gtest.h>

#include <filesystem>

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

TEST(LinkFiles, BinsFollowTime) {
    testing::MpiRun run;
    run.Send(0, 0, 10, 1, 1);
    run.Receive(1, 900'000'000, 1'000'000'000, 0, 1);
    std::string error;
    const auto database = Database::OpenPaths({run.Finish(2'000'000'000)}, &error);
    ASSERT_NE(database, nullptr) << error;
    const LinkBins bins(*database->capture());
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

// One of the first file is received last, so all others come while it waits.
TEST(LinkFiles, ALateRowComesIntoAnEarlyFile) {
    testing::MpiRun run;
    run.Send(0, 0, 10, 2, 9);
    run.Receive(2, 5, 150'000, 0, 9);
    for (int i = 0; i < 100; ++i) {
        run.Send(0, 1000 * i + 100, 1000 * i + 110, 1, 1);
        run.Receive(1, 1000 * i + 120, 1000 * i + 130, 0, 1);
    }
    const std::string folder = run.Finish(200'000);
    std::string error;
    auto database = Database::OpenPaths({folder}, &error);
    ASSERT_NE(database, nullptr) << error;
    ASSERT_TRUE(KeepLinks(database.get(), &error, 10)) << error;
    const std::string links = LinkFolder(*database->capture());
    const std::vector<std::string> files = LinkFiles(links, "message");
    ASSERT_EQ(files.size(), 11u);
    int64_t rows = 0;
    int64_t sent = 0;
    for (const std::string& file : files) {
        Query query;
        ASSERT_TRUE(query.Run(database.get(),
                              "SELECT count(*), count(*) FILTER (tag = 9), sum(send_begin_ns) FROM "
                              "read_parquet(" +
                                  SqlText(file) + ")",
                              &error))
            << error;
        ASSERT_TRUE(query.Next());
        rows += query.Integer(0);
        EXPECT_EQ(query.Integer(1), file == files.front() ? 1 : 0);
        sent += query.Integer(2);
    }
    EXPECT_EQ(rows, 101);
    EXPECT_EQ(sent, 100 * 100 + 1000 * 99 * 100 / 2);
    EXPECT_FALSE(std::filesystem::exists(links + "/spill"));
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
