#include "reading.h"

#include <cstdio>

#include "error.h"

namespace comshu {
namespace {

// More lines than this say no more.
constexpr size_t kProblemsShown = 10;

}  // namespace

std::unique_ptr<read::Capture> OpenCapture(const std::vector<std::string>& folders) {
    std::string error;
    std::unique_ptr<read::Capture> capture = read::Capture::Open(folders, &error);
    if (capture == nullptr) throw CommandError(error);
    return capture;
}

std::unique_ptr<read::Database> OpenDatabase(const std::vector<std::string>& folders) {
    std::string error;
    std::unique_ptr<read::Database> database = read::Database::OpenPaths(folders, &error);
    if (database == nullptr) throw CommandError(error);
    return database;
}

void WarnOfProblems(const char* verb, const read::Capture& capture) {
    const std::vector<std::string> problems = capture.problems();
    for (size_t i = 0; i < problems.size() && i < kProblemsShown; ++i)
        std::fprintf(stderr, "comshu %s: warning: %s\n", verb, problems[i].c_str());
    if (problems.size() > kProblemsShown) {
        std::fprintf(stderr, "comshu %s: warning: %zu more like these (table problem)\n", verb,
                     problems.size() - kProblemsShown);
    }
}

}  // namespace comshu
