#include "launch/capture_end.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

namespace comshu::launch {
namespace fs = std::filesystem;
namespace {

void CountSpans(const read::Capture& capture, CaptureCounts* counts) {
    std::atomic<uint64_t> calls{0};
    std::atomic<uint64_t> regions{0};
    constexpr size_t kThreads = 2;
    capture.ForEachBlock(
        {}, kThreads, [&](size_t, const read::Block& block, core::BlockDecoder& decoder) {
            if (block.definitions()) return;
            for (const auto& records : decoder.types()) {
                if (records.layout && records.layout->head == core::Head::kSpan)
                    (records.layout->layer == "user" ? regions : calls) += records.count;
            }
        });
    counts->calls = calls;
    counts->regions = regions;
}

uint64_t LostBy(const read::Process& process) {
    uint64_t lost = process.live ? process.live->unslotted_lost() : 0;
    for (const auto& [number, thread] : process.threads) lost += thread.lost;
    return process.ended ? std::max(process.lost, lost) : lost;
}

std::string StreamStem(const std::string& path) {
    return fs::path(path).replace_extension("").string();
}

}  // namespace

CaptureCounts CountCapture(const read::Capture& capture) {
    CaptureCounts counts;
    std::set<int32_t> ranks;
    std::set<fs::path> passes;
    for (const auto& process : capture.processes()) {
        if (process->rank != read::kNoRank) ranks.insert(process->rank);
        counts.lost += LostBy(*process);
        passes.insert(fs::path(process->path).parent_path());
    }
    counts.ranks = ranks.size();
    counts.processes = capture.processes().size();
    CountSpans(capture, &counts);
    std::error_code error;
    for (const fs::path& pass : passes) {
        for (const fs::directory_entry& entry : fs::directory_iterator(pass, error)) {
            // What the processes of `comshu run` share while they live goes with them.
            const fs::path kind = entry.path().extension();
            if (kind == ".members" || kind == ".alive") continue;
            uint64_t size = entry.file_size(error);
            if (!error) counts.bytes += size;
        }
    }
    return counts;
}

std::vector<std::string> CaptureNotes(const read::Capture& capture) {
    std::map<std::string, size_t> processes;  // that have said it
    std::vector<std::string> order;
    for (const auto& process : capture.processes()) {
        std::set<std::string> of_this;
        for (const read::Note& note : process->notes) of_this.insert(note.text);
        for (const std::string& text : of_this) {
            if (processes[text]++ == 0) order.push_back(text);
        }
    }
    std::vector<std::string> lines;
    for (const std::string& text : order) {
        size_t count = processes[text];
        std::string line = text;
        if (count > 1) line.append(" (").append(std::to_string(count)).append(" processes)");
        lines.push_back(line);
    }
    return lines;
}

bool IsOfHost(const read::Process& process, const std::string& host) {
    // <host>.<pid>.<n>.cst; the name of a host may hold dots.
    fs::path name = fs::path(process.path).filename();
    constexpr int kParts = 3;
    for (int i = 0; i < kParts; ++i) name.replace_extension();
    return name == host;
}

std::vector<std::string> StreamsToPack(const read::Capture& capture, const std::string& host,
                                       std::vector<std::string>* left) {
    std::vector<std::string> streams;
    for (const auto& process : capture.processes()) {
        if (process->ended || IsOfHost(*process, host)) {
            streams.push_back(process->path);
        } else {
            left->push_back(process->path + " is left as it is: its process on host " +
                            process->host + " has not ended as far as can be seen from here; if " +
                            "it is gone, run comshu pack there");
        }
    }
    return streams;
}

std::vector<std::string> BringRingsHome(const read::Capture& capture, const std::string& host) {
    std::vector<std::string> failures;
    for (const auto& process : capture.processes()) {
        fs::path home = StreamStem(process->path) + ".live";
        fs::path away = process->live_path;
        if (!IsOfHost(*process, host) || !process->live || away.empty() || away == home ||
            process->state == read::ProcessState::kRunning) {
            continue;
        }
        // Another file system: copied under a name that nobody reads, then renamed.
        fs::path part = home.string() + ".part";
        std::error_code error;
        fs::copy_file(away, part, fs::copy_options::overwrite_existing, error);
        if (!error) fs::rename(part, home, error);
        if (error) {
            // The library says "Input/output error" of a disk that is full.
            std::error_code unknown;
            if (error == std::errc::io_error &&
                fs::space(home.parent_path(), unknown).available < fs::file_size(away, unknown))
                error = std::make_error_code(std::errc::no_space_on_device);
            failures.push_back(away.string() + " cannot be moved to " + home.string() + ": " +
                               error.message());
            fs::remove(part, error);
            continue;
        }
        fs::remove(away, error);
    }
    return failures;
}

}  // namespace comshu::launch
