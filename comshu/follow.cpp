#include "follow.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "comshu/read/number_text.h"
#include "comshu/read/report.h"
#include "error.h"
#include "launch/capture_folder.h"
#include "reading.h"
#include "terminal.h"

namespace comshu {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

constexpr double kPausePerWork = 4;
// Whether the run has ended is seen sooner than the next look is due.
constexpr Seconds kGlance(0.25);
// A run whose processes have all ended, and which nobody has declared complete, is followed for so long:
// its launcher may be at work on it.
constexpr auto kPatience = std::chrono::seconds(30);
constexpr const char* kClear = "\033[H\033[2J";

bool IsComplete(const std::vector<std::string>& folders) {
    return std::all_of(folders.begin(), folders.end(), [](const std::string& folder) {
        const nlohmann::json description = launch::ReadDescription(folder);
        return description.is_object() && description.contains("complete");
    });
}

// Of other hosts nobody here knows whether they run.
bool MayRun(const read::Capture& capture) {
    const std::string here = launch::FindJob({}).host;
    return capture.IsRunning() ||
           std::any_of(
               capture.processes().begin(), capture.processes().end(), [&](const auto& process) {
                   return process->state == read::ProcessState::kKilled && process->host != here;
               });
}

std::string Line(const read::Report& report) {
    const read::Report::Facts& facts = report.facts;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds,
                  "%.1f s: ", static_cast<double>(facts.duration_ns) / 1e9);
    return seconds + read::Plural(facts.ranks, "rank") + ", " +
           read::SpansText(facts.calls, facts.regions) + ", " + read::BytesText(facts.bytes) +
           ", " + read::LostText(facts.lost) + "\n";
}

// Shows what there is to be read by now.
void Look(const std::vector<std::string>& folders, bool on_terminal, bool* may_run) {
    std::string error;
    std::unique_ptr<read::Database> database = read::Database::OpenPaths(folders, &error);
    if (database == nullptr || database->capture() == nullptr) return;
    *may_run = MayRun(*database->capture());
    read::Report report;
    if (!read::MakeReport(database.get(), folders, &report, &error)) return;
    const std::string text = on_terminal
                                 ? kClear + read::ReportText(report, read::ReportStyle::Of(stdout))
                                 : Line(report);
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        throw CommandError("the report cannot be written");
}

}  // namespace

void Follow(const std::vector<std::string>& folders, double every_seconds) {
    for (const std::string& folder : folders) {
        std::error_code error;
        if (!std::filesystem::exists(folder, error))
            throw CommandError(folder + " is not there; start the run first");
    }
    const bool on_terminal = Terminal::Of(stdout).is_terminal;
    auto last_life = Clock::now();
    bool may_run = true;
    // The pause after a look that saw it run may be longer than the patience.
    while (!IsComplete(folders) && (may_run || Clock::now() - last_life < kPatience)) {
        const auto begin = Clock::now();
        may_run = false;
        Look(folders, on_terminal, &may_run);
        const auto end = Clock::now();
        if (may_run) last_life = end;
        const Seconds took = end - begin;
        const Seconds pause(std::max(every_seconds, kPausePerWork * took.count()));
        while (Clock::now() - end < pause && !IsComplete(folders)) {
            std::this_thread::sleep_for(std::min<Seconds>(pause, kGlance));
        }
    }
    if (on_terminal) std::fputs(kClear, stdout);
}

}  // namespace comshu
