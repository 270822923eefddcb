#include "process_state.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "comshu/schema/core_generated.h"

namespace comshu::read {
namespace {

std::string OneLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

constexpr int kStateField = 3;
constexpr int kStartTimeField = 22;

// Start time of /proc/PID/stat; 0: no such process, or a zombie.
uint64_t StartTime(uint32_t pid) {
    const std::string stat = OneLine("/proc/" + std::to_string(pid) + "/stat");
    // The name, field 2, may hold blanks and brackets: count from its end.
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream rest(stat.substr(name_end + 1));
    std::string field;
    for (int i = kStateField; i <= kStartTimeField; ++i) {
        if (!(rest >> field)) return 0;
        if (i == kStateField && (field == "Z" || field == "X")) return 0;
    }
    return std::strtoull(field.c_str(), nullptr, 10);
}

}  // namespace

const char* StateName(ProcessState state) {
    switch (state) {
        case ProcessState::kFinished:
            return "finished";
        case ProcessState::kExited:
            return "exited";
        case ProcessState::kKilled:
            return "killed";
        case ProcessState::kRunning:
            return "running";
        case ProcessState::kCut:
            return "cut";
    }
    return "";
}

bool RunsHere(uint32_t pid, uint64_t start_time, const std::string& boot_id) {
    static const std::string here = OneLine("/proc/sys/kernel/random/boot_id");
    if (pid == 0 || start_time == 0) return false;
    if (!boot_id.empty() && !here.empty() && boot_id != here) return false;
    return StartTime(pid) == start_time;
}

ProcessState StateOf(const Process& process) {
    // What a program that is killed leaves in the middle of a frame is whole in its .live file.
    const bool is_cut =
        process.live == nullptr && process.stream != nullptr && process.stream->tail_bytes() > 0;
    if (is_cut && !RunsHere(process.pid, process.start_time, process.boot_id))
        return ProcessState::kCut;
    if (process.ended) {
        return process.end_reason == static_cast<uint8_t>(schema::EndReason::finished)
                   ? ProcessState::kFinished
                   : ProcessState::kExited;
    }
    return RunsHere(process.pid, process.start_time, process.boot_id) ? ProcessState::kRunning
                                                                      : ProcessState::kKilled;
}

}  // namespace comshu::read
