// Hosts whose clocks and their differences are chosen, so that every corrected time is known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/schema/mpi_clock_traits.h"
#include "matching/match_result.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::kWorld;
using testing::ProcessOptions;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr int64_t kShiftNs = 1'000'000;

// A rank on a host of its own. Its counter has a rate of its own, and its clock says `shift_ns` too much.
class Host {
public:
    Host(const TemporaryFolder& folder, int32_t rank, uint64_t ticks_per_second, int64_t shift_ns)
        : options_(Options(rank, ticks_per_second, shift_ns)),
          writer_(folder.File("run/node" + std::to_string(rank) + "." +
                              std::to_string(options_.pid) + ".0.cst"),
                  options_) {
        writer_.Define(
            schema::MpiRank(writer_.Ticks(0), kWorld, writer_.Intern("job"), 0, rank, 3, 0, 0, 0));
    }
    ~Host() { writer_.End(writer_.Ticks(2'000'000'000), schema::EndReason::finished); }

    uint64_t Ticks(int64_t ns) const { return writer_.Ticks(ns); }
    // At `ns` rank 0's counter stood at `ticks`; the messages took 1000 there and back.
    void Compared(int64_t ns, uint64_t ticks, schema::MpiClockMoment moment, int32_t peer = 0) {
        writer_.Define(schema::MpiClockSync(writer_.Ticks(ns - 500), writer_.Ticks(ns + 500), ticks,
                                            kWorld, peer, 32, moment));
    }
    void Send(int64_t begin, int32_t to) {
        writer_.Add(0, schema::MpiPointToPoint(Head(begin, begin + 10), 0, kWorld, 8, 0, 1, to, to,
                                               schema::MpiFunction::MPI_Send));
    }
    void Receive(int64_t begin, int64_t end, int32_t from) {
        writer_.Add(0, schema::MpiReceive(Head(begin, end), 0, kWorld, 8, 8, 0, 1, from, from, 1,
                                          from, schema::MpiFunction::MPI_Recv));
    }

private:
    static ProcessOptions Options(int32_t rank, uint64_t ticks_per_second, int64_t shift_ns) {
        ProcessOptions options;
        options.pid += static_cast<uint32_t>(rank);
        options.boot_id = "boot " + std::to_string(rank);
        options.host = "node" + std::to_string(rank);
        options.ticks = 5'000'000 * static_cast<uint64_t>(rank + 1);
        options.ticks_per_second = ticks_per_second;
        options.realtime_ns += shift_ns;
        return options;
    }
    schema::SpanHead Head(int64_t begin, int64_t end) {
        return schema::SpanHead(writer_.Ticks(begin), writer_.Ticks(end), core::SpanId(0, ++spans_),
                                0, schema::SpanFlags::NONE);
    }

    ProcessOptions options_;
    StreamWriter writer_;
    uint64_t spans_ = 0;
};

class ClockSettingTest : public ::testing::Test {
protected:
    std::unique_ptr<Capture> Open(ClockChoice clock = ClockChoice::kMeasured) {
        std::string error;
        std::unique_ptr<Capture> capture = Capture::Open({folder_.path()}, &error, clock);
        EXPECT_NE(capture, nullptr) << error;
        return capture;
    }
    // Method, offset, drift and bound of each clock.
    std::string Clocks() {
        std::string out;
        const std::unique_ptr<Capture> capture = Open();
        for (const HostClock& clock : capture->clocks()) {
            out += MethodText(clock.method);
            for (const double value : {clock.offset_ns, clock.drift_ppb, clock.bound_ns})
                out += " " + std::to_string(std::llround(value));
            out += "\n";
        }
        return out;
    }
    // When the message was sent, and when it had come.
    std::string Times(ClockChoice clock = ClockChoice::kMeasured) {
        const auto capture = Open(clock);
        const MatchResult found(*capture);
        EXPECT_EQ(found.messages().size(), 1u);
        const MessageRow& row = found.messages().chunk(0).front();
        return std::to_string(row.send_begin) + " to " + std::to_string(row.recv_end);
    }

    TemporaryFolder folder_;
};

TEST_F(ClockSettingTest, OneHostNeedsNothing) {
    { Host zero(folder_, 0, 2'000'000'000, 0); }
    EXPECT_EQ(Clocks(), "reference 0 0 0\n");
}

// Rank 1's clock is 1 ms ahead at first and 1.02 ms a second later: 20 us in a second.
TEST_F(ClockSettingTest, TwoComparisonsAreAStraightLine) {
    {
        Host zero(folder_, 0, 2'000'000'000, 0);
        Host one(folder_, 1, 3'000'000'000, kShiftNs);
        one.Compared(100'000'000, zero.Ticks(100'000'000), schema::MpiClockMoment::init);
        one.Compared(1'100'020'000, zero.Ticks(1'100'000'000), schema::MpiClockMoment::finalize);
        // In truth at 600,000,000, where rank 1's clock says 10,000 more, and taking 2000.
        one.Send(600'010'000, 0);
        zero.Receive(500'000'000, 600'002'000, 1);
    }
    EXPECT_EQ(Clocks(), "reference 0 0 0\nlinear 1000000 20000 500\n");
    EXPECT_EQ(Times(), "600000000 to 600002000");
    EXPECT_EQ(Times(ClockChoice::kHost), "601010000 to 600002000");
}

TEST_F(ClockSettingTest, OneComparisonIsADistance) {
    {
        Host zero(folder_, 0, 2'000'000'000, 0);
        Host one(folder_, 1, 2'000'000'000, kShiftNs);
        one.Compared(100'000'000, zero.Ticks(100'000'000), schema::MpiClockMoment::init);
        one.Send(600'000'000, 0);
        zero.Receive(500'000'000, 600'002'000, 1);
    }
    EXPECT_EQ(Clocks(), "reference 0 0 0\noffset 1000000 0 500\n");
    EXPECT_EQ(Times(), "600000000 to 600002000");
}

TEST_F(ClockSettingTest, AHostThatWasNotComparedIsAsItWasSet) {
    {
        Host zero(folder_, 0, 2'000'000'000, 0);
        Host one(folder_, 1, 2'000'000'000, kShiftNs);
        one.Send(600'000'000, 0);
        zero.Receive(500'000'000, 600'002'000, 1);
    }
    EXPECT_EQ(Clocks(), "none 0 0 0\nnone 0 0 0\n");
    EXPECT_EQ(Times(), "601000000 to 600002000");
    // The receive is moved behind its send.
    EXPECT_EQ(Times(ClockChoice::kLogical), "601000000 to 601000000");
}

// Rank 2 was compared with rank 1, that with rank 0: their bounds add up.
TEST_F(ClockSettingTest, AChain) {
    {
        Host zero(folder_, 0, 2'000'000'000, 0);
        Host one(folder_, 1, 2'000'000'000, kShiftNs);
        Host two(folder_, 2, 1'000'000'000, 3 * kShiftNs);
        one.Compared(100'000'000, zero.Ticks(100'000'000), schema::MpiClockMoment::init);
        two.Compared(200'000'000, one.Ticks(200'000'000), schema::MpiClockMoment::init, 1);
        two.Send(600'000'000, 0);
        zero.Receive(500'000'000, 600'002'000, 2);
    }
    EXPECT_EQ(Clocks(), "reference 0 0 0\noffset 1000000 0 500\noffset 3000000 0 1000\n");
    EXPECT_EQ(Times(), "600000000 to 600002000");
}

}  // namespace
}  // namespace comshu::read
