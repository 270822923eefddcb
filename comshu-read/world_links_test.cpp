// Worlds that share communicators, written with known numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::ProcessOptions;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr int32_t kNo = INT32_MIN;

// A process that is rank `rank` of its world and began at `begin_ns`.
class Member {
public:
    Member(const TemporaryFolder& folder, uint64_t world, const std::string& job,
           const std::string& parent_job, int64_t begin_ns, int32_t rank = 0, int32_t size = 1)
        : begin_ns_(begin_ns),
          options_(Options(begin_ns)),
          writer_(folder.File("run/node0." + std::to_string(options_.pid) + ".0.cst"), options_) {
        writer_.Define(schema::MpiRank(writer_.Ticks(0), world, writer_.Intern(job), 0, rank, size,
                                       0, 0, parent_job.empty() ? 0 : writer_.Intern(parent_job)));
    }
    ~Member() { writer_.End(writer_.Ticks(1'000'000), schema::EndReason::finished); }

    void Comm(int64_t at_ns, uint64_t comm, std::vector<int32_t> local, std::vector<int32_t> remote,
              uint64_t parent = 0) {
        const uint64_t others = remote.empty() ? 0 : writer_.InternList(remote);
        writer_.Define(schema::MpiComm(writer_.Ticks(at_ns - begin_ns_), comm, parent,
                                       writer_.InternList(local), others, 0,
                                       static_cast<uint32_t>(local.size()), 0));
    }
    void Spawned(uint64_t comm) { Across(comm, "", 0, false, kNo); }
    void OfParent(uint64_t comm, int32_t spawner) { Across(comm, "", 0, true, spawner); }
    void Met(uint64_t comm, const std::string& port) { Across(comm, port, 0, false, kNo); }
    void MadeOfParent(uint64_t comm, uint64_t place) { Across(comm, "", place, false, kNo); }

    // This one spawned a process and knows the communicator with it as `comm`; and the child's side of it.
    void Spawns(int64_t at_ns, uint64_t comm, int32_t own_rank = 0) {
        Comm(at_ns, comm, {own_rank}, {kNo});
        Spawned(comm);
    }
    void AsksForParent(int64_t at_ns, uint64_t comm, int32_t spawner) {
        Comm(at_ns, comm, {0}, {kNo});
        OfParent(comm, spawner);
    }

private:
    static ProcessOptions Options(int64_t begin_ns) {
        static uint32_t pid = 1000;
        ProcessOptions options;
        options.pid = ++pid;
        options.boot_id = std::to_string(pid);  // Each has a clock of its own.
        options.realtime_ns += begin_ns;
        return options;
    }
    void Across(uint64_t comm, const std::string& port, uint64_t place, bool of_parent,
                int32_t spawner) {
        writer_.Define(schema::MpiCommAcross(writer_.Ticks(0), comm,
                                             port.empty() ? 0 : writer_.Intern(port), place,
                                             spawner, of_parent ? 1 : 0));
    }

    int64_t begin_ns_;
    ProcessOptions options_;
    StreamWriter writer_;
};

std::unique_ptr<Capture> Open(const TemporaryFolder& folder) {
    std::string error;
    std::unique_ptr<Capture> capture = Capture::Open({folder.path()}, &error);
    EXPECT_NE(capture, nullptr) << error;
    return capture;
}

TEST(WorldLinks, SpawnsOfOneShapeAreToldApartByTime) {
    TemporaryFolder folder;
    {
        Member parent(folder, 1, "job", "", 0);
        Member first(folder, 2, "job.2", "job", 1000);
        Member second(folder, 3, "job.3", "job", 3000);
        parent.Spawns(2000, 10);
        parent.Spawns(4000, 11);
        // It asks for its parent late.
        first.AsksForParent(5000, 20, 0);
        second.AsksForParent(3500, 30, 0);
    }
    const auto capture = Open(folder);
    EXPECT_EQ(capture->CommNumber(20), 10u);
    EXPECT_EQ(capture->CommNumber(30), 11u);
    EXPECT_EQ(capture->CommNumber(10), 10u);
    EXPECT_EQ(capture->CommNumber(99), 99u);
}

TEST(WorldLinks, SpawnsAtOnceAreToldApartByTheProcessThatSpawned) {
    TemporaryFolder folder;
    {
        Member zero(folder, 1, "job", "", 0, 0, 2);
        Member one(folder, 1, "job", "", 0, 1, 2);
        Member of_one(folder, 2, "job.2", "job", 1000);
        Member of_zero(folder, 3, "job.3", "job", 1000);
        zero.Spawns(2000, 10);
        one.Spawns(2000, 11, 1);
        of_one.AsksForParent(1500, 20, 1);
        of_zero.AsksForParent(1500, 30, 0);
    }
    const auto capture = Open(folder);
    EXPECT_EQ(capture->CommNumber(20), 11u);
    EXPECT_EQ(capture->CommNumber(30), 10u);
}

TEST(WorldLinks, ASpawnOfAnotherShapeOrJobIsNotTaken) {
    TemporaryFolder folder;
    {
        Member parent(folder, 1, "job", "", 0);
        Member child(folder, 2, "job.2", "job", 1000);
        Member stranger(folder, 3, "job.3", "other", 1000);
        parent.Comm(2000, 10, {0}, {kNo, kNo});
        parent.Spawned(10);
        child.AsksForParent(1500, 20, 0);
        stranger.Comm(1500, 30, {0, 1}, {kNo});
        stranger.OfParent(30, 0);
    }
    EXPECT_FALSE(Open(folder)->HasCommNumbers());
}

TEST(WorldLinks, WhatMetAtAPortBelongsTogetherInOrder) {
    TemporaryFolder folder;
    {
        Member server(folder, 1, "server", "", 0);
        Member first(folder, 2, "first", "", 10);
        Member second(folder, 3, "second", "", 20);
        server.Comm(1000, 10, {0}, {kNo});
        server.Met(10, "port");
        server.Comm(2000, 11, {0}, {kNo});
        server.Met(11, "port");
        second.Comm(1010, 30, {0}, {kNo});
        second.Met(30, "port");
        first.Comm(1990, 20, {0}, {kNo});
        first.Met(20, "port");
    }
    const auto capture = Open(folder);
    EXPECT_EQ(capture->CommNumber(30), 10u);
    EXPECT_EQ(capture->CommNumber(20), 11u);
}

TEST(WorldLinks, WhatIsMadeOfSharedCommunicatorsIsSharedByItsPlace) {
    TemporaryFolder folder;
    {
        Member parent(folder, 1, "job", "", 0);
        Member child(folder, 2, "job.2", "job", 1000);
        parent.Spawns(2000, 10);
        child.AsksForParent(1500, 20, 0);
        parent.Comm(3000, 11, {0, kNo}, {}, 10);
        parent.MadeOfParent(11, 7);
        child.Comm(3000, 21, {kNo, 0}, {}, 20);
        child.MadeOfParent(21, 7);
        parent.Comm(4000, 12, {0, kNo}, {}, 11);
        parent.MadeOfParent(12, 8);
        child.Comm(4000, 22, {kNo, 0}, {}, 21);
        child.MadeOfParent(22, 8);
        child.Comm(5000, 23, {kNo, 0}, {}, 21);
        child.MadeOfParent(23, 9);
    }
    const auto capture = Open(folder);
    EXPECT_EQ(capture->CommNumber(21), 11u);
    EXPECT_EQ(capture->CommNumber(22), 12u);
    EXPECT_EQ(capture->CommNumber(23), 23u);
}

}  // namespace
}  // namespace comshu::read
