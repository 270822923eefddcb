#include "comshu/read/number_text.h"

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

TEST(NumberText, Counts) {
    EXPECT_EQ(CountText(0), "0");
    EXPECT_EQ(CountText(999), "999");
    EXPECT_EQ(CountText(1000), "1,000");
    EXPECT_EQ(CountText(1234567), "1,234,567");
    EXPECT_EQ(Plural(1, "rank"), "1 rank");
    EXPECT_EQ(Plural(2000, "rank"), "2,000 ranks");
}

TEST(NumberText, Bytes) {
    EXPECT_EQ(BytesText(0), "0 B");
    EXPECT_EQ(BytesText(999), "999 B");
    EXPECT_EQ(BytesText(1024), "1.0 KiB");
    EXPECT_EQ(BytesText(10 * 1024), "10 KiB");
    EXPECT_EQ(BytesText(1023 * 1024), "1.0 MiB");
    EXPECT_EQ(BytesText(uint64_t{5} << 40), "5.0 TiB");
    EXPECT_EQ(BytesText(UINT64_MAX), "16 EiB");
    EXPECT_EQ(PowerText(0), "1 B");
    EXPECT_EQ(PowerText(9), "512 B");
    EXPECT_EQ(PowerText(10), "1 KiB");
    EXPECT_EQ(PowerText(63), "8 EiB");
}

TEST(NumberText, Durations) {
    EXPECT_EQ(DurationText(0), "0 ns");
    EXPECT_EQ(DurationText(999), "999 ns");
    EXPECT_EQ(DurationText(1234), "1.23 us");
    EXPECT_EQ(DurationText(12'340'000), "12.3 ms");
    EXPECT_EQ(DurationText(999'600), "1.00 ms");
    EXPECT_EQ(DurationText(3'420'000'000), "3.42 s");
    EXPECT_EQ(DurationText(599'000'000'000), "599 s");
    EXPECT_EQ(DurationText(723'000'000'000), "12 min 3 s");
    EXPECT_EQ(DurationText(36'060'000'000'000), "10 h 1 min");
    EXPECT_EQ(DurationText(604'799'000'000'000), "6 d 23 h");
    EXPECT_EQ(DurationText(-1500), "-1.50 us");
    EXPECT_EQ(ShareText(1, 3), "33.3 %");
    EXPECT_EQ(ShareText(1, 0), "0.0 %");
}

TEST(NumberText, Moments) {
    EXPECT_EQ(MomentText(1'000'000'000'000'000'000), "2001-09-09 01:46:40 UTC");
}

TEST(NumberText, TextOfATracedProgramCannotSteerTheTerminal) {
    EXPECT_EQ(Printable("a\x1b[31mb\n"), "a?[31mb ");
    EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f\xff"), "gr\xc3\xbc\xc3\x9f?");
    EXPECT_EQ(Printable("\xc2\x9b"), "?");
    EXPECT_EQ(Printable("\xe2\x82"), "??");
}

TEST(NumberText, WidthsCountCharacters) {
    EXPECT_EQ(ShownWidth("gr\xc3\xbcn"), 4u);
    EXPECT_EQ(PadRight("gr\xc3\xbcn", 6), "gr\xc3\xbcn  ");
    EXPECT_EQ(PadLeft("ab", 4), "  ab");
    EXPECT_EQ(PadLeft("abcde", 4), "abcde");
    EXPECT_EQ(Shorten("abcdef", 6), "abcdef");
    EXPECT_EQ(Shorten("abcdefg", 6), "abcd..");
    EXPECT_EQ(Shorten("abcdefg", 6, true), "..defg");
    EXPECT_EQ(Shorten("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 3), "\xc3\xbc..");
    EXPECT_EQ(Shorten("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 3, true), "..\xc3\xbc");
}

}  // namespace
}  // namespace comshu::read
