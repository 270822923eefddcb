#include "comshu/rec/options.h"

#include <cstdlib>
#include <cstring>

namespace comshu::rec {
namespace {

constexpr uint32_t kLeastRingKib = 64;
constexpr uint32_t kLargestRingKib = 1024 * 1024;

template <size_t kSize>
void Copy(const char* name, char (&out)[kSize]) {
    const char* value = std::getenv(name);
    // A text that does not fit is not cut: half a path is another path.
    if (value == nullptr || std::strlen(value) >= kSize) return;
    std::strcpy(out, value);
}

}  // namespace

Options OptionsFromEnvironment() {
    Options options;
    Copy("COMSHU_DIR", options.folder);
    Copy("COMSHU_PASS", options.pass);
    Copy("COMSHU_LIVE_DIR", options.live_folder);
    Copy("COMSHU_DRAIN_CPUS", options.drain_cpus);
    if (options.pass[0] == '\0' || std::strchr(options.pass, '/') != nullptr) {
        std::strcpy(options.pass, "run");
    }
    if (const char* kib = std::getenv("COMSHU_RING_KIB")) {
        const long value = std::strtol(kib, nullptr, 10);
        if (value >= kLeastRingKib && value <= kLargestRingKib) {
            const auto bytes = static_cast<uint32_t>(value) * 1024 / options.chunks;
            options.chunk_bytes = bytes & ~uint32_t{4095};
        }
    }
    if (const char* on_full = std::getenv("COMSHU_ON_FULL")) {
        if (std::strcmp(on_full, "drop") == 0) options.on_full = OnFull::kDrop;
        if (std::strcmp(on_full, "newest") == 0) options.on_full = OnFull::kNewest;
    }
    if (const char* clock = std::getenv("COMSHU_CLOCK")) {
        options.monotonic = std::strcmp(clock, "monotonic") == 0;
    }
    return options;
}

}  // namespace comshu::rec
