// The report of captures whose numbers are known by construction, compared with the whole text.
#include "comshu/read/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "live_writer.h"
#include "mpi_process.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::MpiProcess;
using ::testing::Not;
using testing::TemporaryFolder;

constexpr uint64_t kWorld = MpiProcess::kWorld;
constexpr int32_t kNone = MpiProcess::kNone;
constexpr int64_t kMs = 1'000'000;

std::string ReadFile(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Compares with a file beside the tests; COMSHU_UPDATE_GOLDEN=1 writes it.
void ExpectGolden(const std::string& name, const std::string& text) {
    const std::string path = std::string(COMSHU_TESTDATA) + "/" + name;
    if (std::getenv("COMSHU_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    EXPECT_EQ(text, ReadFile(path)) << name;
    // No line is wider than the page.
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto shown = std::count_if(line.begin(), line.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        });
        EXPECT_LE(shown, 80) << line;
    }
}

class ReportTest : public ::testing::Test {
protected:
    void Collective(MpiProcess* process, int64_t begin, int64_t length, MpiFunction function,
                    uint64_t bytes) {
        process->writer().Add(
            0, schema::MpiCollective(process->Head(begin, 0, false, length), 0x500, kWorld, bytes,
                                     bytes, 0, kNone, function, schema::MpiOperation::sum));
    }
    void DefineWorld(MpiProcess* process, std::vector<int32_t> members, int32_t rank) {
        process->writer().Define(schema::MpiComm(process->Tick(0), kWorld, 0,
                                                 process->writer().InternList(members), 0,
                                                 process->writer().Intern("MPI_COMM_WORLD"),
                                                 static_cast<uint32_t>(members.size()), rank));
        process->writer().Define(schema::Thread(process->Tick(0), process->writer().Intern("app"),
                                                0, 1000 + static_cast<uint32_t>(rank)));
    }

    void Make() {
        std::string error;
        std::shared_ptr<const Capture> capture = Capture::Open({folder_.path()}, &error);
        ASSERT_NE(capture, nullptr) << error;
        const auto database = Database::Open(std::move(capture), &error);
        ASSERT_NE(database, nullptr) << error;
        ASSERT_TRUE(MakeReport(database.get(), {"demo"}, &report_, &error)) << error;
    }

    // 100 ms; rank 0 sends 10 messages of 1000 bytes that take 1 ms, gets 5 of 3 MB back; ten
    // reductions, to which rank 1 always comes 2 ms late.
    void WriteRun() {
        MpiProcess zero(folder_, 0), one(folder_, 1);
        DefineWorld(&zero, {0, 1}, 0);
        DefineWorld(&one, {0, 1}, 1);
        zero.writer().Define(
            schema::Note(zero.Tick(0), zero.writer().Intern("other-mpi"),
                         zero.writer().Intern("one thing was not recorded; do this")));
        for (int i = 0; i < 10; ++i) {
            const int64_t at = i * 9 * kMs;
            zero.writer().Add(
                0, schema::MpiPointToPoint(zero.Head(at, 0, false, kMs), 0x400, kWorld, 1000, 0, 5,
                                           1, 1, MpiFunction::MPI_Send));
            one.writer().Add(
                0, schema::MpiReceive(one.Head(at, 0, false, 2 * kMs), 0x404, kWorld, 1000, 1000, 0,
                                      5, 0, 0, 5, 0, MpiFunction::MPI_Recv));
            if (i % 2 == 0) {
                one.writer().Add(
                    0, schema::MpiPointToPoint(one.Head(at + 2 * kMs, 0, false, kMs), 0x408, kWorld,
                                               3'000'000, 0, 6, 0, 0, MpiFunction::MPI_Send));
                zero.writer().Add(0, schema::MpiReceive(zero.Head(at + kMs, 0, false, 2 * kMs),
                                                        0x40c, kWorld, 3'000'000, 3'000'000, 0, 6,
                                                        1, 1, 6, 1, MpiFunction::MPI_Recv));
            }
            Collective(&zero, at + 4 * kMs, 3 * kMs, MpiFunction::MPI_Allreduce, 8);
            Collective(&one, at + 6 * kMs, kMs, MpiFunction::MPI_Allreduce, 8);
        }
        zero.End(100 * kMs);
        one.End(100 * kMs);
    }

    // Both ranks of two receive first; two more stand in a barrier.
    void WriteDeadlock() {
        for (int32_t rank = 0; rank < 4; ++rank) {
            MpiProcess process(folder_, rank);
            DefineWorld(&process, {0, 1, 2, 3}, rank);
            if (rank < 2) {
                process.writer().Add(
                    0, schema::MpiReceive(process.Head((rank + 1) * kMs, 0, true), 0x400, kWorld,
                                          ~uint64_t{0}, 4, 0, 7, 1 - rank, 1 - rank, 7, 1 - rank,
                                          MpiFunction::MPI_Recv));
            } else {
                process.writer().Add(
                    0,
                    schema::MpiCollective(process.Head(kMs, 0, true), 0x404, kWorld, 0, 0, 0, kNone,
                                          MpiFunction::MPI_Barrier, schema::MpiOperation::none));
            }
            // The last that is known of the run.
            process.writer().Add(
                0, schema::Mark(process.In(5001 * kMs), process.writer().Intern("still here"), 0));
            process.writer().Flush();
        }
    }

    TemporaryFolder folder_;
    Report report_;
};

TEST_F(ReportTest, OfARunThatEnded) {
    WriteRun();
    Make();
    EXPECT_EQ(report_.facts.ranks, 2u);
    EXPECT_EQ(report_.facts.calls, 50u);
    EXPECT_EQ(report_.facts.lost, 0u);
    EXPECT_EQ(report_.facts.duration_ns, 100 * kMs);
    ASSERT_EQ(report_.ranks.size(), 2u);
    EXPECT_EQ(report_.ranks[0].mpi_ns, (10 * 1 + 5 * 2 + 10 * 3) * kMs);
    EXPECT_EQ(report_.ranks[0].total_ns, 100 * kMs);
    EXPECT_EQ(report_.ranks[0].collective_wait_ns, 10 * 2 * kMs);
    EXPECT_EQ(report_.ranks[1].came_last, 10u);
    EXPECT_EQ(report_.ranks[1].sent_bytes, 15'000'000u);
    ASSERT_EQ(report_.pairs.size(), 2u);
    EXPECT_EQ(report_.pairs[0].bytes, 10'000u);
    EXPECT_EQ(report_.pairs[1].messages, 5u);
    ASSERT_EQ(report_.sizes.size(), 2u);
    EXPECT_EQ(report_.sizes[0].exponent, 9);
    EXPECT_EQ(report_.sizes[1].exponent, 21);
    EXPECT_TRUE(report_.stands.empty());
    ExpectGolden("run.txt", ReportText(report_, {}));
    ExpectGolden("run.utf8.txt", ReportText(report_, {80, false, true}));
}

TEST_F(ReportTest, OfADeadlock) {
    WriteDeadlock();
    Make();
    ASSERT_EQ(report_.stands.size(), 4u);
    EXPECT_EQ(report_.stands[0].name, "MPI_Recv");
    EXPECT_EQ(report_.stands[0].detail, "from 1, tag 7");
    EXPECT_THAT(report_.stands[0].waits_for, ElementsAre(1));
    EXPECT_EQ(report_.stands[0].for_ns, 5000 * kMs);
    EXPECT_EQ(report_.stands[1].detail, "from 0, tag 7");
    EXPECT_EQ(report_.stands[2].name, "MPI_Barrier");
    EXPECT_THAT(report_.stands[2].waits_for, ElementsAre(0, 1));
    ASSERT_EQ(report_.deadlocks.size(), 1u);
    ExpectGolden("deadlock.txt", ReportText(report_, {}));
}

TEST_F(ReportTest, OfCollectivesThatAreNotTheSame) {
    {
        MpiProcess zero(folder_, 0), one(folder_, 1);
        for (MpiProcess* process : {&zero, &one}) {
            DefineWorld(process, {0, 1}, process == &zero ? 0 : 1);
            // They met well before.
            Collective(process, kMs, kMs, MpiFunction::MPI_Barrier, 0);
            process->writer().Add(
                0, schema::MpiCollective(
                       process->Head(3 * kMs, 0, true), 0x404, kWorld, 0, 0, 0, kNone,
                       process == &zero ? MpiFunction::MPI_Barrier : MpiFunction::MPI_Allreduce,
                       schema::MpiOperation::none));
            process->writer().Flush();
        }
    }
    Make();
    EXPECT_THAT(report_.deadlocks,
                ElementsAre("members of MPI_COMM_WORLD met in different collectives: rank 1 in "
                            "MPI_Allreduce, rank 0 in MPI_Barrier"));
}

// Open from 10 ms on, with a region of 30 ms inside and a receive that began at 60 ms.
TEST_F(ReportTest, TimeOfRegionsThatAreOpen) {
    {
        MpiProcess process(folder_, 0);
        DefineWorld(&process, {0}, 0);
        testing::LiveWriter live(folder_.File("run/node0.1000.0.live"));
        const auto head = [&](int64_t begin, bool open, int64_t length, uint32_t distance) {
            schema::SpanHead made = process.Head(begin, 0, open, length);
            made.mutate_parent_distance(distance);
            return made;
        };
        live.PushSpan(0, schema::UserRegion(head(10 * kMs, true, 0, 0),
                                            process.writer().Intern("outer"), 0x400));
        process.writer().Add(0, schema::UserRegion(head(20 * kMs, false, 30 * kMs, 1),
                                                   process.writer().Intern("inner"), 0x408));
        live.PushSpan(0, schema::MpiReceive(head(60 * kMs, true, 0, 2), 0x404, kWorld, ~uint64_t{0},
                                            4, 0, 7, 0, 0, 7, 0, MpiFunction::MPI_Recv));
        live.SetLastAlive(process.Tick(100 * kMs));
        live.AddChunk(0, 1, [](auto*) {});
        process.writer().Flush();
        live.Write();
    }
    Make();
    std::map<std::string, int64_t> times;
    for (const Report::Call& call : report_.calls) times[call.name] = call.ns;
    EXPECT_EQ(times, (std::map<std::string, int64_t>{
                         {"MPI_Recv", 40 * kMs}, {"inner", 30 * kMs}, {"outer", 20 * kMs}}));
}

TEST_F(ReportTest, OfATagThatIsAnother) {
    {
        MpiProcess zero(folder_, 0), one(folder_, 1);
        DefineWorld(&zero, {0, 1}, 0);
        DefineWorld(&one, {0, 1}, 1);
        zero.Send(kMs, 1, 5, 8);
        zero.End(100 * kMs);
        one.writer().Add(
            0, schema::MpiReceive(one.Head(2 * kMs, 0, true), 0x400, kWorld, ~uint64_t{0}, 8, 0, 6,
                                  0, 0, 6, 0, MpiFunction::MPI_Recv));
        one.writer().Flush();
    }
    Make();
    EXPECT_THAT(report_.waits_for_gone,
                ElementsAre("rank 1 waits in MPI_Recv (from 0, tag 6) for rank 0, "
                            "which has ended"));
    EXPECT_THAT(report_.near_misses,
                ElementsAre("rank 1 waits for a message from 0, tag 6, and rank 0 sent it one with "
                            "tag 5 that nobody received"));
    EXPECT_THAT(ReportText(report_, {}), ::testing::HasSubstr("  Waits for a rank that is gone\n"));
    EXPECT_THAT(ReportText(report_, {}), ::testing::HasSubstr("  Near miss\n"));
}

TEST_F(ReportTest, NamesTheLastCallOfARankThatIsInNone) {
    {
        MpiProcess killed(folder_, 0), ended(folder_, 1);
        DefineWorld(&killed, {0, 1}, 0);
        DefineWorld(&ended, {0, 1}, 1);
        killed.Send(kMs, 1, 5, 8);
        killed.Wait(2 * kMs, {});
        ended.Receive(kMs, 0, 0, 5, 8);
        ended.End(100 * kMs);
    }
    Make();
    ASSERT_EQ(report_.stands.size(), 1u);
    EXPECT_EQ(report_.stands[0].name, "");
    EXPECT_EQ(report_.stands[0].detail, "since MPI_Waitall");
    EXPECT_THAT(ReportText(report_, {}), ::testing::HasSubstr("in no call since MPI_Waitall"));
}

TEST_F(ReportTest, TheRankThatFailedFirstComesFirst) {
    {
        MpiProcess waits(folder_, 0), crashed(folder_, 1);
        for (MpiProcess* process : {&waits, &crashed}) {
            DefineWorld(process, {0, 1}, process == &waits ? 0 : 1);
            Collective(process, kMs, kMs, MpiFunction::MPI_Barrier, 0);
        }
        waits.writer().Add(
            0, schema::MpiCollective(waits.Head(10 * kMs, 0, true), 0x404, kWorld, 0, 0, 0, kNone,
                                     MpiFunction::MPI_Barrier, schema::MpiOperation::none));
    }
    // Rank 0 was killed by its launcher, 20 ms later.
    const int64_t start = testing::ProcessOptions().realtime_ns;
    std::ofstream(folder_.File("run/node0.failures"))
        << "1000 9 0 " << start + 60 * kMs << "\n1001 11 0 " << start + 40 * kMs << '\n';
    Make();
    ASSERT_EQ(report_.failures.size(), 2u);
    EXPECT_EQ(report_.failures[0].rank, 1);
    EXPECT_EQ(report_.failures[0].Text(), "SIGSEGV");
    EXPECT_THAT(report_.facts.ending, ::testing::StartsWith("rank 1 failed first: SIGSEGV"));
    ASSERT_EQ(report_.stands.size(), 2u);
    EXPECT_EQ(report_.stands[0].rank, 1);
    EXPECT_EQ(report_.stands[0].for_ns, 38 * kMs);
    EXPECT_EQ(report_.stands[0].failed, "SIGSEGV");
    EXPECT_EQ(report_.stands[1].for_ns, 50 * kMs);
    // Until each died: what its launcher did after that is no time of the rank.
    EXPECT_EQ(report_.ranks[0].total_ns, 60 * kMs);
    EXPECT_EQ(report_.ranks[0].mpi_ns, 51 * kMs);
    EXPECT_EQ(report_.ranks[1].total_ns, 40 * kMs);
    EXPECT_EQ(report_.ranks[1].mpi_ns, kMs);
    EXPECT_THAT(ReportText(report_, {}),
                ::testing::HasSubstr("in no call since MPI_Barrier; SIGSEGV"));
}

// As containers are: what tells them apart are their clocks.
TEST_F(ReportTest, HostsMayHaveTheSameName) {
    for (const bool same : {true, false}) {
        const TemporaryFolder folder;
        {
            MpiProcess zero(folder, 0);
            MpiProcess one(folder, 1, 4, kWorld,
                           same ? testing::ProcessOptions().boot_id : "another");
            DefineWorld(&zero, {0, 1}, 0);
            DefineWorld(&one, {0, 1}, 1);
            // It arrives at 10 ms and 10 ns, 2 ms minus 10 ns before it is sent.
            one.Receive(10 * kMs, 0, 0, 5, 8);
            zero.Send(12 * kMs, 1, 5, 8);
            zero.End(20 * kMs);
            one.End(20 * kMs);
        }
        std::string error;
        Report report;
        const auto database = Database::OpenPaths({folder.path()}, &error);
        ASSERT_TRUE(MakeReport(database.get(), {"demo"}, &report, &error)) << error;
        std::string told;
        for (const Report::Warning& warning : report.warnings)
            if (warning.kind == "clock") told += warning.text;
        EXPECT_THAT(told, ::testing::StartsWith(
                              "1 message arrived before being sent, by 2.00 ms at most: "));
        EXPECT_THAT(told, ::testing::EndsWith(
                              same ? "by one clock that cannot be; were they announced in the "
                                     "wrong order?"
                                   : "the clocks of the hosts differ by that much"));
        EXPECT_EQ(report.facts.clocks.clocks, same ? 0u : 2u);
        EXPECT_EQ(report.facts.hosts, std::vector<std::string>(same ? 1 : 2, "node0"));
        EXPECT_THAT(ReportText(report, {}),
                    ::testing::HasSubstr(same ? "on 1 host (node0)" : "on 2 hosts (node0, node0)"));
    }
}

TEST_F(ReportTest, TellsThatNoLineIsKnown) {
    const auto kinds = [&](uint32_t line) {
        const TemporaryFolder folder;
        {
            MpiProcess zero(folder, 0);
            zero.Send(0, 0, 5, 8);
            zero.Receive(20, 0, 0, 5, 8);
            const testing::ProcessOptions options;
            testing::StreamWriter sources(folder.File("run/node0.sources.cst"), options);
            const uint64_t file = line == 0 ? 0 : sources.Intern("app.c");
            sources.Define(
                schema::Source(options.pid, 0, 0x400, file, 0, sources.Intern("app"), line));
            zero.End(100);
        }
        std::string error;
        const auto database = Database::OpenPaths({folder.path()}, &error);
        EXPECT_TRUE(MakeReport(database.get(), {"demo"}, &report_, &error)) << error;
        std::vector<std::string> kinds;
        for (const Report::Warning& warning : report_.warnings) kinds.push_back(warning.kind);
        return kinds;
    };
    EXPECT_THAT(kinds(0), Contains("lines"));
    EXPECT_THAT(kinds(7), Not(Contains("lines")));
}

TEST_F(ReportTest, AsData) {
    WriteRun();
    Make();
    const nlohmann::json all = nlohmann::json::parse(ReportJson(report_));
    EXPECT_EQ(all["run"]["calls"], 50);
    EXPECT_EQ(all["run"]["duration_ns"], 100 * kMs);
    EXPECT_EQ(all["ranks"][0]["mpi_ns"], 50 * kMs);
    EXPECT_EQ(all["messages"][1]["bytes"], 15'000'000);
    EXPECT_EQ(all["sizes"][0]["from_bytes"], 512);
    EXPECT_EQ(all["calls"][0]["name"], "MPI_Allreduce");
    EXPECT_EQ(all["calls"][0]["source"], nullptr);
    EXPECT_EQ(all["stands"].size(), 0u);
    EXPECT_EQ(all["warnings"][0]["kind"], "note");
}

TEST_F(ReportTest, QueriesHaveNamesOfTheirOwn) {
    std::set<std::string> names;
    for (const ReportQuery& query : ReportQueries()) {
        EXPECT_TRUE(names.insert(query.name).second) << query.name;
    }
}

}  // namespace
}  // namespace comshu::read
