#include "launch/finish.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.h"
#include "launch/capture_folder.h"
#include "launch/failure_note.h"
#include "progress.h"
#include "shell_words.h"
#ifdef COMSHU_HAVE_READ
#include "comshu/read/capture.h"
#include "comshu/read/number_text.h"
#include "comshu/read/pack.h"
#include "launch/capture_end.h"
#include "source_writer.h"
#endif

namespace comshu::launch {
namespace fs = std::filesystem;
namespace {

bool HasStreams(const fs::path& pass) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(pass, error)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".cst") && !name.ends_with(".sources.cst")) return true;
    }
    return false;
}

void Say(const std::string& verb, const std::string& text) {
    std::fprintf(stderr, "comshu %s: %s\n", verb.c_str(), text.c_str());
}

std::string WhyNothing(const std::string& folder) {
    const nlohmann::json description = ReadDescription(folder);
    const auto ranks = nlohmann::json::json_pointer("/environment/COMSHU_RANKS");
    std::string why;
    if (description.contains(ranks) && description[ranks].is_string())
        why = "there is no rank of --ranks " + description[ranks].get<std::string>() + ", or ";
    const auto providers = nlohmann::json::json_pointer("/passes/0/providers");
    const auto wants = [&](const char* name) {
        return description.contains(providers) && description[providers].is_array() &&
               std::any_of(description[providers].begin(), description[providers].end(),
                           [&](const nlohmann::json& provider) { return provider == name; });
    };
    if (wants("openmp"))
        why += "the program was not built by `comshu fc`, as -p openmp needs it (docs/fc.md), or ";
    if (wants("ompt"))
        why +=
            "its OpenMP runtime has no tools interface, as GNU's, for which LD_PRELOAD=libomp.so.5 "
            "puts LLVM's, or ";
    return why +
           "no traced call was made, or the objects did not reach the program (docs/run.md says "
           "when)";
}

// The folder as short as it can be given to `comshu read` here.
std::string ShortPath(const std::string& folder) {
    std::error_code error;
    fs::path relative = fs::path(folder).lexically_relative(fs::current_path(error));
    bool inside = !error && !relative.empty() && *relative.begin() != "..";
    return ShellWord(inside ? relative.string() : folder);
}

#ifdef COMSHU_HAVE_READ
std::unique_ptr<read::Capture> Open(const std::string& folder) {
    std::string error;
    std::unique_ptr<read::Capture> capture = read::Capture::Open({folder}, &error);
    if (!capture) throw CommandError(error);
    return capture;
}

// Where nobody saw the run end: until when its processes were seen alive, which is lost with their
// .live files.
void NoteLastSeen(const std::string& folder, const read::Capture& capture) {
    if (capture.IsRunning() || ReadDescription(folder).contains("finished")) return;
    int64_t last_ns = 0;
    for (const auto& process : capture.processes()) {
        if (process->live && process->live->last_alive() != 0)
            last_ns = std::max(last_ns, capture.StoodUntilNs(*process));
    }
    constexpr double kNsPerSecond = 1e9;
    if (last_ns > 0) {
        const int64_t at_ns = capture.start_realtime_ns() + last_ns;
        UpdateDescription(folder, {{"finished", static_cast<double>(at_ns) / kNsPerSecond}});
    }
}

std::string EndLine(const std::string& folder, const CaptureCounts& counts) {
    const std::string who = counts.ranks > 0 ? read::Plural(counts.ranks, "rank")
                                             : read::Plural(counts.processes, "process");
    return ShortPath(folder) + ": " + who + ", " + read::SpansText(counts.calls, counts.regions) +
           ", " + read::BytesText(counts.bytes) + ", " + read::LostText(counts.lost) +
           "; next: comshu read " + ShortPath(folder);
}
#endif

}  // namespace

bool CompleteCapture(const std::string& verb, const std::string& folder, const std::string& host,
                     const std::function<void()>& before_line) {
#ifdef COMSHU_HAVE_READ
    std::optional<Progress> progress(std::in_place, verb, "reading " + ShortPath(folder));
    std::unique_ptr<read::Capture> capture = Open(folder);
    NoteLastSeen(folder, *capture);
    std::vector<std::string> left = BringRingsHome(*capture, host);
    progress->Say("finding source lines");
    WriteSources(*capture, host);
    std::vector<std::string> streams = StreamsToPack(*capture, host, &left);
    capture.reset();
    read::PackResult packed;
    std::string error;
    progress->Say("packing streams");
    const auto at = [&](uint64_t done, uint64_t total) { progress->At(done, total); };
    if (!streams.empty() && !read::PackCapture(streams, &packed, &error, at)) left.push_back(error);
    for (const std::string& stream : packed.left) {
        left.push_back("left as it is: " + stream);
        if (stream.ends_with("still runs"))
            left.back() += "; when it has ended, run comshu pack " + folder;
    }
    progress->Say("counting");
    capture = Open(folder);
    const size_t known = capture->problems().size();
    capture->CheckBlocks();
    const std::vector<read::Problem> problems = capture->problems();
    const CaptureCounts counts = CountCapture(*capture);
    progress.reset();
    for (const std::string& what : left) Say(verb, what);
    for (size_t i = known; i < problems.size(); ++i) Say(verb, "warning: " + problems[i].text);
    for (const std::string& note : CaptureNotes(*capture)) Say(verb, "note: " + note);
    if (before_line) before_line();
    Say(verb, EndLine(folder, counts));
    return left.empty() && problems.size() == known;
#else
    static_cast<void>(host);
    if (before_line) before_line();
    Say(verb, ShortPath(folder) + " is written; this comshu was built without what reads it");
    return true;
#endif
}

void SetCompleted(const std::string& folder) {
    UpdateDescription(folder, {{"complete", true}});
}

void FinishCapture(const std::string& folder, const std::string& pass, const Job& job,
                   const ChildEnd* end, const std::function<void()>& dismiss) {
    const char* verb = "run";
    // Whoever is killed from then on has said all there is to say.
    const auto done = [&] {
        // For who follows the run: nothing of it changes any more.
        UpdateDescription(folder, {{"complete", true}});
        if (dismiss) dismiss();
    };
    try {
        // Either of the two: null takes the other one out.
        nlohmann::json change = {
            {"finished", UnixTime()}, {"exit_code", nullptr}, {"signal", nullptr}};
        if (end != nullptr && end->signal != 0)
            change["signal"] = end->signal;
        else if (end != nullptr)
            change["exit_code"] = end->exit_code;
        UpdateDescription(folder, change);
        if (HasStreams(fs::path(folder) / pass)) {
            CompleteCapture(verb, folder, job.host, done);
        } else {
            if (dismiss) dismiss();
            RemoveFailures(folder, pass, job);
            Say(verb, "nothing was recorded in " + ShortPath(folder) + ": " + WhyNothing(folder));
        }
    } catch (const std::exception& error) {
        if (dismiss) dismiss();
        Say(verb, "the capture in " + ShortPath(folder) + " is not complete: " + error.what() +
                      "; try: comshu pack " + ShortPath(folder));
    }
}

}  // namespace comshu::launch
