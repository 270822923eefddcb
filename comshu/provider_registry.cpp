#include "provider_registry.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "error.h"

namespace comshu {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMpis[] = {"openmpi", "mpich"};
constexpr std::string_view kObjectPrefix = "libcomshu_";
constexpr std::string_view kObjectSuffix = ".so";
// As in comshu/provider/provider.h.
constexpr std::string_view kShowsSection = ".comshu.shows";

const char* EnginePath() {
    const char* path = std::getenv("COMSHU_ENGINE_PATH");
    return path && *path ? path : nullptr;
}

bool LoaderKnows(std::string_view library) {
    // The cache holds each name with a zero behind it; reading it loads and runs nothing.
    static const std::string cache = [] {
        std::ifstream file("/etc/ld.so.cache", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return cache.find(std::string(library)) != std::string::npos;
}

std::string Join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text;
}

const std::vector<ProviderInfo>& KnownProviders() {
    static const std::vector<ProviderInfo> providers = {
        {"mpi", {}, "every MPI call: peer, tag, communicator, bytes, source line", true, "", ""},
        {"openmp", {}, "OpenMP regions of Fortran source, by instrumentation", false, "", ""},
        {"ompt", {}, "OpenMP regions and tasks, by the runtime's tool interface", false, "", ""},
        {"ucx", {}, "what MPI asks of UCX: sends, receives, puts, gets", false, "libucp.so.0", ""},
        {"ucx_deep", {}, "what UCX puts on the wire, by transport", false, "libuct.so.0", ""},
        {"ibverbs",
         {"ib", "net"},
         "work requests and completions of InfiniBand and RoCE",
         false,
         "libibverbs.so.1",
         "/sys/class/infiniband"},
        {"gpumem",
         {"p2p", "nvlink", "snoopie"},
         "what GPUs copy, and load and store in each other's memory",
         false,
         "libcuda.so.1",
         "/dev/nvidiactl"},
        {"user", {}, "regions and marks that the program itself names", false, "", ""},
    };
    return providers;
}

// The <name> of libcomshu_<name>.so where that can be a provider on its own; else empty.
std::string NameInFile(const std::string& file) {
    if (!file.starts_with(kObjectPrefix) || !file.ends_with(kObjectSuffix)) return "";
    std::string name = file.substr(kObjectPrefix.size());
    name.resize(name.size() - std::min(name.size(), kObjectSuffix.size()));
    bool is_name = !name.empty() && file != kEngineObject &&
                   name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
    return is_name ? name : "";
}

// Names and texts of the providers found live as long as the process.
std::string_view Kept(std::string text) {
    static std::deque<std::string> kept;
    return kept.emplace_back(std::move(text));
}

std::vector<ProviderInfo> AllProviders() {
    std::vector<ProviderInfo> all = KnownProviders();
    for (const std::string& folder : ObjectFolders()) {
        std::map<std::string, std::string> found;
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error)) {
            std::string name = NameInFile(entry->path().filename().string());
            if (!name.empty()) found.emplace(std::move(name), entry->path().string());
        }
        for (const auto& [name, path] : found) {
            bool known = std::any_of(all.begin(), all.end(), [&](const ProviderInfo& provider) {
                return provider.name == name;
            });
            std::string shows = known ? "" : ShownBy(path);
            if (shows.empty()) continue;
            all.push_back({Kept(name), {}, Kept(std::move(shows)), false, "", ""});
        }
    }
    return all;
}

}  // namespace

const std::vector<ProviderInfo>& Providers() {
    static const std::vector<ProviderInfo> providers = AllProviders();
    return providers;
}

std::string ShownBy(const std::string& object) {
    int fd = open(object.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return "";
    elf_version(EV_CURRENT);
    std::string text;
    Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
    size_t names = 0;
    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header)) continue;
            const char* name = elf_strptr(elf, names, header.sh_name);
            if (!name || std::string_view(name) != kShowsSection) continue;
            const Elf_Data* data = elf_getdata(section, nullptr);
            if (data && data->d_buf) text.assign(static_cast<char*>(data->d_buf), data->d_size);
        }
    }
    if (elf) elf_end(elf);
    close(fd);
    return text.substr(0, text.find('\0'));
}

const ProviderInfo* FindProvider(std::string_view name) {
    for (const ProviderInfo& provider : Providers()) {
        const auto& aliases = provider.aliases;
        if (provider.name == name ||
            std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
            return &provider;
        }
    }
    return nullptr;
}

std::vector<const ProviderInfo*> ParseProviders(const std::string& list) {
    std::vector<const ProviderInfo*> chosen;
    std::istringstream names(list);
    for (std::string name; std::getline(names, name, ',');) {
        if (name.empty()) continue;
        const ProviderInfo* provider = FindProvider(name);
        if (!provider) {
            throw UsageError("there is no provider '" + name +
                             "'; 'comshu list' shows those there are");
        }
        if (std::find(chosen.begin(), chosen.end(), provider) == chosen.end()) {
            chosen.push_back(provider);
        }
    }
    if (chosen.empty())
        throw UsageError("-p names no provider; 'comshu list' shows those there are");
    return chosen;
}

std::string OwnObjectFolder() {
    std::error_code error;
    fs::path program = fs::read_symlink("/proc/self/exe", error);
    return (program.parent_path().parent_path() / "lib" / "comshu").lexically_normal().string();
}

std::vector<std::string> ObjectFolders() {
    std::vector<std::string> folders;
    if (const char* path = std::getenv("COMSHU_PROVIDER_PATH")) {
        std::istringstream parts(path);
        for (std::string part; std::getline(parts, part, ':');) {
            if (!part.empty()) folders.push_back(fs::absolute(part).string());
        }
    }
    folders.push_back(OwnObjectFolder());
    return folders;
}

std::string FindObject(const std::string& file_name) {
    if (const char* engine = EnginePath(); engine && file_name == kEngineObject) {
        std::error_code error;
        fs::path file = fs::absolute(engine, error);
        if (fs::is_directory(file, error)) file /= kEngineObject;
        return fs::is_regular_file(file, error) ? file.string() : "";
    }
    for (const std::string& folder : ObjectFolders()) {
        std::error_code error;
        fs::path file = fs::path(folder) / file_name;
        if (fs::is_regular_file(file, error)) return file.string();
    }
    return "";
}

std::string PlacesOf(const std::string& file_name) {
    const char* engine = EnginePath();
    if (engine && file_name == kEngineObject) {
        return std::string(engine) + " (COMSHU_ENGINE_PATH)";
    }
    return Join(ObjectFolders());
}

std::vector<std::string> ProviderObjects(const ProviderInfo& provider, const std::string& mpi) {
    std::string name(provider.name);
    if (!provider.once_per_mpi) return {"libcomshu_" + name + ".so"};
    return {"libqmpi-" + mpi + ".so", "libcomshu_" + name + "-" + mpi + ".so"};
}

std::vector<std::string> TracedMpis() {
    std::vector<std::string> found;
    const ProviderInfo& provider = *FindProvider("mpi");
    for (std::string_view mpi : kMpis) {
        std::vector<std::string> objects = ProviderObjects(provider, std::string(mpi));
        if (std::none_of(objects.begin(), objects.end(),
                         [](const std::string& object) { return FindObject(object).empty(); })) {
            found.emplace_back(mpi);
        }
    }
    return found;
}

Availability CanWorkHere(const ProviderInfo& provider) {
    std::string mpis = provider.once_per_mpi ? Join(TracedMpis()) : "";
    if (provider.once_per_mpi && mpis.empty()) {
        return {false,
                "built for no MPI; install one (Debian: mpich or openmpi-bin with their -dev) and "
                "build comshu again"};
    }
    if (!provider.once_per_mpi) {
        for (const std::string& object : ProviderObjects(provider, "")) {
            if (FindObject(object).empty()) return {false, object + " is not part of this build"};
        }
    }
    if (FindObject(kEngineObject).empty()) {
        return {false, std::string(kEngineObject) + " is not in " + PlacesOf(kEngineObject) +
                           "; set COMSHU_ENGINE_PATH to the folder it is in"};
    }
    if (!provider.library.empty() && !LoaderKnows(provider.library)) {
        return {false, std::string(provider.library) + " is not installed"};
    }
    std::error_code error;
    if (!provider.device.empty() && !fs::exists(provider.device, error)) {
        return {false, std::string(provider.device) + " is not there: no such device"};
    }
    return {true, mpis};
}

}  // namespace comshu
