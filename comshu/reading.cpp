#include "reading.h"

#include <algorithm>
#include <cstdio>

#include "error.h"
#include "launch/capture_folder.h"
#include "launch/job.h"
#include "shell_words.h"
#include "source_writer.h"

namespace comshu {
namespace {

// More lines than this say no more.
constexpr size_t kProblemsShown = 10;

// `comshu run` was killed with its program, or before it could complete the capture.
bool IsLeft(const std::string& folder) {
    const nlohmann::json description = launch::ReadDescription(folder);
    return description.contains("job") && !description.contains("complete");
}

// Source lines are resolved when a run ends.
bool LacksSources(const read::Capture& capture) {
    return capture.IsRunning() ||
           std::any_of(capture.paths().begin(), capture.paths().end(), IsLeft);
}

}  // namespace

std::unique_ptr<read::Capture> OpenCapture(const std::vector<std::string>& folders) {
    std::string error;
    std::unique_ptr<read::Capture> capture = read::Capture::Open(folders, &error);
    if (capture == nullptr) throw CommandError(error);
    return capture;
}

std::unique_ptr<read::Database> OpenDatabase(const std::vector<std::string>& folders,
                                             read::ClockChoice clock) {
    std::string error;
    const auto open = [&] {
        std::unique_ptr<read::Database> database =
            read::Database::OpenPaths(folders, &error, clock);
        if (database == nullptr) throw CommandError(error);
        return database;
    };
    std::unique_ptr<read::Database> database = open();
    if (database->capture() == nullptr || !LacksSources(*database->capture())) return database;
    try {
        if (!WriteNewSources(*database->capture(), launch::FindJob({}).host)) return database;
    } catch (const CommandError&) {
        return database;  // The folder is another's, or full: addresses then.
    }
    return open();
}

void WarnOfProblems(const char* verb, const read::Capture& capture) {
    const std::vector<read::Problem> problems = capture.problems();
    for (size_t i = 0; i < problems.size() && i < kProblemsShown; ++i)
        std::fprintf(stderr, "comshu %s: warning: %s\n", verb, problems[i].text.c_str());
    if (problems.size() > kProblemsShown) {
        std::fprintf(stderr, "comshu %s: warning: %zu more like these (table problem)\n", verb,
                     problems.size() - kProblemsShown);
    }
}

void HintAtPack(const char* verb, const read::Capture& capture) {
    const bool runs = capture.IsRunning();
    for (const std::string& folder : capture.paths()) {
        if (runs || !IsLeft(folder)) continue;
        std::fprintf(stderr,
                     "comshu %s: note: comshu run did not come to complete %s: streams are "
                     "not packed; once, where it ran: comshu pack %s\n",
                     verb, folder.c_str(), ShellWord(folder).c_str());
    }
}

}  // namespace comshu
