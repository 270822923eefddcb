#include "comshu/read/external_sort.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace comshu::read {
namespace {

struct Pair {
    uint64_t key;
    uint64_t value;
    bool operator<(const Pair& other) const { return key < other.key; }
};

class ExternalSortTest : public ::testing::Test {
protected:
    ExternalSortTest() {
        std::string name = (std::filesystem::temp_directory_path() / "comshu-sort-XXXXXX");
        folder_ = mkdtemp(name.data());
    }
    ~ExternalSortTest() override { std::filesystem::remove_all(folder_); }

    std::string folder_;
};

TEST_F(ExternalSortTest, OrderIsTheSameInMemoryAndInFiles) {
    for (const size_t rows_in_memory : {1u, 3u, 100u, 999u, 1000u, 5000u}) {
        ExternalSort<Pair> sort(folder_ + "/made", rows_in_memory * sizeof(Pair));
        std::mt19937_64 random(7);
        uint64_t sum = 0;
        for (int i = 0; i < 1000; ++i) {
            const Pair pair = {random() % 100, random()};
            sum += pair.key ^ pair.value;
            sort.Add(pair);
        }
        uint64_t last = 0, count = 0;
        std::string error;
        EXPECT_TRUE(sort.Visit(
            [&](const Pair& pair) {
                EXPECT_LE(last, pair.key);
                last = pair.key;
                sum -= pair.key ^ pair.value;
                ++count;
            },
            &error))
            << error;
        EXPECT_EQ(count, 1000u);
        EXPECT_EQ(sum, 0u);
        // Nothing stays there.
        if (rows_in_memory < 1000) {
            EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/made"));
        }
    }
}

TEST_F(ExternalSortTest, NothingIsInOrder) {
    ExternalSort<Pair> sort(folder_, 1);
    std::string error;
    EXPECT_TRUE(sort.Visit([](const Pair&) { FAIL(); }, &error));
}

TEST_F(ExternalSortTest, FolderThatCannotBeMade) {
    ExternalSort<Pair> sort("/dev/null/x", 1);
    for (uint64_t i = 0; i < 10; ++i) sort.Add({i, i});
    std::string error;
    EXPECT_FALSE(sort.Visit([](const Pair&) {}, &error));
    EXPECT_EQ(error, "/dev/null/x/rows.0: cannot be written: Not a directory");
}

TEST_F(ExternalSortTest, FullDisk) {
    struct Wide {
        uint64_t key;
        char filling[4088];
        bool operator<(const Wide& other) const { return key < other.key; }
    };
    // A device that has no room, under the name of the second file.
    std::filesystem::create_symlink("/dev/full", folder_ + "/rows.1");
    ExternalSort<Wide> sort(folder_, sizeof(Wide));
    for (uint64_t i = 0; i < 4; ++i) sort.Add({i, {}});
    std::string error;
    EXPECT_FALSE(sort.Visit([](const Wide&) {}, &error));
    EXPECT_EQ(error, folder_ + "/rows.1: cannot be written: No space left on device");
}

}  // namespace
}  // namespace comshu::read
