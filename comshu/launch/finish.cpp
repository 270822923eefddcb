#include "launch/finish.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>

#include "launch/capture_folder.h"
#include "shell_words.h"
#ifdef COMSHU_HAVE_READ
#include "comshu/read/capture.h"
#include "launch/capture_end.h"
#include "source_writer.h"
#if __has_include("comshu/read/pack.h")
#include "comshu/read/pack.h"
#define COMSHU_HAVE_PACK
#endif
#endif

namespace comshu::launch {
namespace fs = std::filesystem;
namespace {

double Now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool HasStreams(const fs::path& pass) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(pass, error)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".cst") && !name.ends_with(".sources.cst")) return true;
    }
    return false;
}

void Say(const std::string& text) {
    std::fprintf(stderr, "comshu run: %s\n", text.c_str());
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
    if (!capture) throw std::runtime_error(error);
    return capture;
}

void ReadAndPack(const std::string& folder, const std::string& pass_folder, const Job& job) {
    std::unique_ptr<read::Capture> capture = Open(folder);
    for (const std::string& failure : BringRingsHome(*capture)) Say(failure);
    WriteSources(*capture, pass_folder, job.host);
#ifdef COMSHU_HAVE_PACK
    read::PackResult packed;
    std::string error;
    if (!read::PackCapture({folder}, &packed, &error)) Say(ShortPath(folder) + ": " + error);
    for (const std::string& left : packed.left) Say("not packed: " + left);
    capture = Open(folder);
#endif
    for (const std::string& note : CaptureNotes(*capture)) Say("note: " + note);
    CaptureCounts counts = CountCapture(*capture, pass_folder);
    std::string who = counts.ranks > 0 ? std::to_string(counts.ranks) + " ranks"
                                       : std::to_string(counts.processes) + " processes";
    if (counts.ranks == 1) who = "1 rank";
    Say(ShortPath(folder) + ": " + who + ", " + WithCommas(counts.calls) + " calls, " +
        ByteText(counts.bytes) + ", " +
        (counts.lost == 0 ? "nothing" : WithCommas(counts.lost) + " calls") +
        " lost; next: comshu read " + ShortPath(folder));
}
#else
void ReadAndPack(const std::string& folder, const std::string&, const Job&) {
    Say(ShortPath(folder) + " is written (this comshu was built without what reads it)");
}
#endif

}  // namespace

void FinishCapture(const std::string& folder, const std::string& pass, const Job& job,
                   const ChildEnd& end) {
    try {
        UpdateDescription(
            folder, {{"finished", Now()}, {"exit_code", end.exit_code}, {"signal", end.signal}});
        fs::path pass_folder = fs::path(folder) / pass;
        if (!HasStreams(pass_folder)) {
            Say("nothing was recorded in " + ShortPath(folder) +
                ": no traced call was made, or the objects did not reach the program "
                "(docs/run.md says when)");
            return;
        }
        ReadAndPack(folder, pass_folder.string(), job);
    } catch (const std::exception& error) {
        Say("the capture in " + ShortPath(folder) + " is not finished: " + error.what() +
            "; try: comshu pack " + ShortPath(folder));
    }
}

}  // namespace comshu::launch
