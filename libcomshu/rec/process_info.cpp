#include "process_info.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "comshu/rec/thread_state.h"
#include "system.h"

namespace comshu::rec {
namespace {

constexpr int kStartTimeField = 22;
constexpr size_t kLongestCommand = 64 * 1024;

}  // namespace

uint64_t ProcessStartTime(uint32_t pid) {
    char stat[1024];
    snprintf(stat, sizeof stat, "/proc/%u/stat", pid);
    if (ReadSmallFile(stat, stat, sizeof stat) == 0) return 0;
    // The name in field 2 may hold anything, also spaces and brackets.
    const char* at = std::strrchr(stat, ')');
    for (int field = 2; at != nullptr && field < kStartTimeField; ++field) {
        at = std::strchr(at + 1, ' ');
    }
    return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

void HostName(char* out, size_t bytes) {
    if (gethostname(out, bytes) != 0 || out[0] == '\0') std::strcpy(out, "localhost");
    out[bytes - 1] = '\0';
    for (char* c = out; *c != '\0'; ++c) {
        if (*c == '/' || *c == ' ') *c = '_';
    }
}

size_t BootId(const OtherHost& other, char (&out)[kBootIdBytes]) {
    size_t bytes = ReadSmallFile("/proc/sys/kernel/random/boot_id", out, sizeof out);
    if (bytes > 0) out[--bytes] = '\0';
    if (!other.is_played) return bytes;
    snprintf(out + bytes, sizeof out - bytes, "/%u", other.number);
    return std::strlen(out);
}

schema::Process DescribeProcess(const Options& options, const char* host, uint32_t exec_number,
                                uint64_t ticks_per_second, Definitions* definitions) {
    char path[4096];
    const auto link = [&](const char* name) -> uint64_t {
        const ssize_t length = readlink(name, path, sizeof path);
        return length <= 0 ? 0
                           : definitions->Intern(schema::ArtifactKind::text, path,
                                                 static_cast<size_t>(length));
    };
    char boot_id[kBootIdBytes];
    const uint64_t boot = definitions->Intern(schema::ArtifactKind::text, boot_id,
                                              BootId(options.other_host, boot_id));
    // Arguments as they stand there: each ends with a zero.
    std::vector<char> command(kLongestCommand);
    size_t command_bytes = ReadSmallFile("/proc/self/cmdline", command.data(), command.size());
    if (command_bytes > 0 && command[command_bytes - 1] == '\0') --command_bytes;
    return schema::Process(
        ReadTicks(), static_cast<uint32_t>(getpid()), static_cast<uint32_t>(getppid()),
        ProcessStartTime(static_cast<uint32_t>(getpid())), definitions->InternText(host), boot,
        link("/proc/self/exe"),
        definitions->Intern(schema::ArtifactKind::text, command.data(), command_bytes),
        link("/proc/self/cwd"), ticks_per_second, static_cast<uint32_t>(getuid()),
        static_cast<uint16_t>(exec_number),
        options.monotonic ? schema::Clock::monotonic : schema::Clock::tsc);
}

}  // namespace comshu::rec
