#include "comshu/rec/options.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "comshu/core/engine_options.h"

namespace comshu::rec {
namespace {

template <size_t kSize>
void Copy(const char* name, char (&out)[kSize]) {
    const char* value = std::getenv(name);
    // A text that does not fit is not cut: half a path is another path.
    if (value == nullptr || std::strlen(value) >= kSize) return;
    std::strcpy(out, value);
}

// As the launcher told this process, before MPI does.
std::optional<uint64_t> RankFromEnvironment() {
    for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        const char* value = std::getenv(name);
        if (value == nullptr) continue;
        if (const std::optional<uint64_t> rank = core::ParseNumber(value)) return rank;
    }
    return std::nullopt;
}

void ChooseRanks(Options* options) {
    const std::string_view ranks = core::ValueOf(core::kRanksOption);
    if (ranks.empty()) return;
    const std::optional<uint64_t> rank = RankFromEnvironment();
    options->rank_unknown = !rank;
    if (rank && !core::ListHolds(ranks, *rank)) options->folder[0] = '\0';
}

// Rings of a flight recorder that keeps a time hold more than others, unless their size is given.
constexpr uint64_t kWindowRingKib = 16 * 1024;

void SetRings(Options* options) {
    const std::string_view on_full = core::ValueOf(core::kOnFullOption);
    if (on_full == "drop") options->on_full = OnFull::kDrop;
    if (on_full == "newest") options->on_full = OnFull::kNewest;
    uint64_t ring_kib = *core::ParseNumber(core::ValueOf(core::kRingOption));
    const std::string_view window = core::ValueOf(core::kWindowOption);
    if (!window.empty()) {
        options->on_full = OnFull::kNewest;
        if (const std::optional<uint64_t> bytes = core::ParseSize(window)) {
            ring_kib =
                std::clamp(*bytes / 1024, core::kRingOption.least, core::kRingOption.largest);
        } else {
            options->keep_ns = *core::ParseTime(window);
            if (std::getenv(core::kRingOption.variable) == nullptr) ring_kib = kWindowRingKib;
        }
    }
    options->chunk_bytes =
        static_cast<uint32_t>(ring_kib * 1024 / options->chunks) & ~uint32_t{4095};
}

}  // namespace

OtherHost OtherHostFromEnvironment() {
    OtherHost other;
    const char* list = std::getenv("COMSHU_TEST_HOSTS");
    const std::optional<uint64_t> own = list == nullptr ? std::nullopt : RankFromEnvironment();
    while (own && list != nullptr && *list != '\0') {
        char* end = nullptr;
        const uint64_t rank = std::strtoull(list, &end, 10);
        const int64_t shift_ns = *end == ':' ? std::strtoll(end + 1, &end, 10) : 0;
        const int64_t drift_ppb = *end == ':' ? std::strtoll(end + 1, &end, 10) : 0;
        if (rank == *own) {
            other = {true, static_cast<uint32_t>(rank), shift_ns, static_cast<double>(drift_ppb)};
        }
        list = *end == ',' ? end + 1 : nullptr;
    }
    return other;
}

Options OptionsFromEnvironment() {
    Options options;
    Copy("COMSHU_DIR", options.folder);
    Copy("COMSHU_PASS", options.pass);
    Copy("COMSHU_LIVE_DIR", options.live_folder);
    Copy("COMSHU_DRAIN_CPUS", options.drain_cpus);
    if (options.pass[0] == '\0' || std::strchr(options.pass, '/') != nullptr) {
        std::strcpy(options.pass, "run");
    }
    ChooseRanks(&options);
    SetRings(&options);
    options.largest_stream = core::ParseSize(core::ValueOf(core::kMaxSizeOption)).value_or(0);
    options.stacks = static_cast<uint32_t>(*core::ParseNumber(core::ValueOf(core::kStacksOption)));
    options.start_paused = core::ValueOf(core::kStartOption) == "paused";
    options.other_host = OtherHostFromEnvironment();
    if (const char* clock = std::getenv("COMSHU_CLOCK")) {
        options.monotonic = std::strcmp(clock, "monotonic") == 0;
    }
    return options;
}

}  // namespace comshu::rec
