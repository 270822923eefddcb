#include "comm_names.h"

#include <gtest/gtest.h>

#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::kWorld;

TEST(CommNames, SayWhatACommunicatorIsMadeOf) {
    testing::TemporaryFolder folder;
    {
        testing::StreamWriter writer(folder.File("run/node0.1000.0.cst"), {});
        writer.Define(
            schema::MpiRank(writer.Ticks(0), kWorld, writer.Intern("job"), 0, 0, 4, 0, 0, 0));
        const auto comm = [&](int64_t ns, uint64_t id, uint64_t parent,
                              const std::vector<int32_t>& members,
                              const std::vector<int32_t>& others = {}, const char* name = "") {
            writer.Define(schema::MpiComm(writer.Ticks(ns), id, parent, writer.InternList(members),
                                          others.empty() ? 0 : writer.InternList(others),
                                          *name == '\0' ? 0 : writer.Intern(name),
                                          static_cast<uint32_t>(members.size()), 0));
        };
        comm(0, kWorld, 0, {0, 1, 2, 3}, {}, "MPI_COMM_WORLD");
        comm(30, 5, kWorld, {0, 1});
        comm(20, 9, kWorld, {0, 1, 2, 3});
        comm(40, 6, 5, {0});
        comm(50, 7, 0, {0}, {1, 2, 3});
        comm(60, 8, kWorld, {0, 2});
        for (const char* name : {"first name", "row"})
            writer.Define(schema::MpiName(writer.Ticks(70), 8, writer.Intern(name)));
        comm(80, 10, 8, {0});
        writer.Define(schema::MpiName(writer.Ticks(70), 12345, writer.Intern("a window")));
    }
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    const std::map<uint64_t, std::string> expected = {
        {kWorld, "MPI_COMM_WORLD"},
        {9, "comm 1 (all 4 ranks of MPI_COMM_WORLD)"},
        {5, "comm 2 (2 of 4 ranks of MPI_COMM_WORLD)"},
        {6, "comm 3 (1 of 2 ranks of comm 2)"},
        {7, "comm 4 (between 1 and 3 ranks)"},
        {8, "row"},
        {10, "comm 5 (1 of 2 ranks of row)"}};
    EXPECT_EQ(NameComms(*capture), expected);
}

}  // namespace
}  // namespace comshu::read
