// How processes failed, as `comshu run` around each of them saw it.
#include <gtest/gtest.h>

#include <fstream>

#include "comshu/read/capture.h"
#include "comshu/read/query.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::ProcessOptions;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr int64_t kBegin = 1'700'000'000'000'000'000;

class FailuresTest : public ::testing::Test {
protected:
    // An image that begins `at_ns` after the first one and says nothing of its end.
    void WriteImage(uint32_t pid, uint16_t exec_number, int64_t at_ns, uint32_t parent_pid = 1) {
        ProcessOptions options;
        options.pid = pid;
        options.parent_pid = parent_pid;
        options.exec_number = exec_number;
        options.ticks += static_cast<uint64_t>(2 * at_ns);
        options.realtime_ns = kBegin + at_ns;
        options.boot_id.clear();  // A clock of its own.
        StreamWriter writer(folder_.File("run/node0." + std::to_string(pid) + "." +
                                         std::to_string(exec_number) + ".cst"),
                            options);
        writer.Define(schema::Thread(writer.Ticks(0), writer.Intern("main"), 0, pid));
        writer.Flush();
    }
    void WriteFailure(uint32_t pid, int signal, int exit_code, int64_t at_ns) {
        std::ofstream(folder_.File("run/node0.failures"), std::ios::app)
            << pid << ' ' << signal << ' ' << exit_code << ' ' << kBegin + at_ns << '\n';
    }
    std::unique_ptr<Capture> Opened() {
        std::string error;
        auto capture = Capture::Open({folder_.path()}, &error);
        EXPECT_NE(capture, nullptr) << error;
        return capture;
    }

    TemporaryFolder folder_;
};

TEST_F(FailuresTest, ASignalAndItsTime) {
    WriteImage(7, 0, 0);
    WriteImage(8, 0, 0);
    WriteFailure(8, 11, 0, 5000);
    const auto capture = Opened();
    EXPECT_EQ(capture->processes()[0]->signal, 0);
    EXPECT_FALSE(capture->processes()[0]->failed_ns);
    const Process& failed = *capture->processes()[1];
    EXPECT_EQ(failed.state, ProcessState::kKilled);
    EXPECT_EQ(failed.signal, 11);
    EXPECT_EQ(failed.failed_ns, 5000);
    EXPECT_EQ(capture->StoodUntilNs(failed), 5000);
}

TEST_F(FailuresTest, TheImageThatTheNumberHadThen) {
    WriteImage(7, 0, 0);
    WriteImage(7, 1, 1000);
    WriteImage(7, 2, 9000);
    WriteFailure(7, 0, 3, 5000);
    const auto capture = Opened();
    EXPECT_FALSE(capture->processes()[0]->failed_ns);
    EXPECT_EQ(capture->processes()[1]->failed_ns, 5000);
    EXPECT_EQ(capture->processes()[1]->exit_code, 3);
    EXPECT_FALSE(capture->processes()[2]->failed_ns);
}

TEST_F(FailuresTest, AShellBetweenSaysTheSignalInItsCode) {
    WriteImage(21, 0, 0, 20);
    WriteImage(31, 0, 0, 30);
    WriteImage(32, 0, 0, 30);
    WriteFailure(20, 0, 128 + 11, 5000);
    WriteFailure(30, 0, 128 + 11, 5000);  // Which of the two is not known.
    const auto capture = Opened();
    EXPECT_EQ(capture->processes()[0]->signal, 11);
    EXPECT_EQ(capture->processes()[0]->failed_ns, 5000);
    EXPECT_FALSE(capture->processes()[1]->failed_ns);
    EXPECT_FALSE(capture->processes()[2]->failed_ns);
}

TEST_F(FailuresTest, InTableProcess) {
    WriteImage(7, 0, 0);
    WriteFailure(7, 11, 0, 5000);
    std::string error;
    const auto database = Database::OpenPaths({folder_.path()}, &error);
    ASSERT_NE(database, nullptr) << error;
    Query query;
    ASSERT_TRUE(query.Run(database.get(), "SELECT signal, exit_code, end_ns FROM process", &error))
        << error;
    ASSERT_TRUE(query.Next());
    EXPECT_EQ(query.Integer(0), 11);
    EXPECT_TRUE(query.IsNull(1));
    EXPECT_EQ(query.Integer(2), 5000);
}

}  // namespace
}  // namespace comshu::read
