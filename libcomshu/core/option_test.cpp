#include "comshu/core/option.h"

#include <gtest/gtest.h>

#include <string>

#include "comshu/core/engine_options.h"
#include "comshu/core/option_text.h"

namespace comshu::core {
namespace {

TEST(Option, Sizes) {
    EXPECT_EQ(ParseSize("64M"), 64u << 20);
    EXPECT_EQ(ParseSize("2G"), uint64_t{2} << 30);
    for (const char* wrong :
         {"", "M", "64", "0M", "-1M", "1MB", "64 M", "99999999999999999999G", "9999999T"})
        EXPECT_FALSE(ParseSize(wrong)) << wrong;
}

TEST(Option, Times) {
    EXPECT_EQ(ParseTime("30s"), 30'000'000'000u);
    EXPECT_EQ(ParseTime("7d"), uint64_t{7} * 24 * 3600 * 1'000'000'000);
    EXPECT_EQ(ParseTime("500ms"), 500'000'000u);
    for (const char* wrong : {"", "s", "30", "0s", "30m", "30M", "1.5s"})
        EXPECT_FALSE(ParseTime(wrong)) << wrong;
}

TEST(Option, Lists) {
    EXPECT_TRUE(ListHolds("0,4-7", 0));
    EXPECT_TRUE(ListHolds("0,4-7", 4));
    EXPECT_TRUE(ListHolds("0,4-7", 7));
    EXPECT_FALSE(ListHolds("0,4-7", 1));
    EXPECT_FALSE(ListHolds("0,4-7", 8));
    for (const char* wrong : {"", ",", "0,", "-1", "7-4", "0;1", "a", "0-", "1 ,2"})
        EXPECT_FALSE(ListHolds(wrong, 0)) << wrong;
}

TEST(Option, Values) {
    EXPECT_TRUE(IsValid(kOnFullOption, "wait"));
    EXPECT_TRUE(IsValid(kOnFullOption, "newest"));
    EXPECT_FALSE(IsValid(kOnFullOption, ""));
    EXPECT_FALSE(IsValid(kOnFullOption, "wait|drop"));
    EXPECT_FALSE(IsValid(kOnFullOption, "new"));
    EXPECT_TRUE(IsValid(kRingOption, "64"));
    EXPECT_FALSE(IsValid(kRingOption, "63"));
    EXPECT_FALSE(IsValid(kRingOption, "64K"));
    constexpr OptionInfo kKeep = {"k", "K", OptionType::kKeep, "", "", ""};
    EXPECT_TRUE(IsValid(kKeep, "16M"));
    EXPECT_TRUE(IsValid(kKeep, "30s"));
    EXPECT_FALSE(IsValid(kKeep, "30"));
}

// What holds without an option is a value that it could be given.
TEST(Option, StandardsAreValid) {
    for (const OptionInfo& option : kEngineOptions) {
        EXPECT_TRUE(option.standard.empty() || IsValid(option, option.standard)) << option.name;
        EXPECT_TRUE(std::string_view(option.variable).starts_with("COMSHU_"));
        EXPECT_FALSE(option.help.empty());
    }
}

TEST(Option, DescriptionsAsText) {
    for (const OptionInfo& option : kEngineOptions) {
        std::string line;
        WriteOption(option, [&](char c) { line += c; });
        ASSERT_EQ(line.back(), '\n');
        line.pop_back();
        const std::optional<OptionFields> read = ReadOption(line);
        ASSERT_TRUE(read) << line;
        EXPECT_EQ(read->name, option.name);
        EXPECT_EQ(read->variable, option.variable);
        EXPECT_EQ(read->values, option.values);
        EXPECT_EQ(read->standard, option.standard);
        EXPECT_EQ(read->help, option.help);
        EXPECT_EQ(read->type, option.type);
        EXPECT_EQ(read->least, option.least);
        EXPECT_EQ(read->largest, option.largest);
        for (size_t cut = 0; cut < line.rfind('\t'); ++cut)
            EXPECT_FALSE(ReadOption(line.substr(0, cut))) << cut;
    }
    EXPECT_FALSE(ReadOption("a\tA\tb\tc\td\t9\t0\t1"));
    EXPECT_FALSE(ReadOption("a\tA\tb\tc\td\t0\tx\t1"));
}

}  // namespace
}  // namespace comshu::core
