// Bytes of collective operations: each row of the table in docs/provider-mpi.md.
#include "mpi/collective_bytes.h"

#include <gtest/gtest.h>

namespace comshu::provider::mpi {

bool operator==(const Volume& a, const Volume& b) {
    return a.in == b.in && a.out == b.out;
}
void PrintTo(const Volume& v, std::ostream* out) {
    *out << v.in << " in, " << v.out << " out";
}

namespace {

// A datatype is its size here; kGarbage must not be asked for.
constexpr int kGarbage = -12345;
uint64_t SizeOf(int type) {
    EXPECT_NE(type, kGarbage);
    return type < 0 ? kUnknownBytes : static_cast<uint64_t>(type);
}

constexpr Shape kIntra{4, 4, 2, false};
constexpr Shape kInter{3, 2, 1, true};
const int kCounts[] = {1, 2, 3, 4};
const int kMoreCounts[] = {10, 20, 30, 40};

TEST(CollectiveBytesTest, Bcast) {
    EXPECT_EQ(BcastBytes(Part::kRoot, 10, 8, SizeOf), (Volume{80, 0}));
    EXPECT_EQ(BcastBytes(Part::kOther, 10, 8, SizeOf), (Volume{0, 80}));
    EXPECT_EQ(BcastBytes(Part::kOutside, -1, kGarbage, SizeOf), (Volume{0, 0}));
}

TEST(CollectiveBytesTest, GatherAndScatterLookAtSignificantArgumentsAlone) {
    EXPECT_EQ(GatherBytes(kIntra, Part::kRoot, false, 10, 8, 20, 4, SizeOf), (Volume{80, 320}));
    EXPECT_EQ(GatherBytes(kIntra, Part::kRoot, true, -1, kGarbage, 20, 4, SizeOf),
              (Volume{80, 320}));
    EXPECT_EQ(GatherBytes(kIntra, Part::kOther, false, 10, 8, -1, kGarbage, SizeOf),
              (Volume{80, 0}));
    EXPECT_EQ(GatherBytes(kInter, Part::kRoot, false, -1, kGarbage, 20, 4, SizeOf),
              (Volume{0, 240}));
    EXPECT_EQ(GatherBytes(kInter, Part::kOutside, false, -1, kGarbage, -1, kGarbage, SizeOf),
              (Volume{0, 0}));
    EXPECT_EQ(ScatterBytes(kIntra, Part::kRoot, false, 20, 4, 10, 8, SizeOf), (Volume{320, 80}));
    EXPECT_EQ(ScatterBytes(kIntra, Part::kRoot, true, 20, 4, -1, kGarbage, SizeOf),
              (Volume{320, 80}));
    EXPECT_EQ(ScatterBytes(kIntra, Part::kOther, false, -1, kGarbage, 10, 8, SizeOf),
              (Volume{0, 80}));
    EXPECT_EQ(ScatterBytes(kInter, Part::kRoot, false, 20, 4, -1, kGarbage, SizeOf),
              (Volume{240, 0}));
}

TEST(CollectiveBytesTest, GathervAndScattervSumTheCounts) {
    const int* none = nullptr;
    EXPECT_EQ(GathervBytes(kIntra, Part::kRoot, false, 3, 8, kCounts, 8, SizeOf), (Volume{24, 80}));
    EXPECT_EQ(GathervBytes(kIntra, Part::kRoot, true, -1, kGarbage, kCounts, 8, SizeOf),
              (Volume{24, 80}));
    EXPECT_EQ(GathervBytes(kIntra, Part::kOther, false, 3, 8, none, kGarbage, SizeOf),
              (Volume{24, 0}));
    EXPECT_EQ(GathervBytes(kInter, Part::kRoot, false, -1, kGarbage, kCounts, 8, SizeOf),
              (Volume{0, 48}));
    EXPECT_EQ(ScattervBytes(kIntra, Part::kRoot, false, kCounts, 8, 3, 8, SizeOf),
              (Volume{80, 24}));
    EXPECT_EQ(ScattervBytes(kIntra, Part::kRoot, true, kCounts, 8, -1, kGarbage, SizeOf),
              (Volume{80, 24}));
    EXPECT_EQ(ScattervBytes(kIntra, Part::kOther, false, none, kGarbage, 3, 8, SizeOf),
              (Volume{0, 24}));
}

TEST(CollectiveBytesTest, InPlaceGivesTheSameAsOwnBuffers) {
    EXPECT_EQ(AllgatherBytes(kIntra, false, 10, 8, 20, 4, SizeOf), (Volume{80, 320}));
    EXPECT_EQ(AllgatherBytes(kIntra, true, -1, kGarbage, 20, 4, SizeOf), (Volume{80, 320}));
    EXPECT_EQ(AllgathervBytes(kIntra, false, 3, 8, kCounts, 8, SizeOf), (Volume{24, 80}));
    EXPECT_EQ(AllgathervBytes(kIntra, true, -1, kGarbage, kCounts, 8, SizeOf), (Volume{24, 80}));
    EXPECT_EQ(AlltoallBytes(kIntra, false, 10, 8, 20, 4, SizeOf), (Volume{320, 320}));
    EXPECT_EQ(AlltoallBytes(kIntra, true, -1, kGarbage, 20, 4, SizeOf), (Volume{320, 320}));
    EXPECT_EQ(AlltoallvBytes(kIntra, false, kMoreCounts, 8, kCounts, 8, SizeOf), (Volume{800, 80}));
    const int* none = nullptr;
    EXPECT_EQ(AlltoallvBytes(kIntra, true, none, kGarbage, kCounts, 8, SizeOf), (Volume{80, 80}));
    EXPECT_EQ(AlltoallBytes(kInter, false, 10, 8, 20, 4, SizeOf), (Volume{240, 240}));
}

TEST(CollectiveBytesTest, AlltoallwTakesEachTypeAndSkipsEmptyBlocks) {
    const int counts[] = {1, 0, 2, 3};
    const int types[] = {8, kGarbage, 4, 1};
    EXPECT_EQ(AlltoallwBytes(kIntra, false, counts, types, counts, types, SizeOf),
              (Volume{19, 19}));
    const int unknown[] = {8, 1, -1, 1};
    EXPECT_EQ(AlltoallwBytes(kIntra, false, counts, types, counts, unknown, SizeOf),
              (Volume{19, kUnknownBytes}));
}

TEST(CollectiveBytesTest, Reductions) {
    EXPECT_EQ(ReduceBytes(kIntra, Part::kRoot, 10, 8, SizeOf), (Volume{80, 80}));
    EXPECT_EQ(ReduceBytes(kIntra, Part::kOther, 10, 8, SizeOf), (Volume{80, 0}));
    EXPECT_EQ(ReduceBytes(kInter, Part::kRoot, 10, 8, SizeOf), (Volume{0, 80}));
    EXPECT_EQ(ReduceBytes(kInter, Part::kOutside, -1, kGarbage, SizeOf), (Volume{0, 0}));
    EXPECT_EQ(AllreduceBytes(10, 8, SizeOf), (Volume{80, 80}));
    EXPECT_EQ(ExscanBytes(kIntra, 10, 8, SizeOf), (Volume{80, 80}));
    EXPECT_EQ(ExscanBytes(Shape{4, 4, 0, false}, 10, 8, SizeOf), (Volume{80, 0}));
    EXPECT_EQ(ReduceScatterBytes(kIntra, kCounts, 8, SizeOf), (Volume{80, 24}));
    EXPECT_EQ(ReduceScatterBytes(kInter, kCounts, 8, SizeOf), (Volume{24, 16}));
    EXPECT_EQ(ReduceScatterBlockBytes(kIntra, 10, 8, SizeOf), (Volume{320, 80}));
}

TEST(CollectiveBytesTest, Neighbourhoods) {
    constexpr Neighbors kNeighbors{2, 3};
    EXPECT_EQ(NeighborAllgatherBytes(kNeighbors, 10, 8, 20, 4, SizeOf), (Volume{80, 160}));
    EXPECT_EQ(NeighborAllgathervBytes(kNeighbors, 10, 8, kCounts, 8, SizeOf), (Volume{80, 24}));
    EXPECT_EQ(NeighborAlltoallBytes(kNeighbors, 10, 8, 20, 4, SizeOf), (Volume{240, 160}));
    EXPECT_EQ(NeighborAlltoallvBytes(kNeighbors, kCounts, 8, kMoreCounts, 4, SizeOf),
              (Volume{48, 120}));
    const int types[] = {1, 2, 4};
    EXPECT_EQ(NeighborAlltoallwBytes(kNeighbors, kCounts, types, kMoreCounts, types, SizeOf),
              (Volume{17, 50}));
    EXPECT_EQ(NeighborAlltoallBytes(Neighbors{}, 10, 8, 20, 4, SizeOf),
              (Volume{kUnknownBytes, kUnknownBytes}));
}

TEST(CollectiveBytesTest, UnknownStaysUnknown) {
    EXPECT_EQ(AllreduceBytes(-1, 8, SizeOf), (Volume{kUnknownBytes, kUnknownBytes}));
    EXPECT_EQ(AllreduceBytes(3, -1, SizeOf), (Volume{kUnknownBytes, kUnknownBytes}));
    EXPECT_EQ(AllreduceBytes(0, -1, SizeOf), (Volume{0, 0}));
    const int64_t large[] = {int64_t{1} << 40, 1};
    EXPECT_EQ(Sum(large, 2, 8), (uint64_t{1} << 43) + 8);
}

}  // namespace

}  // namespace comshu::provider::mpi
