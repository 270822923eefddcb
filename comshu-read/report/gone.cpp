#include "report/gone.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>

#include <fmt/core.h>

namespace comshu::read {
namespace {

// What users, launchers and batch systems send to all of a run.
bool IsFromOutside(int signal) {
    static const std::set<int> sent = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL, SIGUSR1, SIGUSR2};
    return sent.count(signal) != 0;
}

std::string DeathText(const Report::Failure& failure) {
    if (failure.signal == 0) return "ended with " + failure.Text();
    return (IsFromOutside(failure.signal) ? "was killed by " : "died of ") + failure.Text();
}

// Launchers that see a rank die ask the others to end, and kill those that do not.
bool WasKilledAlone(const std::vector<Report::Failure>& failures) {
    return failures.size() > 1 && failures.front().signal == SIGKILL &&
           std::none_of(failures.begin() + 1, failures.end(),
                        [](const Report::Failure& other) { return other.signal == SIGKILL; });
}

bool DiedByItself(const Report::Failure& failure, const Report& report) {
    if (!IsFromOutside(failure.signal)) return true;
    return &failure == &report.failures.front() && WasKilledAlone(report.failures);
}

std::set<int32_t> KilledThatWaitForNobody(const Report& report) {
    std::set<int32_t> ranks;
    for (const Report::RankTime& rank : report.ranks)
        if (rank.state == "killed") ranks.insert(rank.rank);
    for (const Report::Stand& stand : report.stands)
        if (!stand.waits_for.empty()) ranks.erase(stand.rank);
    return ranks;
}

}  // namespace

GoneRanks FindGone(const Report& report, int rank_signal) {
    GoneRanks gone;
    for (const Report::Stand& stand : report.stands) {
        if (stand.name == "MPI_Finalize" || stand.name == "MPI_Abort")
            gone.emplace(stand.rank, "is in " + stand.name);
    }
    std::map<int32_t, const Report::Failure*> failures;
    for (const Report::Failure& failure : report.failures) failures[failure.rank] = &failure;
    const auto host_of = [](const Report::RankTime& rank) {
        return std::pair(rank.host, rank.boot_id);
    };
    std::set<std::pair<std::string, std::string>> hosts;  // Where ranks still run.
    for (const Report::RankTime& rank : report.ranks)
        if (rank.state == "running") hosts.insert(host_of(rank));
    for (const Report::RankTime& rank : report.ranks) {
        const auto failure = failures.find(rank.rank);
        const bool failed = failure != failures.end();
        if (rank.state == "finished") {
            gone.emplace(rank.rank, "has ended");
        } else if (rank.state == "exited") {
            gone.emplace(rank.rank, fmt::format("ended without MPI_Finalize{}",
                                                failed ? ", " + failure->second->Text() : ""));
        } else if (failed && (DiedByItself(*failure->second, report) || !hosts.empty())) {
            gone.emplace(rank.rank, DeathText(*failure->second));
        } else if (rank.state == "killed" && hosts.contains(host_of(rank))) {
            gone.emplace(rank.rank, "died");
        }
    }
    const std::set<int32_t> free = KilledThatWaitForNobody(report);
    if (report.failures.empty() && free.size() == 1 &&
        (rank_signal == SIGKILL || (rank_signal != 0 && !IsFromOutside(rank_signal)))) {
        gone.emplace(*free.begin(), DeathText({*free.begin(), rank_signal, 0, 0}));
    }
    for (const Report::Stand& stand : report.stands) {
        const auto found = gone.find(stand.rank);
        if (found != gone.end() && !stand.name.empty() &&
            found->second.find(stand.name) == std::string::npos)
            found->second += " in " + stand.name;
    }
    return gone;
}

}  // namespace comshu::read
