#include "failures.h"

#include <csignal>
#include <fstream>
#include <limits>

namespace comshu::read {
namespace {

struct Failure {
    uint32_t pid = 0;
    int signal = 0;
    int exit_code = 0;
    int64_t ns = 0;  // From the start of the run.
};

constexpr int kShellAddsToSignal = 128;

// The last image that had begun by then.
Process* ImageAt(const std::vector<Process*>& of_host, const Failure& failure) {
    Process* found = nullptr;
    for (Process* process : of_host) {
        if (process->pid != failure.pid || process->scale.ToNs(process->begin) > failure.ns)
            continue;
        if (found == nullptr || process->begin > found->begin) found = process;
    }
    return found;
}

Process* OnlyChild(const std::vector<Process*>& of_host, const Failure& failure) {
    Process* found = nullptr;
    for (Process* process : of_host) {
        if (process->parent_pid != failure.pid) continue;
        if (found != nullptr && found->pid != process->pid) return nullptr;
        if (found == nullptr || process->begin > found->begin) found = process;
    }
    return found;
}

}  // namespace

void ReadFailures(const std::string& path, int64_t start_realtime_ns,
                  const std::vector<std::unique_ptr<Process>>& processes) {
    const std::string beside = path.substr(0, path.size() - kFailuresSuffix.size()) + ".";
    std::vector<Process*> of_host;
    for (const auto& process : processes) {
        if (process->path.starts_with(beside)) of_host.push_back(process.get());
    }
    std::ifstream file(path);
    for (Failure failure;
         file >> failure.pid >> failure.signal >> failure.exit_code >> failure.ns;) {
        failure.ns -= start_realtime_ns;
        Process* process = ImageAt(of_host, failure);
        if (process == nullptr) {
            process = OnlyChild(of_host, failure);
            if (failure.exit_code > kShellAddsToSignal &&
                failure.exit_code <= kShellAddsToSignal + SIGRTMAX) {
                failure.signal = failure.exit_code - kShellAddsToSignal;
            }
        }
        if (process == nullptr) continue;
        process->failed_ns = failure.ns;
        process->signal = failure.signal;
        if (failure.signal != 0)
            process->exit_code = std::numeric_limits<int32_t>::min();
        else if (process->exit_code == std::numeric_limits<int32_t>::min())
            process->exit_code = failure.exit_code;
    }
}

}  // namespace comshu::read
