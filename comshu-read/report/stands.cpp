// In which call each thread of a run that was cut off stands.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "comshu/read/number_text.h"
#include "report/deadlock.h"
#include "report/gone.h"
#include "report/parts.h"
#include "report/rank_text.h"

namespace comshu::read {
namespace {

// A send or receive that has found no partner.
struct Waiting {
    int32_t rank;
    bool sends;
    int32_t peer;  // -1: any, or not known.
    int32_t tag;
    bool any_tag;
    uint64_t span;
    uint64_t request;
};

std::string WaitingText(const Waiting& waiting) {
    const std::string peer = waiting.peer < 0 ? "any rank" : std::to_string(waiting.peer);
    const std::string tag = waiting.any_tag ? "any tag" : fmt::format("tag {}", waiting.tag);
    return fmt::format("{} {}, {}", waiting.sends ? "to" : "from", peer, tag);
}

class StandMaker {
public:
    explicit StandMaker(const ReportInput& input) : input_(input) {}

    bool Read(std::string* error) {
        const auto waiting = [&](const Query& query) {
            waiting_.push_back({static_cast<int32_t>(query.Integer(0)), query.Text(1) == "send",
                                query.IsNull(2) ? -1 : static_cast<int32_t>(query.Integer(2)),
                                static_cast<int32_t>(query.Integer(3)), query.IsNull(3),
                                query.Unsigned(4), query.Unsigned(5)});
        };
        const auto absent = [&](const Query& query) {
            absent_[query.Unsigned(0)].push_back(static_cast<int32_t>(query.Integer(1)));
        };
        const auto near_miss = [&](const Query& query) { AddNearMiss(query); };
        const auto different = [&](const Query& query) { AddDifferent(query); };
        const auto name = [&](const Query& query) { comms_[query.Unsigned(0)] = query.Text(1); };
        // An export folder of an older version has no such column.
        std::string ignored;
        RunReportQuery(input_, "comm_names", &ignored, name);
        return RunReportQuery(input_, "waiting", error, waiting) &&
               RunReportQuery(input_, "absent", error, absent) &&
               RunReportQuery(input_, "different", error, different) &&
               RunReportQuery(input_, "near_misses", error, near_miss);
    }

    const std::vector<NearMiss>& near_misses() const { return near_misses_; }

    // A sentence for each collective that ranks are stuck in because they called different ones.
    std::vector<std::string> DifferentCollectives() const {
        std::vector<std::string> sentences;
        for (const auto& [instance, met] : different_) {
            std::string text;
            for (const auto& [call, ranks] : met.ranks) {
                text +=
                    fmt::format("{} {} in {}", text.empty() ? ":" : ",", RanksInWords(ranks), call);
            }
            const auto name = comms_.find(met.comm);
            sentences.push_back(
                fmt::format("members of {} met in different collectives{}",
                            name == comms_.end() ? "one communicator" : name->second, text));
        }
        return sentences;
    }

    // A row of the query "stands". `partner`: of a message whose two sides are both in their calls; -1: none.
    Report::Stand OfCall(const Query& query, int32_t* partner) const {
        *partner = -1;
        Report::Stand stand;
        stand.rank = static_cast<int32_t>(query.Integer(0));
        stand.thread = static_cast<uint32_t>(query.Unsigned(1));
        const uint64_t span = query.Unsigned(3);
        stand.name = query.Text(4);
        stand.begin_ns = query.Integer(6);
        stand.for_ns = std::max<int64_t>(0, query.Integer(17) - query.Integer(6));
        stand.source = SourceOf(query, 14, 15);
        const std::string category = query.Text(5);
        if (category == "wait") {
            AddRequests(query.Unsigned(11), &stand);
        } else if (category == "collective") {
            AddAbsent(span, &stand);
        } else {
            AddPeers(span, query, &stand, partner);
        }
        AddComm(query, &stand);
        return stand;
    }

private:
    static void Append(const std::string& text, std::string* to) {
        if (!to->empty()) *to += "; ";
        *to += text;
    }

    void AddDifferent(const Query& query) {
        Met& met = different_[query.Unsigned(0)];
        met.ranks[query.Text(1)].push_back(static_cast<int32_t>(query.Integer(2)));
        met.comm = query.Unsigned(3);
    }

    void AddNearMiss(const Query& query) {
        const uint64_t messages = query.Unsigned(6);
        std::string text = fmt::format(
            "rank {} waits for a message {}, and rank {} sent it {} with tag {}", query.Integer(0),
            WaitingText({0, false, query.IsNull(1) ? -1 : static_cast<int32_t>(query.Integer(1)),
                         static_cast<int32_t>(query.Integer(2)), query.IsNull(2), 0, 0}),
            query.Integer(3), messages == 1 ? "one" : fmt::format("{}", messages),
            query.Integer(4));
        if (query.Integer(5) == 0) {
            const auto name = comms_.find(query.Unsigned(7));
            text += name == comms_.end() ? " on another communicator" : " on " + name->second;
        }
        near_misses_.push_back(
            {static_cast<int32_t>(query.Integer(3)), text + " that nobody received"});
    }

    void AddPeers(uint64_t span, const Query& query, Report::Stand* stand, int32_t* partner) const {
        for (const Waiting& waiting : waiting_) {
            if (waiting.span != span) continue;
            Append(WaitingText(waiting), &stand->detail);
            if (waiting.peer >= 0) stand->waits_for.push_back(waiting.peer);
        }
        if (!stand->detail.empty() || query.IsNull(7)) return;
        // Matched already, or no message (MPI_Probe): what the call says.
        const bool sends = stand->name.find("end") != stand->name.npos;
        const bool any_tag = query.IsNull(8) || query.Integer(8) < 0;
        stand->detail = WaitingText({0, sends, static_cast<int32_t>(query.Integer(7)),
                                     static_cast<int32_t>(query.Integer(8)), any_tag, 0, 0});
        if (stand->name == "MPI_Probe" || stand->name == "MPI_Mprobe") {
            if (query.Integer(7) >= 0) {
                stand->waits_for.push_back(static_cast<int32_t>(query.Integer(7)));
            }
        } else {
            *partner = static_cast<int32_t>(query.Integer(7));
        }
    }

    // MPI_Wait and MPI_Waitall need all their requests. The record names the first one; of the others
    // of MPI_Waitall it is known that the rank has them.
    void AddRequests(uint64_t request, Report::Stand* stand) const {
        const bool all = stand->name == "MPI_Waitall";
        size_t count = 0;
        for (const Waiting& waiting : waiting_) {
            if (waiting.rank != stand->rank || waiting.request == 0) continue;
            if (!all && waiting.request != request) continue;
            if (++count <= kRequestsShown) Append(WaitingText(waiting), &stand->detail);
            if ((all || stand->name == "MPI_Wait") && waiting.peer >= 0) {
                stand->waits_for.push_back(waiting.peer);
            }
        }
        if (count > kRequestsShown) {
            Append(fmt::format("{} more", count - kRequestsShown), &stand->detail);
        }
    }

    void AddAbsent(uint64_t span, Report::Stand* stand) const {
        const auto absent = absent_.find(span);
        if (absent == absent_.end()) return;
        stand->waits_for = absent->second;
        stand->detail = fmt::format("not there: {}", RanksInWords(absent->second));
    }

    // The communicator, unless it is the one that goes without saying.
    void AddComm(const Query& query, Report::Stand* stand) const {
        if (query.IsNull(9)) return;
        const auto name = comms_.find(query.Unsigned(9));
        if (name == comms_.end() || name->second == "MPI_COMM_WORLD") return;
        Append(fmt::format("on {}", name->second), &stand->detail);
    }

    static constexpr size_t kRequestsShown = 2;

    struct Met {
        uint64_t comm = 0;
        std::map<std::string, std::vector<int32_t>> ranks;  // By call.
    };

    const ReportInput& input_;
    std::vector<Waiting> waiting_;
    std::vector<NearMiss> near_misses_;
    std::map<uint64_t, Met> different_;                // By instance.
    std::map<uint64_t, std::vector<int32_t>> absent_;  // By span of the collective call.
    std::map<uint64_t, std::string> comms_;
};

const Report::Failure* FailureOf(const Report& report, int32_t rank) {
    const auto found =
        std::find_if(report.failures.begin(), report.failures.end(),
                     [&](const Report::Failure& failure) { return failure.rank == rank; });
    return found == report.failures.end() ? nullptr : &*found;
}

}  // namespace

bool MakeStands(const ReportInput& input, Report* report, std::string* error) {
    if (!input.was_cut) return true;
    StandMaker maker(input);
    if (!maker.Read(error)) return false;
    std::map<std::pair<int32_t, uint32_t>, int32_t> partners;  // By rank and thread.
    const auto in_call = [&](const Query& query) {
        if (query.Integer(16) != 0) return;
        int32_t partner = -1;
        report->stands.push_back(maker.OfCall(query, &partner));
        if (partner >= 0)
            partners[{report->stands.back().rank, report->stands.back().thread}] = partner;
    };
    const auto in_none = [&](const Query& query) {
        Report::Stand stand;
        stand.rank = static_cast<int32_t>(query.Integer(0));
        stand.thread = static_cast<uint32_t>(query.Unsigned(1));
        stand.begin_ns = query.Integer(3);
        const auto failure = FailureOf(*report, stand.rank);
        const int64_t until_ns = failure != nullptr ? failure->end_ns : input.end_ns;
        stand.for_ns = query.IsNull(3) ? 0 : std::max<int64_t>(0, until_ns - query.Integer(3));
        if (!query.IsNull(4)) stand.detail = "since " + query.Text(4);
        stand.source = SourceOf(query, 5, 6);
        report->stands.push_back(stand);
    };
    if (!RunReportQuery(input, "stands", error, in_call) ||
        !RunReportQuery(input, "silent", error, in_none)) {
        return false;
    }
    for (Report::Stand& stand : report->stands) {
        if (const auto failure = FailureOf(*report, stand.rank)) stand.failed = failure->Text();
    }
    const auto comes_later = [&](const Report::Stand& stand) {
        return report->failures.empty() || stand.rank != report->failures.front().rank;
    };
    std::stable_sort(report->stands.begin(), report->stands.end(),
                     [&](const Report::Stand& a, const Report::Stand& b) {
                         return std::tuple(comes_later(a), a.rank, a.thread) <
                                std::tuple(comes_later(b), b.rank, b.thread);
                     });
    const GoneRanks gone = FindGone(*report, input.rank_signal);
    // Two that are in the middle of a message wait for each other as long as both are there.
    for (Report::Stand& stand : report->stands) {
        const auto partner = partners.find({stand.rank, stand.thread});
        if (partner != partners.end() && gone.count(partner->second) != 0 &&
            gone.count(stand.rank) == 0)
            stand.waits_for.push_back(partner->second);
    }
    StuckWaits stuck = FindStuckWaits(report->stands, gone);
    report->deadlocks = std::move(stuck.circles);
    report->waits_for_gone = std::move(stuck.for_gone);
    for (std::string& sentence : maker.DifferentCollectives())
        report->deadlocks.push_back(std::move(sentence));
    report->near_misses = KeepHopeless(maker.near_misses(), report->stands, gone);
    return true;
}

}  // namespace comshu::read
