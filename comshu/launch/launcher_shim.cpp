#include "launch/launcher_shim.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "error.h"
#include "launch/preparation.h"
#include "provider_registry.h"

namespace comshu::launch {
namespace fs = std::filesystem;
namespace {

// What a link finds in its environment.
constexpr const char* kProviders = "COMSHU_SHIM_PROVIDERS";
constexpr const char* kMpi = "COMSHU_SHIM_MPI";
constexpr const char* kPreload = "COMSHU_SHIM_PRELOAD";
constexpr const char* kFolder = "COMSHU_SHIM_FOLDER";

// A folder with a colon in its name cannot stand in PATH; a link to it can.
std::string ShimFolder() {
    for (const std::string& folder : ObjectFolders()) {
        std::error_code error;
        fs::path shims = fs::path(folder) / "launchers";
        bool nameable = folder.find(':') == std::string::npos;
        if (nameable && fs::exists(shims / "mpirun", error)) return shims.string();
    }
    return "";
}

std::string PathWithout(const std::string& path, const std::string& folder) {
    std::string result;
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');) {
        if (part == folder) continue;
        if (!result.empty()) result += ':';
        result += part;
    }
    return result;
}

// The user's LD_PRELOAD without what comshu put in front of it.
std::string UsersPreload(const std::string& value, const std::string& ours) {
    if (ours.empty() || !value.starts_with(ours)) return value;
    std::string rest = value.substr(ours.size());
    return rest.starts_with(":") ? rest.substr(1) : rest;
}

void Set(const std::string& name, const std::string& value) {
    if (value.empty()) {
        unsetenv(name.c_str());
    } else {
        setenv(name.c_str(), value.c_str(), 1);
    }
}

LaunchPlan PlanOfShim(const std::vector<std::string>& command, const std::string& providers,
                      const std::string& mpi) {
    Environment environment = CurrentEnvironment();
    LaunchPlan plain{command, {}, {}};
    if (!environment.contains("COMSHU_DIR")) return plain;
    try {
        RunOptions options;
        options.providers = providers;
        if (!mpi.empty()) options.mpi = mpi;
        options.command = command;
        Preparation prepared = Prepare(options, environment, FileProbe());
        TracedEnvironment traced;
        for (const std::string& object : prepared.preload) {
            traced.preload = JoinPreload(traced.preload, object);
        }
        for (const auto& [name, value] : environment) {
            if ((name.starts_with("COMSHU_") && !name.starts_with("COMSHU_SHIM_")) ||
                name.starts_with("QMPI_")) {
                traced.variables.push_back({name, value});
            }
        }
        return MakeLaunchPlan(prepared.shape, command, traced, environment);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "comshu run: '%s' is started untraced: %s\n", command[0].c_str(),
                     error.what());
        return plain;
    }
}

}  // namespace

void AddLauncherShims(LaunchPlan& plan, const std::string& providers, const std::string& mpi,
                      const std::string& preload, const Environment& environment) {
    std::string folder = ShimFolder();
    if (folder.empty()) return;
    std::string path = Value(environment, "PATH");
    plan.set.push_back({"PATH", path.empty() ? folder : folder + ":" + path});
    plan.set.push_back({kProviders, providers});
    if (!mpi.empty()) plan.set.push_back({kMpi, mpi});
    plan.set.push_back({kPreload, preload});
    plan.set.push_back({kFolder, folder});
}

bool IsLauncherShim(const std::string& program_name) {
    return std::getenv(kFolder) && IsLauncherName(FileName(program_name));
}

int RunAsLauncher(int argc, char** argv) {
    Environment environment = CurrentEnvironment();
    Set("PATH", PathWithout(Value(environment, "PATH"), Value(environment, kFolder)));
    Set("LD_PRELOAD", UsersPreload(Value(environment, "LD_PRELOAD"), Value(environment, kPreload)));
    std::vector<std::string> command(argv, argv + argc);
    command[0] = FileName(command[0]);
    for (const char* name : {kProviders, kMpi, kPreload, kFolder}) unsetenv(name);

    LaunchPlan plan = PlanOfShim(command, Value(environment, kProviders), Value(environment, kMpi));
    for (const std::string& name : plan.unset) unsetenv(name.c_str());
    std::vector<char*> words;
    for (std::string& word : plan.argv) words.push_back(word.data());
    words.push_back(nullptr);
    execvp(words[0], words.data());
    int error = errno;
    std::fprintf(stderr, "%s: %s\n", words[0], std::strerror(error));
    return error == ENOENT ? 127 : 126;
}

}  // namespace comshu::launch
