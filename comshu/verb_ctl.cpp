#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "comshu/schema/core_generated.h"
#include "error.h"
#include "live_order.h"
#include "reading.h"
#include "verbs.h"

namespace comshu {
namespace {

constexpr auto kAnswerPatience = std::chrono::seconds(20);

struct CtlOptions {
    std::string folder;
    std::string order;
};

struct Target {
    const read::Process* process;
    std::unique_ptr<LiveOrder> live;
};

std::string NameOf(const read::Process& process) {
    std::string name = "process " + std::to_string(process.pid) + " on " + process.host;
    return process.rank == read::kNoRank ? name
                                         : "rank " + std::to_string(process.rank) + ", " + name;
}

// Processes that record on this host now.
std::vector<Target> FindTargets(const read::Capture& capture) {
    std::vector<Target> targets;
    for (const auto& process : capture.processes()) {
        if (process->live == nullptr || process->state != read::ProcessState::kRunning) continue;
        auto live = std::make_unique<LiveOrder>(process->live_path);
        if (live->is_open()) targets.push_back({process.get(), std::move(live)});
    }
    return targets;
}

const char* StateText(uint32_t pauses) {
    const auto bit = [](schema::PauseReason reason) { return 1u << static_cast<uint32_t>(reason); };
    if ((pauses & bit(schema::PauseReason::max_size)) != 0) return "full";
    return pauses != 0 ? "paused" : "recording";
}

void PrintStatus(const std::vector<Target>& targets) {
    std::printf("%6s %8s %-10s %14s %12s  %s\n", "RANK", "PID", "STATE", "RECORDED", "LOST",
                "HOST");
    for (const Target& target : targets) {
        const read::Process& process = *target.process;
        uint64_t recorded = 0;
        uint64_t lost = process.live->unslotted_lost();
        for (const auto& [number, thread] : process.threads) {
            recorded += thread.recorded;
            lost += thread.lost;
        }
        const std::string rank = process.rank == read::kNoRank ? "-" : std::to_string(process.rank);
        std::printf("%6s %8u %-10s %14llu %12llu  %s\n", rank.c_str(), process.pid,
                    StateText(target.live->pauses()), static_cast<unsigned long long>(recorded),
                    static_cast<unsigned long long>(lost), process.host.c_str());
    }
}

int GiveOrder(const std::vector<Target>& targets, core::LiveOrder order) {
    for (const Target& target : targets) target.live->Give(order);
    const auto until = std::chrono::steady_clock::now() + kAnswerPatience;
    int silent = 0;
    for (const Target& target : targets) {
        if (target.live->Wait(until)) continue;
        ++silent;
        std::fprintf(stderr, "comshu ctl: %s does not answer\n", NameOf(*target.process).c_str());
    }
    return silent == 0 ? 0 : kExitFailed;
}

int Control(const CtlOptions& options) {
    const std::unique_ptr<read::Capture> capture = OpenCapture({options.folder});
    const std::vector<Target> targets = FindTargets(*capture);
    if (targets.empty()) {
        throw CommandError("no program that records in " + options.folder +
                           " runs on this host; run comshu ctl where it runs");
    }
    if (options.order == "status") {
        PrintStatus(targets);
        return 0;
    }
    return GiveOrder(targets, options.order == "stop"    ? core::LiveOrder::kStop
                              : options.order == "start" ? core::LiveOrder::kStart
                                                         : core::LiveOrder::kFlush);
}

}  // namespace

VerbAction DeclareCtl(CLI::App& verb) {
    auto options = std::make_shared<CtlOptions>();
    verb.add_option("DIR", options->folder, "folder of the capture")->required();
    verb.add_option("ORDER", options->order, "what to do: stop, start, flush or status")
        ->required()
        ->check(CLI::IsMember({"stop", "start", "flush", "status"}));
    return [options](const std::vector<std::string>&) { return Control(*options); };
}

}  // namespace comshu
