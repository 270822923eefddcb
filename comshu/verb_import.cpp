#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "comshu/core/terminal.h"
#include "comshu/format/import.h"
#include "comshu/core/count_text.h"
#include "error.h"
#include "verbs.h"

namespace comshu {
namespace {

constexpr size_t kProblemsShown = 10;
constexpr int kShellAddsToSignal = 128;

volatile std::sig_atomic_t interrupted = 0;  // By which signal.

void Interrupt(int signal) {
    interrupted = signal;
}

void PrintProblems(const format::ImportedFile& file) {
    for (size_t i = 0; i < file.problems.size() && i < kProblemsShown; ++i) {
        std::fprintf(stderr, "%s: %s\n", format::ProblemPlace(file.path, file.problems[i]).c_str(),
                     file.problems[i].text.c_str());
    }
    if (file.problem_count > kProblemsShown) {
        std::fprintf(stderr, "%s: %llu more like these\n", file.path.c_str(),
                     static_cast<unsigned long long>(file.problem_count - kProblemsShown));
    }
}

void PrintFile(const format::ImportedFile& file) {
    PrintProblems(file);
    std::printf("%s: %s, %s", file.path.c_str(), file.format.c_str(),
                core::Plural(file.records, "record").c_str());
    if (file.unknown > 0)
        std::printf(", %s of unknown kind", core::CountText(file.unknown).c_str());
    if (file.illegal > 0) {
        // An archive has no lines.
        std::printf(", %s left out",
                    core::Plural(file.illegal, file.lines > 0 ? "line" : "event").c_str());
    }
    std::printf("\n");
    for (const std::string& remark : file.remarks) std::printf("  %s\n", remark.c_str());
}

int RunImport(const std::vector<std::string>& files, const std::string& folder) {
    format::ImportOptions wanted;
    const bool shows_progress = core::IsTerminal(STDERR_FILENO);
    int shown = -1;
    wanted.progress = [&](double part) {
        const int percent = static_cast<int>(part * 100);
        if (!shows_progress || percent == shown) return;
        shown = percent;
        std::fprintf(stderr, "\r%3d %%", percent);
    };
    wanted.stopped = [] { return interrupted != 0; };
    format::ImportResult result;
    std::string error;
    const bool done = format::Import(files, folder, wanted, &result, &error);
    if (shown >= 0) std::fprintf(stderr, "\r     \r");
    if (interrupted != 0 && !done) {
        std::fprintf(stderr, "comshu import: stopped; nothing was written\n");
        return kShellAddsToSignal + interrupted;
    }
    if (!done) {
        for (const format::ImportedFile& file : result.files) PrintProblems(file);
        throw CommandError(error);
    }
    for (const format::ImportedFile& file : result.files) PrintFile(file);
    std::printf("%s: %s\n", folder.c_str(), core::Plural(result.ranks, "rank").c_str());
    return 0;
}

}  // namespace

VerbAction DeclareImport(CLI::App& verb) {
    struct Options {
        std::vector<std::string> files;
        std::string folder;
    };
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->files,
                    "trace files; their format is found from their content. Several files are "
                    "parts of one trace")
        ->required();
    verb.add_option("-o,--output", options->folder, "the folder of the capture to make")
        ->required();
    return [options](const std::vector<std::string>&) {
        std::signal(SIGXFSZ, SIG_IGN);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            // Whoever started it with nohup wants it to go on.
            if (std::signal(signal, Interrupt) == SIG_IGN && signal == SIGHUP)
                std::signal(signal, SIG_IGN);
        }
        return RunImport(options->files, options->folder);
    };
}

}  // namespace comshu
