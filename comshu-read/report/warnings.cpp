// What a reader of the report must know before believing its numbers.
#include <algorithm>

#include <fmt/core.h>

#include "comshu/core/live_layout.h"
#include "comshu/read/number_text.h"
#include "report/parts.h"

namespace comshu::read {
namespace {

constexpr double kClockErrorNs = 10'000;

class WarningMaker {
public:
    WarningMaker(const ReportInput& input, Report* report) : input_(input), report_(report) {}

    bool Make(std::string* error) {
        return Lost(error) && Paused() && States(error) && Unmatched(error) && Partial() &&
               Failed(error) && Lines(error) && Clock(error) && Waited(error) && Notes(error) &&
               Problems(error);
    }

private:
    void Add(const char* kind, const std::string& text) {
        report_->warnings.push_back({kind, text});
    }
    bool Run(std::string_view name, std::string* error,
             const std::function<void(const Query& query)>& row) {
        return RunReportQuery(input_, name, error, row);
    }

    bool Lost(std::string* error) {
        uint64_t ranks = 0;
        std::string worst;
        const auto row = [&](const Query& query) {
            if (ranks++ > 0) return;
            worst = fmt::format("rank {} most: {}", query.Integer(0), CountText(query.Unsigned(1)));
        };
        if (!Run("lost", error, row)) return false;
        if (ranks > 0) {
            const Report::Facts& facts = report_->facts;
            if (facts.keeps_newest) {
                Add("window", fmt::format("flight recorder: {} overwritten by later ones; the "
                                          "numbers are those of what was kept",
                                          Plural(facts.lost, "record was", "records were")));
                return true;
            }
            std::string advice = "`comshu run --ring` gives them more room";
            const auto unwritten = [&](const Query& query) {
                if (query.Unsigned(0) > 0) advice = "there was no room for them, see below";
            };
            if (!Run("unwritten", error, unwritten)) return false;
            // An export folder of an older version has no such table.
            std::string ignored;
            Run("nested", &ignored, [&](const Query& query) {
                if (query.Unsigned(0) == 0) return;
                const bool all = query.Unsigned(0) >= facts.lost;
                advice = fmt::format(
                    "{} nested deeper than there was room for (a thread has it for {} at a time, "
                    "less where the disk or /dev/shm is full){}",
                    all ? "calls" : Plural(query.Unsigned(0), "call"), CountText(core::kMostNested),
                    all ? "" : "; for the rest " + advice);
            });
            Add("lost", fmt::format("{} ({}) missing on {} ({}): counts and bytes are too low; {}",
                                    Plural(facts.lost, "record"),
                                    ShareText(static_cast<double>(facts.lost),
                                              static_cast<double>(facts.lost + facts.recorded)),
                                    Plural(ranks, "rank"), worst, advice));
        }
        return true;
    }

    bool Paused() {
        // An export folder of an older version has no such table.
        std::string ignored;
        Run("paused", &ignored, [&](const Query& query) {
            if (query.Unsigned(1) == 0) return;
            Add("pause", fmt::format("recording was {} for a while on {}: {} left out, and "
                                     "that time counts as time outside calls",
                                     query.Integer(2) == 0 ? "paused" : "stopped by --max-size",
                                     Plural(query.Unsigned(0), "rank"),
                                     Plural(query.Unsigned(1), "record")));
        });
        return true;
    }

    // Else it ended by itself, and others were killed for it.
    bool FirstFailureWasKilled() const {
        return !report_->failures.empty() &&
               std::any_of(report_->ranks.begin(), report_->ranks.end(), [&](const auto& rank) {
                   return rank.rank == report_->failures.front().rank && rank.state == "killed";
               });
    }

    bool States(std::string* error) {
        return Run("states", error, [&](const Query& query) {
            const std::string state = query.Text(0);
            const char* meaning = state == "running" ? "still running: the numbers are those of now"
                                  : state == "exited" ? "ended without MPI_Finalize"
                                                      : "killed: the numbers are those up to then";
            std::string which = fmt::format("first: {}", query.Integer(2));
            if (state == "killed" && FirstFailureWasKilled()) {
                const Report::Failure& first = report_->failures.front();
                which = fmt::format("first: {}, {}", first.rank, first.Text());
            }
            Add("unfinished",
                fmt::format("{} ({}) {}", Plural(query.Unsigned(1), "rank"), which, meaning));
        });
    }

    bool Unmatched(std::string* error) {
        return Run("unmatched", error, [&](const Query& query) {
            const std::string why = query.Text(1);
            if (why == "cancelled") return;
            Add("unmatched", fmt::format("{} without a partner in messages and matrix: {} (comshu "
                                         "link DIR --list unmatched)",
                                         Plural(query.Unsigned(2), query.Text(0)), why));
        });
    }

    bool Partial() {
        // An export of single tables has no communicators.
        std::string ignored;
        Run("partial", &ignored, [&](const Query& query) {
            if (query.Unsigned(0) == 0) return;
            Add("partial",
                Plural(query.Unsigned(0), "collective has members that were not recorded",
                       "collectives have members that were not recorded"));
        });
        return true;
    }

    bool Failed(std::string* error) {
        return Run("failed", error, [&](const Query& query) {
            Add("failed",
                fmt::format(
                    "{} returned an error {}", query.Text(0),
                    query.Unsigned(1) == 1 ? "once" : CountText(query.Unsigned(1)) + " times"));
        });
    }

    bool Lines(std::string* error) {
        return Run("lines", error, [&](const Query& query) {
            if (query.Unsigned(0) == 0 || query.Unsigned(1) > 0) return;
            bool any = false;
            std::string ignored;
            Run("told_lines", &ignored, [&](const Query& told) { any = told.Unsigned(0) > 0; });
            Add("lines",
                any ? "only OpenMP's source lines are known, no call's: the program has "
                      "no debug information (-g)"
                    : "no source line is known: the program has no debug information (-g)");
        });
    }

    bool Clock(std::string* error) {
        // An export folder of an older version does not tell.
        uint64_t clocks = report_->facts.hosts.size();
        std::string ignored;
        Run("clocks", &ignored, [&](const Query& query) { clocks = query.Unsigned(0); });
        const auto backwards = [&](const Query& query) {
            if (query.Unsigned(0) == 0) return;
            Add("clock",
                fmt::format("{} arrived before being sent, by {} at most: {}",
                            Plural(query.Unsigned(0), "message"), DurationText(query.Integer(1)),
                            clocks > 1 ? "the clocks of the hosts differ by that much"
                                       : "by one clock that cannot be; were they announced in "
                                         "the wrong order?"));
        };
        const auto fit = [&](const Query& query) {
            if (query.Real(0) < kClockErrorNs) return;
            Add("clock",
                fmt::format("times may be off by {} (distance of the calibrations from the "
                            "clock fitted to them)",
                            DurationText(static_cast<int64_t>(query.Real(0)))));
        };
        return Run("backwards", error, backwards) && Run("clock", error, fit);
    }

    bool Waited(std::string* error) {
        return Run("waited", error, [&](const Query& query) {
            if (query.Integer(0) == 0) return;
            Add("tool", fmt::format("the program waited {} for the recorder, all threads together",
                                    DurationText(query.Integer(0))));
        });
    }

    bool Notes(std::string* error) {
        return Run("notes", error, [&](const Query& query) {
            const uint64_t ranks = query.Unsigned(2);
            std::string where;
            if (ranks == 1) where = fmt::format(" (rank {})", query.Integer(3));
            if (ranks > 1) where = fmt::format(" ({})", Plural(ranks, "rank"));
            Add("note", query.Text(1) + where);
        });
    }

    bool Problems(std::string* error) {
        return Run("problems", error, [&](const Query& query) { Add("damage", query.Text(0)); });
    }

    const ReportInput& input_;
    Report* report_;
};

}  // namespace

bool MakeWarnings(const ReportInput& input, Report* report, std::string* error) {
    return WarningMaker(input, report).Make(error);
}

}  // namespace comshu::read
