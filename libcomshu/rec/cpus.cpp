#include "cpus.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>

#include "comshu/core/live_layout.h"
#include "process_info.h"
#include "system.h"

namespace comshu::rec {

static_assert(sizeof(CpuMask) == sizeof(core::LiveHeader::bound_cpus));
constexpr size_t kCpus = kCpuWords * 64;

bool CpuMask::IsEmpty() const {
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    return any == 0;
}

CpuMask CpuMask::Without(const CpuMask& other) const {
    CpuMask rest;
    for (size_t i = 0; i < kCpuWords; ++i) rest.words[i] = words[i] & ~other.words[i];
    return rest;
}

void CpuMask::Add(const CpuMask& other) {
    for (size_t i = 0; i < kCpuWords; ++i) words[i] |= other.words[i];
}

CpuMask ParseCpuList(const char* text) {
    CpuMask mask;
    while (*text != '\0') {
        char* end;
        const unsigned long first = std::strtoul(text, &end, 10);
        if (end == text) return {};
        unsigned long last = first;
        text = end;
        if (*text == '-') {
            last = std::strtoul(text + 1, &end, 10);
            if (end == text + 1) return {};
            text = end;
        }
        if (last < first || last >= kCpus) return {};
        for (unsigned long cpu = first; cpu <= last; ++cpu) {
            mask.words[cpu / 64] |= uint64_t{1} << cpu % 64;
        }
        if (*text == ',') {
            ++text;
        } else if (*text != '\0' && *text != '\n') {
            return {};
        } else {
            break;
        }
    }
    return mask;
}

CpuMask CpusOfThread() {
    CpuMask mask;
    syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask);
    return mask;
}

void BindThread(const CpuMask& mask) {
    syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask);
}

CpuMask CpusOfCgroup() {
    CpuMask all;
    std::memset(all.words, 0xff, sizeof all.words);
    // The kernel takes what the cgroup has of it.
    BindThread(all);
    return CpusOfThread();
}

void AddBoundOfOthers(const char* folder, const char* prefix, CpuMask* bound) {
    DIR* entries = opendir(folder);
    if (entries == nullptr) return;
    const size_t prefix_bytes = std::strlen(prefix);
    while (const dirent* entry = readdir(entries)) {
        if (std::strncmp(entry->d_name, prefix, prefix_bytes) != 0 ||
            std::strstr(entry->d_name, ".live") == nullptr) {
            continue;
        }
        char path[4352];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const int fd = OpenFile(path, O_RDONLY, 0);
        if (fd < 0) continue;
        alignas(core::LiveHeader) std::byte page[sizeof(core::LiveHeader)];
        const bool whole = pread(fd, page, sizeof page, 0) == static_cast<ssize_t>(sizeof page);
        CloseFile(fd);
        const auto& header = *reinterpret_cast<const core::LiveHeader*>(page);
        if (!whole || header.magic.load(std::memory_order_relaxed) != core::kLiveMagic) continue;
        // What a killed process left binds nobody.
        if (ProcessStartTime(header.pid) != header.start_time) continue;
        CpuMask mask;
        std::memcpy(mask.words, header.bound_cpus, sizeof mask.words);
        bound->Add(mask);
    }
    closedir(entries);
}

CpuMask ChooseDrainCpus(const CpuMask& cgroup, const CpuMask& bound) {
    const CpuMask rest = cgroup.Without(bound);
    return rest.IsEmpty() ? cgroup : rest;
}

}  // namespace comshu::rec
