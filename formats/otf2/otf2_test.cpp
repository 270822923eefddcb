#include <cstdlib>

#include "comshu/format/export.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

class Otf2 : public testing::ImportTest {
protected:
    void SetUp() override {
#ifndef COMSHU_HAVE_OTF2
        GTEST_SKIP() << "built without OTF2";
#endif
    }
    void Export() {
        archive_ = folder_ + "/archive";
        ExportResult result;
        std::string error;
        ASSERT_TRUE(ExportOtf2(database_.get(), archive_, &result, &error)) << error;
        remarks_ = result.remarks;
        records_ = result.records;
    }
    void ImportArchive() {
        capture_ = folder_ + "/again";
        result_ = {};
        ASSERT_TRUE(Import({archive_}, capture_, {}, &result_, &error_)) << error_;
        database_ = read::Database::OpenPaths({capture_}, &error_);
        ASSERT_NE(database_, nullptr) << error_;
    }
    std::string archive_;
    std::vector<std::string> remarks_;
    uint64_t records_ = 0;
};

constexpr const char* kTrace =
    "4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n7 0 5 1 7\n8 0 50 1 0 7 8\n"
    "20 0 60 1 3 0 0\n20 0 61 1 4 0 0\n21 0 65 1 4 0 0\n21 0 70 1 3 0 0\n"
    "20 0 80 0 -1 0 0\n21 0 90 0 -1 0 0\n20 0 85 1 -1 0 0\n21 0 91 1 -1 0 0\n15 0 92 0 1\n";

TEST_F(Otf2, AnArchiveComesBack) {
    ImportText(kTrace);
    const std::string spans = "select rank, name, layer, begin_ns, end_ns from span order by all";
    const std::string messages =
        "select send_rank, recv_rank, tag, bytes, send_begin_ns, recv_end_ns from message";
    const std::string collectives =
        "select name, rank, begin_ns, end_ns, dense_rank() over (order by instance) from "
        "collective "
        "order by rank";
    const std::string before = Ask(spans) + Ask(messages) + Ask(collectives);
    Export();
    // Six spans, each an enter and a leave; two sides of a message; two calls of a collective.
    EXPECT_EQ(records_, 12u + 2u + 4u);
    EXPECT_EQ(remarks_,
              std::vector<std::string>({"1 marks left out", "2 values of counters left out"}));
    ImportArchive();
    EXPECT_EQ(file().format, "OTF2");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask(spans) + Ask(messages) + Ask(collectives), before);
    EXPECT_EQ(Ask("select rank, name from rank order by 1"), "0 node 0\n1 node 1\n");
}

TEST_F(Otf2, MessagesThatRunBackwardsStay) {
    ImportText(
        "4 0 100 0 1 7 8\n11 0 100 0 0 0\n11 0 150 0 0 50\n"
        "6 0 90 1 0 7 8\n11 0 90 1 0 0\n11 0 95 1 0 5\n");
    Export();
    ImportArchive();
    EXPECT_EQ(Ask("select send_begin_ns, recv_end_ns from message"), "100000 95000\n");
}

TEST_F(Otf2, WhatIsNoArchiveIsRefused) {
    ImportText(kTrace);
    Export();
    std::ofstream(archive_ + "/traces.def", std::ios::binary) << "damaged";
    std::string error;
    EXPECT_FALSE(Import({archive_ + "/traces.otf2"}, folder_ + "/none", {}, &result_, &error));
    EXPECT_NE(error.find("traces.otf2"), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/none"));
}

}  // namespace
}  // namespace comshu::format
