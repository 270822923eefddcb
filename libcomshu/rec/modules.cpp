#include "modules.h"

#include <algorithm>
#include <cstring>

#include <elf.h>
#include <link.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/rec/thread_state.h"

namespace comshu::rec {
namespace {

constexpr size_t kLongestBuildId = 64;

struct Found {
    uint64_t key;
    uint64_t begin;
    uint64_t end;
    uint64_t bias;
    char path[1024];
    char build_id[2 * kLongestBuildId + 1];
};

// A program that loads a hundred objects one by one is walked a hundred times: what is known is passed
// over without a copy.
struct ModuleWalk {
    const std::vector<uint64_t>& told;
    unsigned long long known_changes;
    unsigned long long changes = 0;
    std::vector<Found> found;
};

void ReadBuildId(const dl_phdr_info& info, char* out) {
    static const char kDigits[] = "0123456789abcdef";
    out[0] = '\0';
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info.dlpi_phdr[i];
        if (header.p_type != PT_NOTE) continue;
        const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + header.p_vaddr);
        const unsigned char* const end = at + header.p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const unsigned char* name = at + sizeof note;
            const unsigned char* content = name + ((note.n_namesz + 3u) & ~3u);
            at = content + ((note.n_descsz + 3u) & ~3u);
            if (at > end) break;
            if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
                std::memcmp(name, "GNU", 4) != 0 || note.n_descsz > kLongestBuildId) {
                continue;
            }
            for (size_t k = 0; k < note.n_descsz; ++k) {
                *out++ = kDigits[content[k] >> 4];
                *out++ = kDigits[content[k] & 15];
            }
            *out = '\0';
            return;
        }
    }
}

int OnObject(dl_phdr_info* info, size_t, void* data) {
    auto* walk = static_cast<ModuleWalk*>(data);
    walk->changes = info->dlpi_adds + info->dlpi_subs;
    if (walk->changes == walk->known_changes) return 1;
    const char* name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    char build_id[sizeof Found::build_id];
    ReadBuildId(*info, build_id);
    const uint64_t file = XXH64(build_id, std::strlen(build_id), XXH64(name, std::strlen(name), 0));
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
        const uint64_t begin = info->dlpi_addr + header.p_vaddr;
        const uint64_t place[] = {begin, begin + header.p_memsz, info->dlpi_addr};
        const uint64_t key = XXH64(place, sizeof place, file);
        if (std::find(walk->told.begin(), walk->told.end(), key) != walk->told.end()) continue;
        Found found{key, begin, begin + header.p_memsz, info->dlpi_addr, {}, {}};
        if (name[0] != '\0') {
            std::strncpy(found.path, name, sizeof found.path - 1);
        } else if (readlink("/proc/self/exe", found.path, sizeof found.path - 1) <= 0) {
            continue;
        }
        std::memcpy(found.build_id, build_id, sizeof build_id);
        walk->found.push_back(found);
    }
    return 0;
}

}  // namespace

void Modules::Refresh(Definitions* definitions) {
    ModuleWalk walk{.told = told_, .known_changes = changes_, .changes = 0, .found = {}};
    dl_iterate_phdr(&OnObject, &walk);
    if (walk.changes == changes_) return;
    changes_ = walk.changes;
    const uint64_t now = ReadTicks();
    for (const Found& module : walk.found) {
        told_.push_back(module.key);
        const uint64_t path = definitions->InternText(module.path);
        const uint64_t build_id =
            module.build_id[0] == '\0' ? 0 : definitions->InternText(module.build_id);
        definitions->Define(
            schema::Module(now, module.begin, module.end, module.bias, path, build_id));
    }
}

}  // namespace comshu::rec
