// The events of the engine benchmark through LTTng-UST, in its default set-up. Run by
// comshu_engine_bench, whose table it continues: engine_bench_lttng CLOCK_NS BURST BURSTS
//
// A program of its own: the library starts threads in every process that links it. Recorded are the
// events issued less those that the session reports as discarded.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "engine_bench_lttng_tp.h"

namespace {

constexpr useconds_t kPauseUs = 2000;

double NowNs() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) void Instants(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        lttng_ust_tracepoint(comshu_bench, instant, i & 7, 0.5);
    }
}

__attribute__((noinline)) void Calls(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        lttng_ust_tracepoint(comshu_bench, call_begin, 0x401234, 0x123456789abcdef,
                             uint64_t{8} << (i & 7), i, static_cast<int32_t>(i & 3),
                             static_cast<int32_t>(i & 1), static_cast<int32_t>(i & 1), 197);
        asm volatile("" : : : "memory");
        lttng_ust_tracepoint(comshu_bench, call_end, 197);
    }
}

// In the process that is traced: the figures go to standard output.
int Measure(const char* what, uint64_t burst, uint64_t bursts) {
    usleep(200'000);  // Until the session has switched the events on.
    std::vector<double> ns;
    for (uint64_t i = 0; i < bursts; ++i) {
        const double start = NowNs();
        if (std::strcmp(what, "instant") == 0)
            Instants(burst);
        else
            Calls(burst);
        ns.push_back((NowNs() - start) / static_cast<double>(burst));
        usleep(kPauseUs);  // The consumer empties the buffers.
    }
    const double cold = ns.front();
    std::sort(ns.begin(), ns.end());
    std::printf("%.2f %.2f %.2f\n", ns.front(), ns[ns.size() / 2], cold);
    return 0;
}

// The output of a command; empty if it failed.
std::string Output(const std::string& command) {
    std::string out;
    std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return out;
    char part[4096];
    while (const size_t got = fread(part, 1, sizeof part, pipe)) out.append(part, got);
    return pclose(pipe) == 0 ? out : "";
}

bool Command(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// A session daemon for as long as this lives, unless one runs already.
class SessionDaemon {
public:
    explicit SessionDaemon(const std::string& folder) : pid_file_(folder + "/sessiond.pid") {
        if (Command("lttng list")) {
            runs_ = true;
            return;
        }
        runs_ = Command("lttng-sessiond --background --no-kernel --pidfile " + pid_file_);
        if (std::ifstream in(pid_file_); runs_ && in) in >> pid_;
    }
    ~SessionDaemon() {
        if (pid_ > 0) kill(pid_, SIGTERM);
    }
    bool runs() const { return runs_; }

private:
    std::string pid_file_;
    pid_t pid_ = 0;
    bool runs_ = false;
};

void Case(const std::string& self, const std::string& folder, const char* what, uint64_t events,
          double clock_ns, uint64_t burst, uint64_t bursts) {
    const std::string session = "comshu-bench-" + std::to_string(getpid());
    const std::string name = std::string("lttng-ust ") + what;
    if (!Command("lttng create " + session + " --output=" + folder + "/" + what) ||
        !Command("lttng enable-event -s " + session + " -u 'comshu_bench:*'") ||
        !Command("lttng start " + session)) {
        std::printf("%-20s its session could not be started\n", name.c_str());
        return;
    }
    const std::string figures = Output(self + " --measure " + what + " " + std::to_string(burst) +
                                       " " + std::to_string(bursts));
    Command("lttng stop " + session);
    const std::string listed = Output("lttng list " + session);
    uint64_t lost = 0;
    for (size_t at = 0; (at = listed.find("iscarded events:", at)) != std::string::npos; ++at) {
        lost += std::strtoul(listed.c_str() + at + std::strlen("iscarded events:"), nullptr, 10);
    }
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/" + what)) {
        if (entry.is_regular_file() && entry.path().string().find("/index/") == std::string::npos)
            bytes += entry.file_size();
    }
    Command("lttng destroy " + session);
    double warm = 0;
    double median = 0;
    double cold = 0;
    if (std::sscanf(figures.c_str(), "%lf %lf %lf", &warm, &median, &cold) != 3) {
        std::printf("%-20s was not measured\n", name.c_str());
        return;
    }
    const uint64_t issued = events * burst * bursts;
    std::printf("%-20s %8.2f %8.2f %8.2f %7.2f  %10lu %10lu %6lu %7.2f  %s\n", name.c_str(), warm,
                median, cold, warm / clock_ns, issued, issued - lost, lost,
                static_cast<double>(bytes) / static_cast<double>(burst * bursts),
                lost == 0 ? "the other recorder" : "not valid: something was lost");
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 5 && std::strcmp(arguments[1], "--measure") == 0) {
        return Measure(arguments[2], std::strtoul(arguments[3], nullptr, 10),
                       std::strtoul(arguments[4], nullptr, 10));
    }
    if (count != 4) return 2;
    std::string folder = std::filesystem::temp_directory_path() / "comshu-lttng-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 1;
    {
        const SessionDaemon daemon(folder);
        if (!daemon.runs()) {
            std::printf("lttng-ust: its session daemon does not start (lttng-tools)\n");
        } else {
            const std::string self = std::filesystem::read_symlink("/proc/self/exe");
            const double clock_ns = std::strtod(arguments[1], nullptr);
            const uint64_t burst = std::strtoul(arguments[2], nullptr, 10);
            const uint64_t bursts = std::strtoul(arguments[3], nullptr, 10);
            Case(self, folder, "instant", 1, clock_ns, burst, bursts);
            Case(self, folder, "span", 2, clock_ns, burst, bursts);
        }
    }
    std::filesystem::remove_all(folder);
    return 0;
}
