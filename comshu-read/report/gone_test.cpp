#include "report/gone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace comshu::read {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Rank i is in state i, all on one host.
Report RunOf(const std::vector<const char*>& states) {
    Report report;
    for (const char* state : states) {
        Report::RankTime rank;
        rank.rank = static_cast<int32_t>(report.ranks.size());
        rank.state = state;
        rank.host = "node0";
        report.ranks.push_back(rank);
    }
    return report;
}

void Fail(Report* report, int32_t rank, int signal, int exit_code = 0) {
    report->failures.push_back(
        {rank, signal, exit_code, static_cast<int64_t>(report->failures.size())});
}

void Stand(Report* report, int32_t rank, const char* name, std::vector<int32_t> waits_for = {}) {
    Report::Stand stand;
    stand.rank = rank;
    stand.name = name;
    stand.waits_for = std::move(waits_for);
    report->stands.push_back(stand);
}

TEST(Gone, OnesThatEnded) {
    Report report = RunOf({"finished", "exited", "exited", "killed", "killed", "killed"});
    Fail(&report, 2, 0, 3);
    Fail(&report, 3, 0, 4);
    Stand(&report, 4, "MPI_Finalize");
    Stand(&report, 5, "MPI_Abort");
    EXPECT_THAT(FindGone(report, 0),
                ElementsAre(Pair(0, "has ended"), Pair(1, "ended without MPI_Finalize"),
                            Pair(2, "ended without MPI_Finalize, exit code 3"),
                            Pair(3, "ended with exit code 4"), Pair(4, "is in MPI_Finalize"),
                            Pair(5, "is in MPI_Abort")));
}

TEST(Gone, OneThatCrashedAmongOthersThatItsLauncherKilled) {
    for (const int sent : {SIGTERM, SIGKILL}) {
        Report report = RunOf({"killed", "killed", "killed"});
        Fail(&report, 1, SIGSEGV);
        Fail(&report, 0, sent);
        Fail(&report, 2, sent);
        Stand(&report, 1, "MPI_Send");
        EXPECT_THAT(FindGone(report, 0), ElementsAre(Pair(1, "died of SIGSEGV in MPI_Send")));
    }
}

TEST(Gone, OneThatWasKilledBeforeTheOthersWereAskedToEnd) {
    Report report = RunOf({"killed", "killed"});
    Fail(&report, 1, SIGKILL);
    Fail(&report, 0, SIGTERM);
    EXPECT_THAT(FindGone(report, 0), ElementsAre(Pair(1, "was killed by SIGKILL")));
}

TEST(Gone, NoneOfARunThatWasEndedFromOutside) {
    for (const int sent : {SIGINT, SIGTERM, SIGKILL, SIGUSR1}) {
        Report report = RunOf({"killed", "killed"});
        Fail(&report, 1, sent);
        EXPECT_THAT(FindGone(report, 0), IsEmpty()) << "the other's end was not seen";
        Fail(&report, 0, sent);
        EXPECT_THAT(FindGone(report, 0), IsEmpty());
        EXPECT_THAT(FindGone(RunOf({"killed", "killed"}), 0), IsEmpty());
    }
}

TEST(Gone, OneThatDiedWhileOthersRun) {
    Report report = RunOf({"running", "killed", "killed"});
    report.ranks[2].host = "node1";  // Nobody here knows whether it runs.
    EXPECT_THAT(FindGone(report, 0), ElementsAre(Pair(1, "died")));
    Fail(&report, 2, SIGKILL);
    EXPECT_THAT(FindGone(report, 0),
                ElementsAre(Pair(1, "died"), Pair(2, "was killed by SIGKILL")));
}

TEST(Gone, NoneOfAnotherHostOfTheSameName) {
    Report report = RunOf({"running", "killed", "killed"});
    report.ranks[2].boot_id = "another";
    EXPECT_THAT(FindGone(report, 0), ElementsAre(Pair(1, "died")));
}

TEST(Gone, OneOfWhichItsLauncherTells) {
    Report report = RunOf({"killed", "killed", "killed"});
    Stand(&report, 0, "MPI_Recv", {1});
    Stand(&report, 1, "");
    Stand(&report, 2, "MPI_Barrier", {0, 1});
    EXPECT_THAT(FindGone(report, 0), IsEmpty());
    EXPECT_THAT(FindGone(report, SIGTERM), IsEmpty());
    EXPECT_THAT(FindGone(report, SIGSEGV), ElementsAre(Pair(1, "died of SIGSEGV")));
    EXPECT_THAT(FindGone(report, SIGKILL), ElementsAre(Pair(1, "was killed by SIGKILL")));
    // Which one it was nobody knows.
    report.stands.pop_back();
    EXPECT_THAT(FindGone(report, SIGSEGV), IsEmpty());
}

}  // namespace
}  // namespace comshu::read
