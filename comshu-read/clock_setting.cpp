#include "clock_setting.h"

#include <algorithm>
#include <map>

namespace comshu::read {
namespace {

struct Boot {
    std::vector<Process*> members;
    TickScale host;   // To CLOCK_REALTIME of that host,
    TickScale scale;  // and of the reference.
    // Comparisons with one other boot, in order of time.
    std::vector<ClockSync> syncs;
    Boot* peer = nullptr;
    HostClock* clock = nullptr;
    bool is_set = false;
    bool is_peer = false;
};

uint64_t Middle(const ClockSync& sync) {
    return sync.sent + (sync.received - sync.sent) / 2;
}

class Setter {
public:
    Setter(const std::vector<std::unique_ptr<Process>>& processes, ClockChoice choice)
        : processes_(processes), choice_(choice) {}

    ClockSetting Run() {
        // Processes of one boot that read the same counter.
        for (const auto& process : processes_) {
            std::string key = process->boot_id + '/' + std::to_string(process->clock);
            if (process->boot_id.empty()) key = process->path;
            boots_[key].members.push_back(process.get());
        }
        for (auto& [key, boot] : boots_) Fit(&boot);
        for (auto& [key, boot] : boots_) FindSyncs(&boot);
        for (auto& [key, boot] : boots_) Set(&boot);
        for (auto& [key, boot] : boots_) Describe(boot);
        CountFromStart();
        return std::move(setting_);
    }

private:
    void Fit(Boot* boot) {
        ClockFit fit;
        for (const Process* process : boot->members) {
            if (process->stream != nullptr) {
                for (const core::Calibration& pair : process->stream->calibrations()) fit.Add(pair);
            }
            if (process->live != nullptr && process->live->calibration().ticks != 0)
                fit.Add(process->live->calibration());
        }
        const Process& first = *boot->members.front();
        if (!fit.Solve(first.ticks_per_second)) {
            setting_.problems.push_back(first.path +
                                        ": its clock cannot be set: no calibration in it");
        }
        setting_.error_ns = std::max(setting_.error_ns, fit.error_ns());
        boot->host = boot->scale = fit.realtime();
        boot->clock = &setting_.clocks.emplace_back();
        boot->clock->host = first.host;
        boot->clock->boot_id = first.boot_id;
        boot->clock->processes = static_cast<uint32_t>(boot->members.size());
        for (Process* process : boot->members) {
            process->clock_id = static_cast<uint32_t>(setting_.clocks.size() - 1);
            boot_of_.push_back({process, boot});
        }
    }

    Boot* BootOf(const Process* process) {
        const auto found = std::find_if(boot_of_.begin(), boot_of_.end(),
                                        [&](const auto& entry) { return entry.first == process; });
        return found->second;
    }

    Boot* BootOfRank(const std::string& pass, uint64_t world, int32_t rank) {
        for (const auto& process : processes_) {
            if (process->pass != pass) continue;
            for (const WorldRank& place : process->worlds) {
                if (place.world == world && place.rank == rank) return BootOf(process.get());
            }
        }
        return nullptr;
    }

    void FindSyncs(Boot* boot) {
        for (const Process* process : boot->members) {
            for (const ClockSync& sync : process->clock_syncs) {
                Boot* peer = BootOfRank(process->pass, sync.world, sync.peer);
                if (peer == nullptr || peer == boot || sync.received < sync.sent) continue;
                if (boot->peer == nullptr) boot->peer = peer;
                if (boot->peer == peer) boot->syncs.push_back(sync);
            }
        }
        std::sort(boot->syncs.begin(), boot->syncs.end(),
                  [](const ClockSync& a, const ClockSync& b) { return a.sent < b.sent; });
        if (boot->peer != nullptr) boot->peer->is_peer = true;
    }

    // The line of a boot needs that of the boot it was compared with.
    void Set(Boot* boot) {
        if (boot->is_set) return;
        boot->is_set = true;
        HostClock& clock = *boot->clock;
        if (boot->peer == nullptr) {
            if (boot->is_peer || boots_.size() == 1) clock.method = HostClock::Method::kReference;
            return;
        }
        Set(boot->peer);
        const ClockSync& first = boot->syncs.front();
        const ClockSync& last = boot->syncs.back();
        const uint64_t t1 = Middle(first);
        const uint64_t t2 = Middle(last);
        const int64_t n1 = boot->peer->scale.ToNs(first.peer_ticks);
        const int64_t n2 = boot->peer->scale.ToNs(last.peer_ticks);
        const int64_t ahead1 = boot->host.ToNs(t1) - n1;
        const int64_t ahead2 = boot->host.ToNs(t2) - n2;
        const auto round_trip =
            static_cast<double>(std::max(boot->host.DurationNs(first.received - first.sent),
                                         boot->host.DurationNs(last.received - last.sent)));
        clock.offset_ns = static_cast<double>(ahead1);
        clock.bound_ns = boot->peer->clock->bound_ns + round_trip / 2;
        clock.method = HostClock::Method::kOffset;
        boot->scale.base_ns -= ahead1;
        if (t2 <= t1 || n2 <= n1) return;
        clock.method = HostClock::Method::kLinear;
        clock.drift_ppb = static_cast<double>(ahead2 - ahead1) * 1e9 / static_cast<double>(n2 - n1);
        boot->scale = {.base_ticks = t1,
                       .base_ns = n1,
                       .ns_per_tick = static_cast<double>(n2 - n1) / static_cast<double>(t2 - t1)};
    }

    void Describe(const Boot& boot) const {
        for (Process* process : boot.members) {
            process->host_scale = boot.host;
            process->scale = choice_ == ClockChoice::kHost ? boot.host : boot.scale;
        }
    }

    void CountFromStart() {
        bool any = false;
        for (const auto& process : processes_) {
            if (process->begin == 0) continue;
            const int64_t begin = process->scale.ToNs(process->begin);
            setting_.start_realtime_ns = any ? std::min(setting_.start_realtime_ns, begin) : begin;
            any = true;
        }
        for (const auto& process : processes_) {
            process->scale.base_ns -= setting_.start_realtime_ns;
            process->host_scale.base_ns -= setting_.start_realtime_ns;
        }
    }

    const std::vector<std::unique_ptr<Process>>& processes_;
    ClockChoice choice_;
    ClockSetting setting_;
    std::map<std::string, Boot> boots_;
    std::vector<std::pair<const Process*, Boot*>> boot_of_;
};

}  // namespace

const char* ChoiceText(ClockChoice choice) {
    switch (choice) {
        case ClockChoice::kHost:
            return "host";
        case ClockChoice::kMeasured:
            return "measured";
        case ClockChoice::kLogical:
            return "logical";
    }
    return "";
}

const char* MethodText(HostClock::Method method) {
    switch (method) {
        case HostClock::Method::kReference:
            return "reference";
        case HostClock::Method::kLinear:
            return "linear";
        case HostClock::Method::kOffset:
            return "offset";
        case HostClock::Method::kNone:
            return "none";
    }
    return "";
}

ClockSetting SetClocks(const std::vector<std::unique_ptr<Process>>& processes, ClockChoice choice) {
    return Setter(processes, choice).Run();
}

}  // namespace comshu::read
