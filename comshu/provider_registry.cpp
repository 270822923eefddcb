#include "provider_registry.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "error.h"

namespace comshu {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMpis[] = {"openmpi", "mpich"};

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

}  // namespace

const std::vector<ProviderInfo>& Providers() {
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
    if (folders.empty()) folders.push_back(OwnObjectFolder());
    return folders;
}

std::string FindObject(const std::string& file_name) {
    for (const std::string& folder : ObjectFolders()) {
        std::error_code error;
        fs::path file = fs::path(folder) / file_name;
        if (fs::is_regular_file(file, error)) return file.string();
    }
    return "";
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
        return {false, std::string(kEngineObject) + " is not in " + Join(ObjectFolders()) +
                           "; set COMSHU_PROVIDER_PATH to the folder it is in"};
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
