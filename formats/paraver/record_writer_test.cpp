#include "paraver/record_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace comshu::format::paraver {
namespace {

class RecordWriterTest : public ::testing::Test {
protected:
    RecordWriterTest() {
        std::string name = (std::filesystem::temp_directory_path() / "comshu-paraver-XXXXXX");
        folder_ = mkdtemp(name.data());
    }
    ~RecordWriterTest() override { std::filesystem::remove_all(folder_); }

    // What `use` writes.
    template <typename Use>
    std::string Written(int64_t end_ns, size_t held, Use use) {
        const std::string path = folder_ + "/trace.prv";
        FileOutput out(path);
        RecordWriter writer(&out, end_ns, held);
        use(&writer);
        writer.Finish();
        records_ = writer.records();
        std::string error;
        EXPECT_TRUE(out.Finish(&error)) << error;
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    std::string folder_;
    uint64_t records_ = 0;
};

constexpr Place kFirst = {0, 0};
constexpr Place kSecond = {1, 0};

TEST_F(RecordWriterTest, RunsBetweenCalls) {
    const auto use = [](RecordWriter* writer) {
        writer->ThreadStarts(0, kFirst);
        writer->ThreadStarts(0, kSecond);
        writer->CallBegins(10, kFirst, 1, 0, 20, 4);
        writer->Event(10, kFirst, 5, 1);
        // Within the first one.
        writer->CallBegins(12, kFirst, 2, 1, 15, 3);
        writer->CallEnds(15, kFirst, 2);
        writer->Event(20, kFirst, 5, 0);
        writer->CallEnds(20, kFirst, 1);
        // At once, and without length.
        writer->CallBegins(20, kFirst, 3, 0, 20, 3);
        writer->CallEnds(20, kFirst, 3);
        writer->Send({kFirst, kSecond, 22, 23, 24, 29, 8, 7});
    };
    EXPECT_EQ(Written(30, RecordWriter::kHeld, use),
              "1:0:1:1:1:0:10:1\n1:0:1:2:1:0:30:1\n1:0:1:1:1:10:20:4\n2:0:1:1:1:10:5:1\n"
              "1:0:1:1:1:20:30:1\n2:0:1:1:1:20:5:0\n3:0:1:1:1:22:23:0:1:2:1:24:29:8:7\n");
    EXPECT_EQ(records_, 7u);
}

TEST_F(RecordWriterTest, CallsThatOverlapHaveNoRunBetween) {
    EXPECT_EQ(Written(30, RecordWriter::kHeld,
                      [](RecordWriter* writer) {
                          writer->CallBegins(0, kFirst, 1, 0, 10, 4);
                          writer->CallBegins(5, kFirst, 2, 0, 20, 4);
                          writer->CallEnds(10, kFirst, 1);
                          writer->CallEnds(20, kFirst, 2);
                          // Has been seen: it does not start anew.
                          writer->ThreadStarts(20, kFirst);
                      }),
              "1:0:1:1:1:0:10:4\n1:0:1:1:1:5:20:4\n1:0:1:1:1:20:30:1\n");
}

TEST_F(RecordWriterTest, CallThatNeverEndsAndTimesBelowZero) {
    EXPECT_EQ(Written(30, RecordWriter::kHeld,
                      [](RecordWriter* writer) {
                          writer->ThreadStarts(-5, kFirst);
                          writer->CallBegins(-3, kFirst, 1, 0, -2, 4);
                          writer->CallEnds(-2, kFirst, 1);
                          writer->CallBegins(9, kFirst, 2, 0, 30, 4);
                      }),
              "1:0:1:1:1:0:9:1\n1:0:1:1:1:9:30:4\n");
}

// Whatever waits, the same time is told as running: cut states touch each other.
TEST_F(RecordWriterTest, CutStatesTouch) {
    const auto use = [](RecordWriter* writer) {
        writer->ThreadStarts(0, kFirst);
        writer->ThreadStarts(0, kSecond);
        for (int64_t t = 1; t < 99; ++t) {
            const auto call = static_cast<uint64_t>(t);
            writer->CallBegins(t * 10, kSecond, call, 0, t * 10 + 5, 4);
            writer->CallEnds(t * 10 + 5, kSecond, call);
        }
        writer->CallBegins(990, kFirst, 1000, 0, 1000, 8);
    };
    const std::string whole = Written(1000, RecordWriter::kHeld, use);
    const uint64_t whole_records = records_;
    for (const size_t held : {size_t{0}, size_t{1}, size_t{7}, size_t{150}}) {
        std::istringstream lines(Written(1000, held, use));
        EXPECT_GT(records_, whole_records) << held;
        int64_t first_end = 0, last_begin = 0, states_of_second = 0;
        for (std::string line; std::getline(lines, line);) {
            long long task, begin, end, state;
            ASSERT_EQ(std::sscanf(line.c_str(), "1:0:1:%lld:1:%lld:%lld:%lld", &task, &begin, &end,
                                  &state),
                      4)
                << line;
            EXPECT_GE(begin, last_begin);
            last_begin = begin;
            if (task == 2) {
                states_of_second += end - begin;
                continue;
            }
            EXPECT_EQ(begin, first_end) << line;
            EXPECT_EQ(state, begin == 990 ? 8 : 1) << line;
            first_end = end;
        }
        EXPECT_EQ(first_end, 1000);
        EXPECT_EQ(states_of_second, 1000);
    }
}

}  // namespace
}  // namespace comshu::format::paraver
