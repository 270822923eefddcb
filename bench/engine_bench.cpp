// What recording costs, as multiples of the clock's own cost in the same run.
//
//   comshu_engine_bench [--json FILE] [--dir FOLDER] [--quick] [--spans MILLIONS]
//
// Method: each case is a process of its own (this program again), since whether and how it records
// is settled by its first record. A burst is a number of records that fits a quarter of the ring,
// timed as a whole; between bursts everything is written (not timed). Warm is the cheapest of many
// bursts, cold the first one. Back to back is one run, from the first record until all are in the
// stream. Recorded and lost are read from the stream; a figure counts only with lost = 0.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "comshu/core/frame.h"
#include "comshu/core/record.h"
#include "comshu/rec/engine.h"
#include "comshu/rec/thread_state.h"

using namespace comshu;

namespace {

struct Figure {
    double warm_ns = 0;  // Or of the whole run.
    double median_ns = 0;
    double cold_ns = 0;
    uint64_t issued = 0;
};

struct Limits {
    uint64_t burst = 2000;
    uint64_t bursts = 3000;
    uint64_t spans = 30'000'000;
};

double NowNs() {
    return static_cast<double>(core::ReadClockNs(CLOCK_MONOTONIC));
}

Figure Bursts(const Limits& limits, const std::function<void(uint64_t)>& burst,
              const std::function<void()>& between) {
    Figure figure;
    std::vector<double> ns;
    for (uint64_t i = 0; i < limits.bursts; ++i) {
        const double start = NowNs();
        burst(limits.burst);
        ns.push_back((NowNs() - start) / static_cast<double>(limits.burst));
        between();
    }
    figure.cold_ns = ns.front();
    std::sort(ns.begin(), ns.end());
    figure.warm_ns = ns.front();
    figure.median_ns = ns[ns.size() / 2];
    figure.issued = limits.burst * limits.bursts;
    return figure;
}

__attribute__((noinline)) void ReadCounters(uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; ++i) sum += core::ReadCounter();
    asm volatile("" : : "r"(sum));
}

__attribute__((noinline)) void RecordInstants(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        rec::Instant(schema::Counter(schema::EventHead(), i & 7, 0.5));
    }
}

// One call as the MPI layer records it: 48 bytes of arguments.
inline void RecordSpan(uint64_t i) {
    auto* call = rec::Open<schema::MpiPointToPoint>(__builtin_frame_address(0));
    if (call != nullptr) {
        call->mutate_caller(0x401234);
        call->mutate_comm(0x123456789abcdef);
        call->mutate_bytes(8 << (i & 7));
        call->mutate_request(i);
        call->mutate_tag(static_cast<int32_t>(i & 3));
        call->mutate_peer(static_cast<int32_t>(i & 1));
        call->mutate_world_peer(static_cast<int32_t>(i & 1));
        call->mutate_function(schema::MpiFunction::MPI_Isend);
        rec::Begin(call);
    }
    asm volatile("" : : : "memory");  // The call itself.
    if (call != nullptr) {
        rec::Stop(call);
        rec::End(call);
    }
}

__attribute__((noinline)) void RecordSpans(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) RecordSpan(i);
}

Figure BackToBack(const Limits& limits) {
    RecordSpans(limits.burst);
    comshu_engine_flush();
    const double start = NowNs();
    RecordSpans(limits.spans);
    const double recorded = NowNs();
    comshu_engine_flush();
    const double ns = NowNs() - start;
    Figure figure;
    figure.warm_ns = ns / static_cast<double>(limits.spans);
    figure.median_ns = (recorded - start) / static_cast<double>(limits.spans);
    figure.issued = limits.burst + limits.spans;
    return figure;
}

struct Case {
    const char* name;
    const char* what;
    double clocks;  // Clock reads in it; the target is a multiple of them.
    double factor;  // 0: no target.
    bool records;
    bool bound;
    std::function<Figure(const Limits&)> run;
};

std::vector<Case> Cases() {
    const auto nothing = [] {};
    const auto flush = [] { comshu_engine_flush(); };
    const auto instants = [=](const Limits& l) { return Bursts(l, RecordInstants, flush); };
    const auto spans = [=](const Limits& l) { return Bursts(l, RecordSpans, flush); };
    return {
        {"rdtsc", "the clock alone", 1, 0, false, false,
         [=](const Limits& l) { return Bursts(l, ReadCounters, nothing); }},
        {"off", "a span, recording off (ns)", 0, 1.5, false, false,
         [=](const Limits& l) { return Bursts(l, RecordSpans, nothing); }},
        {"instant", "an instant, 16 bytes of arguments", 1, 1.25, true, false, instants},
        {"instant bound", "the same, bound to one core", 1, 1.25, true, true, instants},
        {"span", "a span, 48 bytes of arguments", 2, 1.25, true, false, spans},
        {"span bound", "the same, bound to one core", 2, 1.25, true, true, spans},
        {"back to back", "spans without a pause, until all are written", 2, 2.5, true, false,
         BackToBack},
        {"back to back bound", "the same, bound to one core", 2, 2.5, true, true, BackToBack},
    };
}

void BindToOneCore() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

// The stream's own account of the process; false: it has none.
bool ReadEnd(const std::string& folder, schema::ProcessEnd* end, uint64_t* bytes) {
    bool found = false;
    *bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/run")) {
        *bytes += entry.file_size();
        std::ifstream in(entry.path(), std::ios::binary);
        core::FrameHeader header;
        while (in.read(reinterpret_cast<char*>(&header), sizeof header) &&
               core::IsValidHeader(header)) {
            if (header.thread != core::kDefinitionsThread) {
                in.seekg(static_cast<std::streamoff>(core::PaddedBytes(header.payload_bytes)),
                         std::ios::cur);
                continue;
            }
            std::vector<std::byte> payload(core::PaddedBytes(header.payload_bytes));
            in.read(reinterpret_cast<char*>(payload.data()),
                    static_cast<std::streamsize>(payload.size()));
            for (size_t at = 0; core::IsWholeRecord(&payload[at], header.payload_bytes - at);) {
                const core::RecordPrefix prefix = core::ReadPrefix(&payload[at]);
                if (prefix.type == schema::RecordTraits<schema::ProcessEnd>::kType) {
                    std::memcpy(static_cast<void*>(end), &payload[at + sizeof prefix], sizeof *end);
                    found = true;
                }
                at += prefix.bytes;
                if (at == header.payload_bytes) break;
            }
        }
    }
    return found;
}

struct Result {
    Case measured;
    Figure figure;
    uint64_t recorded = 0;
    uint64_t lost = 0;
    double bytes = 0;  // Per record.
    bool valid = false;
};

// Runs a case in a process of its own.
Result Run(const Case& measured, const std::string& under, const Limits& limits) {
    Result result{.measured = measured, .figure = {}};
    const std::string folder = under + "/bench";
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return result;
    char burst[32], bursts[32], spans[32], pipe_end[32];
    std::snprintf(burst, sizeof burst, "%lu", limits.burst);
    std::snprintf(bursts, sizeof bursts, "%lu", limits.bursts);
    std::snprintf(spans, sizeof spans, "%lu", limits.spans);
    std::snprintf(pipe_end, sizeof pipe_end, "%d", pipe_ends[1]);
    const pid_t child = fork();
    if (child == 0) {
        if (measured.records)
            setenv("COMSHU_DIR", folder.c_str(), 1);
        else
            unsetenv("COMSHU_DIR");
        execl("/proc/self/exe", "comshu_engine_bench", "--case", measured.name, burst, bursts,
              spans, pipe_end, nullptr);
        std::abort();
    }
    close(pipe_ends[1]);
    result.valid = read(pipe_ends[0], &result.figure, sizeof result.figure) ==
                   static_cast<ssize_t>(sizeof result.figure);
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    result.valid = result.valid && status == 0;
    if (measured.records && result.valid) {
        schema::ProcessEnd end;
        uint64_t bytes = 0;
        result.valid = ReadEnd(folder, &end, &bytes);
        result.recorded = end.recorded();
        result.lost = end.lost();
        result.bytes = static_cast<double>(bytes) / static_cast<double>(result.figure.issued);
        result.valid = result.valid && result.recorded == result.figure.issued && end.lost() == 0;
    }
    std::filesystem::remove_all(folder);
    return result;
}

std::string Verdict(const Result& result, double clock_ns, bool judge) {
    if (!result.valid) return "not valid: something was lost";
    if (result.measured.factor == 0) return "";
    const double limit = result.measured.clocks == 0
                             ? result.measured.factor
                             : result.measured.factor * result.measured.clocks * clock_ns;
    char text[64];
    std::snprintf(text, sizeof text, "<= %.1f: %s", limit,
                  !judge                           ? "not judged (one CPU)"
                  : result.figure.warm_ns <= limit ? "met"
                                                   : "missed");
    return text;
}

void PrintJson(const std::string& path, const std::vector<Result>& results, double clock_ns) {
    std::ofstream out(path);
    out << "{\"rdtsc_ns\": " << clock_ns << ", \"cases\": [";
    for (size_t i = 0; i < results.size(); ++i) {
        const Result& r = results[i];
        out << (i == 0 ? "\n" : ",\n") << "  {\"name\": \"" << r.measured.name
            << "\", \"ns\": " << r.figure.warm_ns << ", \"median_ns\": " << r.figure.median_ns
            << ", \"cold_ns\": " << r.figure.cold_ns << ", \"issued\": " << r.figure.issued
            << ", \"recorded\": " << r.recorded << ", \"lost\": " << r.lost
            << ", \"bytes_per_record\": " << r.bytes
            << ", \"valid\": " << (r.valid ? "true" : "false") << "}";
    }
    out << "\n]}\n";
}

// The same events through LTTng-UST, where that was there to build with.
void RunPeer(double clock_ns, const Limits& limits) {
    const std::filesystem::path peer =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "engine_bench_lttng";
    if (!std::filesystem::exists(peer)) {
        std::printf("lttng-ust: not there when this was built (liblttng-ust-dev, lttng-tools)\n");
        return;
    }
    std::fflush(stdout);
    const std::string command = peer.string() + " " + std::to_string(clock_ns) + " " +
                                std::to_string(limits.burst) + " " +
                                std::to_string(limits.bursts / 10);
    if (std::system(command.c_str()) != 0) std::printf("lttng-ust: failed\n");
}

int RunCase(char** arguments) {
    const Limits limits{std::strtoul(arguments[1], nullptr, 10),
                        std::strtoul(arguments[2], nullptr, 10),
                        std::strtoul(arguments[3], nullptr, 10)};
    for (const Case& measured : Cases()) {
        if (std::strcmp(measured.name, arguments[0]) != 0) continue;
        if (measured.bound) BindToOneCore();
        const Figure figure = measured.run(limits);
        const int out = std::atoi(arguments[4]);
        return write(out, &figure, sizeof figure) == static_cast<ssize_t>(sizeof figure) ? 0 : 1;
    }
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 7 && std::strcmp(arguments[1], "--case") == 0) return RunCase(arguments + 2);
    Limits limits;
    std::string json;
    std::string only;
    std::string under = std::filesystem::temp_directory_path();
    for (int i = 1; i < count; ++i) {
        const std::string option = arguments[i];
        if (option == "--quick") {
            limits.bursts = 300;
            limits.spans = 2'000'000;
        } else if (option == "--json" && i + 1 < count) {
            json = arguments[++i];
        } else if (option == "--dir" && i + 1 < count) {
            under = arguments[++i];
        } else if (option == "--only" && i + 1 < count) {
            only = arguments[++i];
        } else if (option == "--spans" && i + 1 < count) {
            limits.spans = std::strtoul(arguments[++i], nullptr, 10) * 1'000'000;
        } else {
            std::fprintf(stderr,
                         "usage: comshu_engine_bench [--quick] [--json FILE] [--dir FOLDER]\n"
                         "                           [--spans MILLIONS] [--only CASE]\n");
            return 2;
        }
    }
    std::string folder = under + "/comshu-engine-bench-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 1;

    const bool judge = std::thread::hardware_concurrency() > 1;
    std::printf("%-20s %8s %8s %8s %7s  %10s %10s %6s %7s  %s\n", "ns per record", "warm", "median",
                "cold", "x clock", "issued", "recorded", "lost", "bytes", "target");
    std::vector<Result> results;
    double clock_ns = 0;
    for (const Case& measured : Cases()) {
        if (!only.empty() && only != measured.name && clock_ns != 0) continue;
        const Result r = Run(measured, folder, limits);
        if (clock_ns == 0) clock_ns = r.figure.warm_ns;
        std::printf("%-20s %8.2f %8.2f %8.2f %7.2f  %10lu %10lu %6lu %7.2f  %s\n", measured.name,
                    r.figure.warm_ns, r.figure.median_ns, r.figure.cold_ns,
                    r.figure.warm_ns / clock_ns, r.figure.issued, r.recorded, r.lost, r.bytes,
                    Verdict(r, clock_ns, judge).c_str());
        std::fflush(stdout);
        results.push_back(r);
    }
    if (only.empty()) RunPeer(clock_ns, limits);
    if (!json.empty()) PrintJson(json, results, clock_ns);
    std::filesystem::remove_all(folder);
    return 0;
}
