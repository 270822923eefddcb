// The engine as an object of its own, in programs that fork, exec and end in every way there is.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "testing/captured.h"
#include "testing/kill_counters.h"

namespace comshu::rec {
namespace {

using schema::EndReason;
using schema::UserRegion;

class ProcessTest : public testing::Test {
protected:
    pid_t Launch(const std::string& mode, const std::string& argument = "") {
        const pid_t child = fork();
        if (child != 0) return child;
        if (capture_) setenv("COMSHU_DIR", folder_.path().c_str(), 1);
        for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
        execl(RECORDER_PROGRAM, "recorder_program", mode.c_str(), argument.c_str(), nullptr);
        _exit(127);
    }
    // The exit code, or minus the signal.
    int Run(const std::string& mode, const std::string& argument = "") {
        int status = 0;
        waitpid(Launch(mode, argument), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    std::vector<Captured> ReadAll() {
        std::vector<Captured> all;
        for (const std::string& path : FindStreams(folder_.path() + "/run")) {
            all.push_back(ReadCapture(path));
            for (const auto& problem : all.back().problems) ADD_FAILURE() << problem;
        }
        return all;
    }
    Captured ReadOne() {
        std::vector<Captured> all = ReadAll();
        EXPECT_EQ(all.size(), 1u);
        return all.empty() ? Captured() : std::move(all[0]);
    }
    static std::vector<uint64_t> Names(const Captured& captured) {
        std::vector<uint64_t> names;
        for (const auto& call : captured.All<UserRegion>()) names.push_back(call.name());
        return names;
    }
    void ExpectEnd(const Captured& captured, EndReason reason, int32_t code, uint64_t recorded) {
        const auto end = captured.All<schema::ProcessEnd>();
        ASSERT_EQ(end.size(), 1u);
        EXPECT_EQ(end[0].reason(), reason);
        EXPECT_EQ(end[0].exit_code(), code);
        EXPECT_EQ(end[0].recorded(), recorded);
        EXPECT_EQ(end[0].lost(), 0u);
        EXPECT_FALSE(captured.has_live);
    }

    TestFolder folder_;
    bool capture_ = true;
    std::map<std::string, std::string> environment_;
};

TEST_F(ProcessTest, SleepsUntilTheFirstTracedCall) {
    EXPECT_EQ(Run("idle"), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ProcessTest, OffWithoutTheVariable) {
    capture_ = false;
    EXPECT_EQ(Run("return"), 7);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ProcessTest, EveryOrderlyEnd) {
    const struct {
        const char* mode;
        EndReason reason;
        int code;
    } kEnds[] = {
        {"return", EndReason::finished, 7},      {"exit", EndReason::finished, 8},
        {"_exit", EndReason::finished, 9},       {"_Exit", EndReason::finished, 10},
        {"quick_exit", EndReason::finished, 11}, {"finished", EndReason::finished, 0},
    };
    for (const auto& end : kEnds) {
        SCOPED_TRACE(end.mode);
        EXPECT_EQ(Run(end.mode), end.code);
        const Captured captured = ReadOne();
        ExpectEnd(captured, end.reason, end.code, 10);
        EXPECT_EQ(captured.Count<UserRegion>(), 10u);
        std::filesystem::remove_all(folder_.path() + "/run");
    }
}

TEST_F(ProcessTest, TheMainThreadMayEndFirst) {
    EXPECT_EQ(Run("main-thread-ends"), 12);
    const Captured captured = ReadOne();
    ExpectEnd(captured, EndReason::finished, 12, 13);
    EXPECT_EQ(captured.Count<schema::ThreadEnd>(), 2u);
}

TEST_F(ProcessTest, AForkedChildHasAStreamOfItsOwn) {
    EXPECT_EQ(Run("fork"), 5);
    const auto all = ReadAll();
    ASSERT_EQ(all.size(), 2u);
    const bool first_is_child = Names(all[0]).at(0) == 11;
    const Captured& parent = all[first_is_child ? 1 : 0];
    const Captured& child = all[first_is_child ? 0 : 1];
    EXPECT_EQ(Names(parent), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(Names(child), (std::vector<uint64_t>{11, 12}));
    ExpectEnd(parent, EndReason::finished, 5, 6);
    ExpectEnd(child, EndReason::finished, 5, 2);
    EXPECT_EQ(child.All<schema::Process>().at(0).parent_pid(),
              parent.All<schema::Process>().at(0).pid());
    EXPECT_EQ(child.All<schema::Thread>().at(0).thread(), 0u);
    EXPECT_EQ(child.All<UserRegion>().at(0).head().span(), 1u);
}

TEST_F(ProcessTest, ACallOpenAtAForkEndsInTheParentAlone) {
    // Inside so many others that the stack has outgrown its slot.
    EXPECT_EQ(Run("fork-inside", "300"), 0);
    const auto all = ReadAll();
    ASSERT_EQ(all.size(), 2u);
    std::vector<uint64_t> of_parent(301, 2);
    of_parent[0] = 1;
    for (const Captured& captured : all) {
        const auto names = Names(captured);
        EXPECT_EQ(names, names.size() == 301 ? of_parent : (std::vector<uint64_t>{11, 12}));
    }
}

TEST_F(ProcessTest, ForksAmongRecordingThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer keeps the locks that other threads held at the fork";
#endif
    EXPECT_EQ(Run("fork-threads"), 0);
    const auto all = ReadAll();
    ASSERT_EQ(all.size(), 21u);
    size_t children = 0;
    for (const Captured& captured : all) {
        const auto end = captured.All<schema::ProcessEnd>().at(0);
        EXPECT_EQ(end.recorded(), captured.Count<UserRegion>());
        children += end.recorded() == 10 && end.lost() == 0 ? 1 : 0;
    }
    EXPECT_GE(children, 20u);
}

TEST_F(ProcessTest, AForkDuringTheFirstCallOfAnotherThread) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer keeps the locks that other threads held at the fork";
#endif
    EXPECT_EQ(Run("fork-in-first-call"), 0);
    const std::vector<Captured> all = ReadAll();
    ASSERT_EQ(all.size(), 2u);
    const bool parent_first = Names(all[0]).front() == 1;
    EXPECT_EQ(Names(all[parent_first ? 0 : 1]), (std::vector<uint64_t>{1, 2, 3}));
    EXPECT_EQ(Names(all[parent_first ? 1 : 0]), (std::vector<uint64_t>{11, 12}));
}

TEST_F(ProcessTest, AChildOfVforkLeavesItsParentAlone) {
    EXPECT_EQ(Run("vfork"), 4);
    const Captured captured = ReadOne();
    ExpectEnd(captured, EndReason::finished, 4, 4);
    EXPECT_EQ(Names(captured), (std::vector<uint64_t>{1, 2, 3, 4}));
}

TEST_F(ProcessTest, AnExecIsAnotherImage) {
    EXPECT_EQ(Run("exec"), 7);
    const auto all = ReadAll();
    ASSERT_EQ(all.size(), 2u);
    const auto first = all[0].All<schema::Process>().at(0);
    const auto second = all[1].All<schema::Process>().at(0);
    EXPECT_EQ(first.pid(), second.pid());
    EXPECT_EQ(first.exec_number(), 0);
    EXPECT_EQ(second.exec_number(), 1);
    EXPECT_EQ(all[0].Count<UserRegion>(), 10u);
    const auto end = all[0].All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.reason(), EndReason::exec);
    EXPECT_EQ(end.recorded(), 10u);
    ExpectEnd(all[1], EndReason::finished, 7, 10);
}

TEST_F(ProcessTest, AnExecThatFailsEndsNothing) {
    EXPECT_EQ(Run("exec-fails"), 0);
    const Captured captured = ReadOne();
    EXPECT_EQ(captured.Count<UserRegion>(), 12u);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().back().reason(), EndReason::finished);
}

TEST_F(ProcessTest, ClosedDescriptorsAreNotWrittenTo) {
    EXPECT_EQ(Run("close-all", folder_.path()), 0);
    const Captured captured = ReadOne();
    EXPECT_EQ(captured.Count<UserRegion>(), 12u);
    ExpectEnd(captured, EndReason::finished, 0, 12);
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(std::filesystem::file_size(folder_.path() + "/own" + std::to_string(i)), 0u);
    }
}

// The ring alone is larger than the limit: it can never be written to its end.
TEST_F(ProcessTest, AStreamThatCannotGrowLosesAndCounts) {
    EXPECT_EQ(Run("file-size", "100000"), 0);
    const auto streams = FindStreams(folder_.path() + "/run");
    ASSERT_EQ(streams.size(), 1u);
    const Captured captured = ReadCapture(streams[0]);
    EXPECT_TRUE(captured.has_live) << "not everything is in the stream";
    EXPECT_GT(captured.live_lost, 0u);
    EXPECT_EQ(captured.Count<UserRegion>() + captured.live_lost, 100'005u);
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.recorded(), captured.Count<UserRegion>());
    EXPECT_EQ(end.lost(), captured.live_lost);
    bool noted = false;
    for (const auto& note : captured.All<schema::Note>()) {
        noted = noted || captured.text.at(note.kind()) == "write_failed";
    }
    EXPECT_TRUE(noted);
}

TEST_F(ProcessTest, ObjectsOpenedAndClosedAreKnown) {
    EXPECT_EQ(Run("dlclose", SOME_LIBRARY), 0);
    const Captured captured = ReadOne();
    size_t found = 0;
    for (const auto& module : captured.All<schema::Module>()) {
        const std::string& path = captured.text.at(module.path());
        if (std::filesystem::path(path).filename() ==
            std::filesystem::path(SOME_LIBRARY).filename()) {
            ++found;
            EXPECT_EQ(captured.text.at(module.build_id()).size(), 40u);
        }
    }
    EXPECT_EQ(found, 1u);
}

TEST_F(ProcessTest, AnAbortLeavesTheOpenCall) {
    EXPECT_EQ(Run("abort"), -SIGABRT);
    const Captured captured = ReadOne();
    EXPECT_TRUE(captured.has_live);
    EXPECT_EQ(captured.Count<UserRegion>(), 10u);
    EXPECT_EQ(captured.Count<schema::ProcessEnd>(), 0u);
    ASSERT_EQ(captured.open_calls.size(), 1u);
    EXPECT_EQ(captured.open_calls[0].As<UserRegion>().name(), 99u);
    EXPECT_EQ(captured.open_calls[0].As<UserRegion>().head().end(), 0u);
}

std::vector<int> AllCpus() {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> all;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) all.push_back(i);
    }
    return all;
}

TEST_F(ProcessTest, TheDrainLeavesTheBindingAndHasTheLowestPriority) {
    const std::vector<int> all = AllCpus();
    if (all.size() < 2) GTEST_SKIP() << "one CPU";
    const auto where = [&] {
        std::ifstream in(folder_.path() + "/where");
        return std::vector<int>(std::istream_iterator<int>(in), {});
    };
    environment_["WHERE"] = folder_.path() + "/where";
    EXPECT_EQ(Run("where", std::to_string(all[1])), 0);
    EXPECT_FALSE(where().empty());
    for (const int cpu : where()) EXPECT_NE(cpu, all[1]);

    environment_["COMSHU_DRAIN_CPUS"] = std::to_string(all[1]);
    EXPECT_EQ(Run("where", std::to_string(all[1])), 0);
    EXPECT_EQ(where(), std::vector<int>{all[1]});
}

TEST_F(ProcessTest, RingsElsewhereAreNamedInTheStream) {
    TestFolder elsewhere;
    environment_["COMSHU_LIVE_DIR"] = elsewhere.path();
    EXPECT_EQ(Run("abort"), -SIGABRT);
    EXPECT_FALSE(std::filesystem::is_empty(elsewhere.path()));
    const Captured captured = ReadOne();
    EXPECT_TRUE(captured.has_live);
    EXPECT_EQ(captured.Count<UserRegion>(), 10u);
    EXPECT_EQ(captured.open_calls.size(), 1u);
}

// The calls of each thread are there from the first to the last published, each once; one more may
// be: it was published, but not yet counted by the program. The call around them is open.
void CheckKilled(const Captured& captured, const KillCounters& counters, const uint64_t* outer) {
    std::map<uint32_t, uint64_t> last;
    std::map<uint32_t, uint64_t> gaps;
    for (const CapturedRecord& record : captured.records) {
        if (record.type == schema::RecordTraits<schema::Gap>::kType) {
            gaps[record.thread] += record.As<schema::Gap>().lost();
        } else if (record.type == schema::RecordTraits<UserRegion>::kType) {
            const uint64_t name = record.As<UserRegion>().name();
            if (gaps.count(record.thread) == 0) {
                EXPECT_EQ(name, last[record.thread] + 1) << "thread " << record.thread;
            } else {
                EXPECT_GT(name, last[record.thread]);
            }
            last[record.thread] = name;
        }
    }
    std::map<uint64_t, uint32_t> thread_of;  // The program's number -> ours.
    for (const CapturedRecord& call : captured.open_calls) {
        if (call.As<UserRegion>().name() == kOuterCall)
            thread_of[call.As<UserRegion>().caller() - 1] = call.thread;
    }
    for (int t = 0; t < kKillThreads; ++t) {
        if (outer[t] == 0) continue;
        ASSERT_EQ(thread_of.count(static_cast<uint64_t>(t)), 1u) << "its outer call is not open";
        const uint64_t issued = counters.of_thread[t].issued.load();
        const uint32_t thread = thread_of[static_cast<uint64_t>(t)];
        if (gaps.count(thread) != 0) continue;
        EXPECT_GE(last[thread] + counters.of_thread[t].lost.load(), issued);
        EXPECT_LE(last[thread], issued + 1);
    }
}

// Whenever a program is killed, what it had published is there.
TEST_F(ProcessTest, KilledAtRandomMoments) {
    const char* long_run = std::getenv("COMSHU_TEST_LONG");
    const int repetitions = long_run != nullptr && std::string(long_run) == "1" ? 200 : 12;
    const char* given = std::getenv("COMSHU_TEST_SEED");
    const unsigned seed =
        given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
    std::printf("COMSHU_TEST_SEED=%u\n", seed);
    std::mt19937 random(seed);
    environment_["COMSHU_RING_KIB"] = "64";
    const std::string shared = folder_.path() + "/counters";
    for (int i = 0; i < repetitions && !HasFailure(); ++i) {
        SCOPED_TRACE("repetition " + std::to_string(i));
        const int fd = open(shared.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
        ASSERT_EQ(ftruncate(fd, sizeof(KillCounters)), 0);
        auto* counters = static_cast<KillCounters*>(
            mmap(nullptr, sizeof(KillCounters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        close(fd);
        const pid_t child = Launch("until-killed", shared);
        // From before the first file to a few megabytes of records.
        usleep(std::uniform_int_distribution<unsigned>(0, 60'000)(random));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        uint64_t outer[kKillThreads];
        uint64_t published = 0;
        for (int t = 0; t < kKillThreads; ++t) {
            outer[t] = counters->of_thread[t].outer.load();
            published += counters->of_thread[t].issued.load();
        }
        const auto streams = FindStreams(folder_.path() + "/run");
        if (published > 0) {
            ASSERT_EQ(streams.size(), 1u);
        }
        if (!streams.empty()) {
            const Captured captured = ReadCapture(streams[0]);
            for (const auto& problem : captured.problems) ADD_FAILURE() << problem;
            CheckKilled(captured, *counters, outer);
        }
        munmap(counters, sizeof(KillCounters));
        std::filesystem::remove_all(folder_.path() + "/run");
    }
}

}  // namespace
}  // namespace comshu::rec
