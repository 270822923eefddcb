// The links of a capture are kept, found again, and not believed when the capture has changed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "comshu/read/links.h"
#include "comshu/read/query.h"
#include "mpi_run.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;
using schema::MpiFunction;

class LinkCache : public ::testing::Test, protected testing::MpiRun {
protected:
    void SetUp() override {
        for (int i = 0; i < 20; ++i) {
            Send(0, 100 * i, 100 * i + 10, 1, i % 3);
            Receive(1, 100 * i + 20, 100 * i + 40, 0, i % 3);
        }
        Send(0, 5000, 5010, 1, 9);
        Collective(MpiFunction::MPI_Barrier, {{6000, 6100}, {6050, 6100}});
        folder_ = Finish(10'000);
    }
    std::unique_ptr<Database> Open() {
        std::string error;
        auto database = Database::OpenPaths({folder_}, &error);
        EXPECT_NE(database, nullptr) << error;
        return database;
    }
    // Everything that the views show.
    static std::string All(Database* database) {
        std::string out;
        for (const char* view : {"message", "unmatched", "collective"}) {
            Query query;
            std::string error;
            if (!query.Run(database, std::string("SELECT * FROM ") + view + " ORDER BY ALL",
                           &error))
                return error;
            while (query.Next()) {
                for (size_t i = 0; i < query.columns().size(); ++i) {
                    out += query.columns()[i].name + "=" + (query.IsNull(i) ? "-" : query.Text(i)) +
                           " ";
                }
                out += "\n";
            }
            out += query.error();
        }
        return out;
    }
    static uint64_t MatchedRows(Database* database) {
        Query query;
        std::string error;
        return query.Run(database, "SELECT matched_rows()", &error) && query.Next()
                   ? query.Unsigned(0)
                   : ~uint64_t{0};
    }
    void Keep() {
        std::string error;
        const auto database = Open();
        ASSERT_TRUE(KeepLinks(database.get(), &error)) << error;
    }

    std::string folder_;
};

TEST_F(LinkCache, TheSameRowsWithoutMatching) {
    const auto before = Open();
    EXPECT_FALSE(HasLinks(before.get()));
    const std::string rows = All(before.get());
    EXPECT_EQ(MatchedRows(before.get()), 23u);
    Keep();
    const auto after = Open();
    EXPECT_TRUE(HasLinks(after.get()));
    EXPECT_EQ(All(after.get()), rows);
    EXPECT_EQ(MatchedRows(after.get()), 0u);
}

TEST_F(LinkCache, ACaptureThatHasChangedDoesNotFindThem) {
    Keep();
    const std::string old = LinkFolder(*Open()->capture());
    ASSERT_TRUE(fs::is_directory(old));
    {
        testing::StreamWriter more(folder_ + "/run/node0.9999.0.cst", {.pid = 9999});
        more.End(more.Ticks(100), schema::EndReason::finished);
    }
    const auto database = Open();
    EXPECT_FALSE(HasLinks(database.get()));
    std::string error;
    ASSERT_TRUE(KeepLinks(database.get(), &error)) << error;
    EXPECT_TRUE(HasLinks(database.get()));
    EXPECT_FALSE(fs::exists(old));
}

TEST_F(LinkCache, DamagedFilesAreLeftAloneAndWrittenAnew) {
    const std::string rows = All(Open().get());
    Keep();
    const std::string file = LinkFolder(*Open()->capture()) + "/message.parquet";
    fs::resize_file(file, fs::file_size(file) / 2);
    const auto database = Open();
    EXPECT_FALSE(HasLinks(database.get()));
    EXPECT_EQ(All(database.get()), rows);
    Keep();
    EXPECT_TRUE(HasLinks(Open().get()));
}

TEST_F(LinkCache, ViewsReadWhatWasKept) {
    const auto database = Open();
    std::string error;
    ASSERT_TRUE(KeepLinks(database.get(), &error)) << error;
    const std::string rows = All(database.get());
    EXPECT_EQ(MatchedRows(database.get()), 0u);
    fs::remove_all(folder_ + "/cache");
    EXPECT_EQ(All(Open().get()), rows);
}

TEST_F(LinkCache, SmallCapturesAreNotWorthIt) {
    const auto database = Open();
    KeepLinksIfWorth(database.get());
    EXPECT_FALSE(fs::exists(folder_ + "/cache"));
    KeepLinksIfWorth(database.get(), 43);
    EXPECT_TRUE(HasLinks(database.get()));
}

}  // namespace
}  // namespace comshu::read
