#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "comshu/read/number_text.h"
#include "report/parts.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

constexpr int kShellAddsToNumber = 128;

// What `comshu run` wrote of the run as a whole; null where there is none. `damage`: why it cannot be read.
nlohmann::json Description(const std::string& path, std::string* damage) {
    for (const fs::path& folder : {fs::path(path), fs::path(path).parent_path()}) {
        std::ifstream file(folder / "capture.json");
        if (!file) continue;
        nlohmann::json description = nlohmann::json::parse(file, nullptr, false);
        if (description.is_object()) return description;
        *damage = DamagedDescription((folder / "capture.json").string());
    }
    return nullptr;
}

std::string CommandText(const nlohmann::json& command) {
    if (command.is_string()) return command.get<std::string>();
    std::string text;
    if (!command.is_array()) return text;
    for (const nlohmann::json& word : command) {
        if (!word.is_string()) continue;
        const std::string value = word.get<std::string>();
        if (!text.empty()) text += ' ';
        const bool plain = !value.empty() && value.find_first_of(" \t\n'\"\\$") == value.npos;
        text += plain ? value : fmt::format("'{}'", value);
    }
    return text;
}

uint64_t BytesOfFiles(const std::string& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return fs::file_size(path, error);
    uint64_t bytes = 0;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error)) {
        const fs::path& file = it->path();
        // What was recorded: not what was written about it.
        if (file.filename() == "capture.json" || file.parent_path().filename() == "cache") continue;
        if (it->is_regular_file(error)) bytes += it->file_size(error);
    }
    return bytes;
}

template <typename Number>
Number NumberOf(const nlohmann::json& description, const char* key, Number fallback) {
    if (!description.is_object()) return fallback;
    const auto found = description.find(key);
    return found != description.end() && found->is_number() ? found->get<Number>() : fallback;
}

std::string SignalName(int signal) {
    const char* name = sigabbrev_np(signal);
    return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

// By which signal a rank ended, as its launcher tells: Open MPI's as shells do, MPICH's by the number, which
// is also that of the SIGKILL with which it ends others.
int SignalOfRank(const nlohmann::json& description) {
    const int code = NumberOf(description, "exit_code", 0);
    if (code > kShellAddsToNumber && code < kShellAddsToNumber + NSIG)
        return code - kShellAddsToNumber;
    const bool is_mpich =
        description.is_object() && description.value("mpi", nlohmann::json()) == "mpich";
    return is_mpich && code > 0 && code < NSIG && code != SIGKILL ? code : 0;
}

// How the run ended, as its launcher saw it; else as its processes say.
std::string Ending(const nlohmann::json& description, uint64_t killed, uint64_t running,
                   uint64_t exited, const Report& report) {
    const uint64_t ranks = report.facts.ranks;
    if (running > 0) return fmt::format("still running ({} of {})", running, Plural(ranks, "rank"));
    std::string text;
    if (!report.failures.empty() && ranks > 1) {
        const Report::Failure& first = report.failures.front();
        text = fmt::format("rank {} failed first: {}", first.rank, first.Text());
    } else if (NumberOf(description, "finished", 0.0) > 0) {
        const int signal = NumberOf(description, "signal", 0);
        if (signal != 0)
            text = fmt::format("killed by {}", SignalName(signal));
        else if (description.contains("exit_code"))
            text = fmt::format("exit code {}", NumberOf(description, "exit_code", 0));
    }
    if (killed > 0)
        text += fmt::format("{}{} killed", text.empty() ? "" : ", ", Plural(killed, "rank"));
    if (exited > 0) {
        text += fmt::format("{}{} ended without MPI_Finalize", text.empty() ? "" : ", ",
                            Plural(exited, "rank"));
    }
    return text.empty() ? "finished" : text;
}

// A flight recorder, by what comshu run was told.
bool KeepsNewest(const nlohmann::json& description) {
    if (!description.is_object() || !description.contains("environment")) return false;
    const nlohmann::json& environment = description["environment"];
    return environment.is_object() && (environment.contains("COMSHU_WINDOW") ||
                                       environment.value("COMSHU_ON_FULL", "") == "newest");
}

}  // namespace

std::string Report::Failure::Text() const {
    return signal != 0 ? SignalName(signal) : fmt::format("exit code {}", exit_code);
}

namespace {

// Of a capture: an export has its times as they were exported.
bool MakeClocks(const ReportInput& input, Report::Clocks* clocks, std::string* error) {
    const Capture* capture = input.database->capture();
    if (capture == nullptr || capture->clocks().size() < 2) return true;
    const auto found = [&](const Query& query) {
        clocks->clocks = query.Unsigned(0);
        clocks->measured = query.Unsigned(1);
        clocks->bound_ns = query.Real(3);
        clocks->choice = query.Text(4);
    };
    const auto order = [&](const Query& query) {
        clocks->messages_before = query.Unsigned(0);
        clocks->messages = query.Unsigned(1);
        clocks->collectives_before = query.Unsigned(2);
        clocks->collectives = query.Unsigned(3);
    };
    return RunReportQuery(input, "clocks", error, found) &&
           RunReportQuery(input, "clock_order", error, order);
}

}  // namespace

bool MakeFacts(ReportInput* input, Report* report, std::string* error) {
    Report::Facts& facts = report->facts;
    facts.paths = input->paths;
    std::string damage;
    const nlohmann::json description =
        input->paths.empty() ? nlohmann::json() : Description(input->paths.front(), &damage);
    // A capture tells of it itself.
    if (!damage.empty() && input->database->capture() == nullptr)
        report->warnings.push_back({"damage", damage});
    for (const std::string& path : input->paths) facts.bytes += BytesOfFiles(path);
    const auto run = [&](const Query& query) {
        facts.ranks = query.Unsigned(0);
        facts.threads = query.Unsigned(1);
        facts.calls = query.Unsigned(2);
        facts.recorded = query.Unsigned(3);
        facts.lost = query.Unsigned(4);
        facts.start_realtime_ns = query.Integer(5);
        input->end_ns = query.Integer(6);
        const uint64_t killed = query.Unsigned(7);
        const uint64_t running = query.Unsigned(8);
        const uint64_t exited = query.Unsigned(9);
        facts.command = query.Text(10);
        facts.cut_ranks = query.Unsigned(14);
        if (facts.cut_ranks > 0) {
            facts.first_cut = static_cast<int32_t>(query.Integer(15));
            facts.cut_ns = query.Integer(16);
        }
        facts.unfinished = killed + running + exited + facts.cut_ranks;
        facts.regions = query.Unsigned(13);
        input->was_cut = killed + running + query.Unsigned(11) > 0;
        facts.spans = query.Unsigned(12);
        facts.mpi_spans = query.Unsigned(18);
        facts.ending = Ending(description, killed, running, exited, *report);
        const double finished = NumberOf(description, "finished", 0.0);
        if (killed > 0 && running == 0 && finished > 0) {
            const auto end = static_cast<int64_t>(finished * 1e9) - facts.start_realtime_ns;
            input->end_ns = std::max(input->end_ns, end);
        }
        const Capture* capture = input->database->capture();
        facts.is_damaged = facts.cut_ranks > 0 || query.Unsigned(17) > 0;
        if (capture != nullptr) {
            facts.is_damaged |= capture->unreadable_streams() > 0;
            for (const auto& process : capture->processes())
                facts.is_damaged |= capture->HasGap(*process);
        }
        if (running > 0 && capture != nullptr) {
            // Until now, though none of its threads may stand in a call.
            for (const auto& process : capture->processes())
                input->end_ns = std::max(input->end_ns, capture->LastNs(*process));
        }
        facts.duration_ns = input->end_ns;
    };
    input->rank_signal = SignalOfRank(description);
    // An export folder of an older version does not tell.
    std::string ignored;
    RunReportQuery(*input, "failures", &ignored, [&](const Query& query) {
        report->failures.push_back({static_cast<int32_t>(query.Integer(0)),
                                    static_cast<int>(query.Integer(1)),
                                    static_cast<int>(query.Integer(2)), query.Integer(3)});
    });
    if (!RunReportQuery(*input, "run", error, run)) return false;
    // Nor does an export of single tables.
    RunReportQuery(*input, "world_ranks", &ignored, [&](const Query& query) {
        facts.ranks_elsewhere = query.Unsigned(0) - query.Unsigned(1);
    });
    RunReportQuery(*input, "lone_ranks", &ignored,
                   [&](const Query& query) { facts.launcher = query.Text(0); });
    facts.keeps_newest = KeepsNewest(description);
    if (description.is_object() && description.contains("command")) {
        const std::string command = CommandText(description["command"]);
        if (!command.empty()) facts.command = command;
    }
    return MakeClocks(*input, &facts.clocks, error) &&
           RunReportQuery(*input, "hosts", error,
                          [&](const Query& query) { facts.hosts.push_back(query.Text(0)); }) &&
           RunReportQuery(*input, "library", error, [&](const Query& query) {
               const std::string text = query.Text(0);
               if (!facts.library.empty()) facts.library += "; ";
               facts.library += text.substr(0, text.find_first_of(",\n"));
           });
}

}  // namespace comshu::read
