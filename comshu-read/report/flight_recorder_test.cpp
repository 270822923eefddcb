// A flight recorder that flew for a week: what is kept is of the last second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "comshu/read/query.h"
#include "comshu/read/report.h"
#include "mpi_process.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

using testing::MpiProcess;
using testing::TemporaryFolder;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kWeek = 7 * 24 * 3600 * kSecond;
constexpr int64_t kKept = kWeek - kSecond;  // From here on.
constexpr int64_t kLost = 3'000'000'000;    // Calls of each rank before it.
constexpr int kMessages = 100;

class FlightRecorder : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(folder_.File("capture.json"))
            << R"({"command": ["./app"], "environment": {"COMSHU_WINDOW": "1s"}})";
        for (int32_t rank : {0, 1}) Write(rank);
        std::string error;
        database_ = Database::OpenPaths({folder_.path()}, &error);
        ASSERT_NE(database_, nullptr) << error;
    }

    void Write(int32_t rank) {
        MpiProcess process(folder_, rank);
        process.writer().Define(schema::Thread(process.Tick(0), process.writer().Intern("app"), 0,
                                               static_cast<uint32_t>(rank + 1)));
        // Rank 0 had sent as many as rank 1 had received.
        process.writer().Define(schema::MpiLoss(
            process.Tick(0), process.Tick(kKept), MpiProcess::kWorld, kLost, 0, 0, 1 - rank, 5,
            rank == 0 ? schema::MpiDirection::send : schema::MpiDirection::receive));
        process.writer().Lose(0, static_cast<uint32_t>(kLost));
        process.writer().Add(0, schema::Gap(process.Tick(0), process.Tick(kKept), kLost,
                                            schema::LossReason::ring_full));
        for (int i = 0; i < kMessages; ++i) {
            const int64_t begin = kKept + i * 1000;
            if (rank == 0)
                process.Send(begin, 1, 5, 64);
            else
                process.Receive(begin + 100, 0, 0, 5, 64);
        }
        process.End(kWeek);
    }

    std::string Rows(const std::string& sql) { return testing::RowsOf(database_.get(), sql); }

    TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(FlightRecorder, TimesAreExactAfterAWeek) {
    EXPECT_EQ(Rows("SELECT count(*), min(begin_ns), max(duration_ns) FROM span WHERE rank = 0"),
              "100 " + std::to_string(kKept) + " 10\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM span(" + std::to_string(kKept + 50'000) + ", NULL)"),
              "100\n");
    EXPECT_EQ(Rows("SELECT end_ns, lost FROM rank WHERE rank = 1"),
              std::to_string(kWeek) + " " + std::to_string(kLost) + "\n");
    EXPECT_EQ(Rows("SELECT begin_ns, end_ns, lost FROM gap WHERE rank = 0"),
              "0 " + std::to_string(kKept) + " " + std::to_string(kLost) + "\n");
}

TEST_F(FlightRecorder, WhatIsKeptIsMatched) {
    EXPECT_EQ(Rows("SELECT count(*), min(recv_begin_ns - send_begin_ns), max(recv_begin_ns - "
                   "send_begin_ns) FROM message"),
              "100 100 100\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM unmatched"), "0\n");
}

TEST_F(FlightRecorder, TheReportSaysSo) {
    Report report;
    std::string error;
    ASSERT_TRUE(MakeReport(database_.get(), {folder_.path()}, &report, &error)) << error;
    const std::string text = ReportText(report, ReportStyle{});
    EXPECT_THAT(text, ::testing::HasSubstr("for 7 d 0 h"));
    EXPECT_THAT(text, ::testing::HasSubstr("flight recorder: 6,000,000,000 records"));
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("--ring")));
}

}  // namespace
}  // namespace comshu::read
