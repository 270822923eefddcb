#include "filter.h"

#include <gtest/gtest.h>

namespace comshu::analysis {
namespace {

TEST(Filter, Windows) {
    struct Case {
        const char* text;
        std::optional<int64_t> t0, t1;
    };
    const Case cases[] = {
        {"1:2", 1'000'000'000, 2'000'000'000}, {"10ms:20ms", 10'000'000, 20'000'000},
        {"1.5us:", 1500, std::nullopt},        {":7ns", std::nullopt, 7},
        {":", std::nullopt, std::nullopt},     {"-1s:0", -1'000'000'000, 0},
    };
    for (const Case& c : cases) {
        Filter filter;
        std::string error;
        EXPECT_TRUE(filter.SetWindow(c.text, &error)) << error;
        EXPECT_EQ(filter.t0_ns, c.t0) << c.text;
        EXPECT_EQ(filter.t1_ns, c.t1) << c.text;
    }
    for (const char* text : {"", "1", "a:b", "1h:2h", "2:1", "1:1", "nan:1", "1e300:"}) {
        Filter filter;
        std::string error;
        EXPECT_FALSE(filter.SetWindow(text, &error)) << text;
        EXPECT_NE(error, "") << text;
    }
}

TEST(Filter, FillsInConditions) {
    Filter filter;
    EXPECT_EQ(FillFilter("{window} {rank} {where} {send_or_recv}", filter),
              "NULL, NULL true true (true OR true)");
    filter.t0_ns = 5;
    filter.ranks = {0, 2};
    filter.where = "bytes > 8 or tag = 1";
    EXPECT_EQ(FillFilter("{window}|{t0}|{rank}|{where}|{send_or_recv}", filter),
              "5, NULL|5|rank IN (0, 2)|(bytes > 8 or tag = 1)|"
              "(send_rank IN (0, 2) OR recv_rank IN (0, 2))");
}

}  // namespace
}  // namespace comshu::analysis
