#include "comshu/core/column_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace comshu::core {
namespace {

std::vector<uint64_t> RoundTrip(const std::vector<uint64_t>& values, bool is_signed,
                                ColumnInfo* info) {
    ColumnEncoder encoder;
    std::vector<uint8_t> data;
    *info = encoder.Encode(values.data(), values.size(), is_signed, &data);
    EXPECT_EQ(info->data_bytes, data.size());
    std::vector<uint64_t> back(values.size());
    EXPECT_TRUE(DecodeColumn(*info, data.data(), back.size(), back.data()));
    // No prefix of the data passes as the whole.
    for (size_t cut = 0; cut < data.size(); ++cut) {
        ColumnInfo shorter = *info;
        shorter.data_bytes = cut;
        std::vector<uint8_t> part(data.begin(), data.begin() + static_cast<ptrdiff_t>(cut));
        std::vector<uint64_t> ignored(values.size());
        EXPECT_FALSE(DecodeColumn(shorter, part.data(), ignored.size(), ignored.data())) << cut;
    }
    return back;
}

void Check(const std::vector<uint64_t>& values, ColumnEncoding expected, uint64_t bytes,
           bool is_signed = false) {
    ColumnInfo info;
    EXPECT_EQ(RoundTrip(values, is_signed, &info), values);
    EXPECT_EQ(static_cast<ColumnEncoding>(info.encoding), expected);
    EXPECT_EQ(info.data_bytes, bytes);
}

TEST(ColumnCodec, Constant) {
    Check({7}, ColumnEncoding::kConstant, 0);
    Check({~0ull, ~0ull, ~0ull}, ColumnEncoding::kConstant, 0);
}

TEST(ColumnCodec, EmptyColumn) {
    ColumnEncoder encoder;
    std::vector<uint8_t> data;
    const ColumnInfo info = encoder.Encode(nullptr, 0, false, &data);
    EXPECT_EQ(info.data_bytes, 0u);
    EXPECT_TRUE(DecodeColumn(info, nullptr, 0, nullptr));
}

TEST(ColumnCodec, SmallRangesTakeBits) {
    Check({5, 6, 6, 5, 6, 5, 5, 5, 6}, ColumnEncoding::kBits, 2);
    Check({100, 103, 101, 102, 100}, ColumnEncoding::kBits, 2);
    Check({0, 15, 3, 9}, ColumnEncoding::kBits, 2);
}

TEST(ColumnCodec, LinearTakesTwoNumbers) {
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < 1000; ++i) values.push_back(1'000'000 + 96 * i);
    Check(values, ColumnEncoding::kLinear, 3);
    std::vector<uint64_t> falling;
    for (uint64_t i = 0; i < 100; ++i) falling.push_back(10 - i);
    ColumnInfo info;
    EXPECT_EQ(RoundTrip(falling, true, &info), falling);
    EXPECT_EQ(static_cast<ColumnEncoding>(info.encoding), ColumnEncoding::kLinear);
}

TEST(ColumnCodec, FewWideValuesTakeADictionary) {
    std::vector<uint64_t> values;
    for (int i = 0; i < 800; ++i)
        values.push_back(0x5555'0000'0000'0000u + (i % 3 == 0 ? 0 : 0x123456789u));
    Check(values, ColumnEncoding::kDictionary, 1 + 2 * 8 + 100);
}

TEST(ColumnCodec, DictionaryHoldsExactly256) {
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < 4096; ++i) {
        const uint64_t entry = i % 2 == 0 ? 0 : i / 16;
        values.push_back(entry * 0x10001000100011u * (1 + entry));
    }
    ColumnInfo info;
    EXPECT_EQ(RoundTrip(values, false, &info), values);
    EXPECT_EQ(static_cast<ColumnEncoding>(info.encoding), ColumnEncoding::kDictionary);
}

TEST(ColumnCodec, OutliersTakeVarints) {
    std::vector<uint64_t> values(300, 3);
    for (size_t i = 0; i < values.size(); ++i) values[i] = (i * 7919) % 128;
    values[17] = 1ull << 40;
    ColumnInfo info;
    EXPECT_EQ(RoundTrip(values, false, &info), values);
    EXPECT_EQ(static_cast<ColumnEncoding>(info.encoding), ColumnEncoding::kVarint);
}

TEST(ColumnCodec, RisingValuesTakeDifferences) {
    std::vector<uint64_t> values;
    uint64_t v = 1ull << 50;
    for (uint64_t i = 0; i < 1000; ++i) values.push_back(v += i * i % 60);
    ColumnInfo info;
    EXPECT_EQ(RoundTrip(values, false, &info), values);
    EXPECT_EQ(static_cast<ColumnEncoding>(info.encoding), ColumnEncoding::kDelta);
    EXPECT_LT(info.data_bytes, 1020u);
}

TEST(ColumnCodec, SignedOrderMakesSmallRanges) {
    const auto n = [](int64_t v) { return static_cast<uint64_t>(v); };
    Check({n(-1), n(0), n(1), n(-2)}, ColumnEncoding::kBits, 1, true);
    ColumnInfo info;
    const std::vector<uint64_t> extremes = {n(std::numeric_limits<int64_t>::min()), n(5),
                                            n(std::numeric_limits<int64_t>::max()), n(-7)};
    EXPECT_EQ(RoundTrip(extremes, true, &info), extremes);
}

TEST(ColumnCodec, AnyValuesComeBack) {
    std::mt19937_64 random(20261129);
    for (int round = 0; round < 400; ++round) {
        const size_t count = 1 + random() % 200;
        const int shift = static_cast<int>(random() % 64);
        const bool ordered = random() % 2 == 0;
        std::vector<uint64_t> values(count);
        uint64_t sum = random();
        for (auto& v : values) v = ordered ? sum += random() >> shift : random() >> shift;
        ColumnInfo info;
        ASSERT_EQ(RoundTrip(values, round % 3 == 0, &info), values) << round;
    }
}

}  // namespace
}  // namespace comshu::core
