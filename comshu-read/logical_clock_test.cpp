// Corrections whose numbers follow from the formulas of docs/clocks.md.
#include "logical_clock.h"

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

TEST(LogicalClock, WhatIsInOrderStaysAsItIs) {
    LogicalClock clock(2);
    clock.Order(clock.At(0, 100), clock.At(1, 150));
    clock.Order(clock.At(1, 200), clock.At(0, 200));
    for (const ClockCurve& curve : clock.Solve()) {
        EXPECT_TRUE(curve.knots().empty());
        EXPECT_EQ(curve.At(170), 170);
    }
}

// Clock 1 is 40 behind: a message of 10,000 is there at 9,960.
TEST(LogicalClock, AReceiveThatWouldBeTooEarlyIsMovedBehindItsSend) {
    LogicalClock clock(2);
    clock.Order(clock.At(0, 10'000), clock.At(1, 9'960));
    // Behind it the clock runs at 99 %: after 1000 it is 30 ahead of its own time, after 4000 level.
    clock.Order(clock.At(0, 10'100), clock.At(1, 10'960));
    clock.Order(clock.At(0, 13'000), clock.At(1, 13'960));
    clock.Order(clock.At(0, 19'000), clock.At(1, 20'000));
    const std::vector<ClockCurve> curves = clock.Solve();
    EXPECT_TRUE(curves[0].knots().empty());
    EXPECT_EQ(curves[1].At(9'960), 10'000);
    EXPECT_EQ(curves[1].At(10'960), 10'990);
    EXPECT_EQ(curves[1].At(13'960), 13'960);
    EXPECT_EQ(curves[1].At(20'000), 20'000);
    // What lies before is moved by 1 % of its distance to the begin of the interval of 4000.
    EXPECT_EQ(curves[1].At(5'960), 5'960);
    EXPECT_EQ(curves[1].At(7'960), 7'980);
    EXPECT_EQ(curves[1].At(5'000), 5'000);
    for (const int64_t at : {5'000, 7'960, 9'960, 10'960, 20'000})
        EXPECT_EQ(curves[1].Inverse(curves[1].At(at)), at);
}

TEST(LogicalClock, NoSendIsMovedBehindItsReceive) {
    LogicalClock clock(3);
    // 39 could be added just before the receive, but what was sent there has come 5 later.
    clock.Order(clock.At(1, 9'860), clock.At(2, 9'865));
    clock.Order(clock.At(1, 8'860), clock.At(2, 9'900));
    clock.Order(clock.At(0, 10'000), clock.At(1, 9'960));
    const std::vector<ClockCurve> curves = clock.Solve();
    EXPECT_EQ(curves[1].At(9'860), 9'865);
    EXPECT_EQ(curves[1].At(8'860), 8'865);  // 29, but not more than behind it.
    EXPECT_TRUE(curves[2].knots().empty());
}

TEST(LogicalClock, AJumpIsHandedOn) {
    LogicalClock clock(3);
    clock.Order(clock.At(0, 1'000), clock.At(1, 900));
    clock.Order(clock.At(1, 900 + 50), clock.At(2, 960));
    const std::vector<ClockCurve> curves = clock.Solve();
    EXPECT_EQ(curves[1].At(950), 1'049);  // 1000 + 0.99 * 50
    EXPECT_EQ(curves[2].At(960), 1'049);
}

TEST(LogicalClock, AllLeaveWhenTheLastHasCome) {
    LogicalClock clock(2);
    const LogicalClock::Event met = clock.Join();
    clock.Order(clock.At(0, 100), met);
    clock.Order(clock.At(1, 500), met);
    clock.Order(met, clock.At(0, 200));
    clock.Order(met, clock.At(1, 510));
    const std::vector<ClockCurve> curves = clock.Solve();
    EXPECT_EQ(curves[0].At(200), 500);
    EXPECT_EQ(curves[1].At(500), 500);
    // It may come later, but not so late that all would have to wait longer.
    EXPECT_LE(curves[0].At(100), 500);
    EXPECT_EQ(clock.given_up(), 0u);
}

TEST(LogicalClock, ACircleIsBroken) {
    LogicalClock clock(2);
    clock.Order(clock.At(0, 200), clock.At(1, 100));
    clock.Order(clock.At(1, 200), clock.At(0, 100));
    const std::vector<ClockCurve> curves = clock.Solve();
    EXPECT_EQ(clock.given_up(), 1u);
    int64_t before = -1'000'000;
    for (int64_t at = 0; at < 10'000; at += 50) {
        EXPECT_GE(curves[1].At(at), before);
        before = curves[1].At(at);
    }
}

// Clocks that are off by up to 500 and 0.1 %, and random messages that took at least 5.
TEST(LogicalClock, KeepsEveryOrder) {
    uint32_t state = 7;
    const auto random = [&](int64_t below) {
        state = state * 1664525 + 1013904223;
        return static_cast<int64_t>(state >> 8) % below;
    };
    constexpr uint32_t kClocks = 4;
    const auto read = [](uint32_t clock, int64_t ns) {
        return ns + clock * 130 - 200 + ns * (static_cast<int64_t>(clock) - 2) / 1000;
    };
    LogicalClock order(kClocks);
    struct Message {
        uint32_t from, to;
        int64_t sent, received;
    };
    std::vector<Message> messages;
    for (int64_t now = 10'000; now < 300'000; now += random(40)) {
        const auto from = static_cast<uint32_t>(random(kClocks));
        const auto to = static_cast<uint32_t>((from + 1 + random(kClocks - 1)) % kClocks);
        messages.push_back({from, to, read(from, now), read(to, now + 5 + random(100))});
        order.Order(order.At(from, messages.back().sent), order.At(to, messages.back().received));
    }
    const std::vector<ClockCurve> curves = order.Solve();
    EXPECT_EQ(order.given_up(), 0u);
    size_t wrong = 0;
    for (const Message& message : messages) {
        wrong += message.received < message.sent ? 1 : 0;
        EXPECT_LE(curves[message.from].At(message.sent), curves[message.to].At(message.received));
    }
    EXPECT_GT(wrong, 100u);
    for (const ClockCurve& curve : curves) {
        for (size_t i = 1; i < curve.knots().size(); ++i) {
            EXPECT_GT(curve.knots()[i].from_ns, curve.knots()[i - 1].from_ns);
            EXPECT_GE(curve.knots()[i].to_ns, curve.knots()[i - 1].to_ns);
        }
    }
}

}  // namespace
}  // namespace comshu::read
