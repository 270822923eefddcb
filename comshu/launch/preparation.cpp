#include "launch/preparation.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "error.h"
#include "shell_words.h"

namespace comshu::launch {
namespace {

std::string ProviderTable() {
    std::string table;
    for (const ProviderInfo& provider : Providers()) {
        std::string name(provider.name);
        name.resize(std::max<size_t>(name.size(), 10), ' ');
        table += "\n  " + name + std::string(provider.shows);
    }
    return table;
}

// What cannot be started is not asked about.
void CheckProgram(const std::string& name) {
    if (!FindProgram(name).empty()) return;
    const bool exists = name.find('/') != std::string::npos && access(name.c_str(), F_OK) == 0;
    throw CommandError("cannot start '" + name + "': " +
                           (exists ? "it may not be run, or is no file" : std::strerror(ENOENT)),
                       exists ? 126 : 127);
}

// Without -p: mpi if anything says that this is an MPI program.
std::vector<const ProviderInfo*> ChooseProviders(const RunOptions& options,
                                                 const Preparation& prepared,
                                                 const Environment& environment) {
    if (options.providers) return ParseProviders(*options.providers);
    bool mpi = prepared.shape.has_launcher() || !prepared.facts.mpi.empty() ||
               prepared.facts.starts_launcher || options.mpi ||
               !MpiOfEnvironment(environment).empty();
    if (mpi) return {FindProvider("mpi")};
    throw UsageError("'" + options.command.front() +
                     "' is no MPI program or launcher as far as can be seen; say what to trace "
                     "with -p NAME[,NAME]. There are:" +
                     ProviderTable());
}

std::string ResolveMpi(const RunOptions& options, const Preparation& prepared,
                       const Environment& environment) {
    if (options.mpi) return *options.mpi;
    std::string mpi = ChooseMpi(prepared.shape, prepared.facts, environment);
    if (!mpi.empty()) return mpi;
    std::vector<std::string> known = TracedMpis();
    if (known.size() == 1) return known.front();
    if (prepared.facts.starts_launcher) return "";  // that one will be looked at when it starts
    throw UsageError("cannot tell which MPI '" + options.command.front() +
                     "' uses; say so with --mpi mpich or --mpi openmpi");
}

std::string ObjectPath(const std::string& object) {
    std::string path = FindObject(object);
    if (path.empty()) {
        throw CommandError(object + " is not in " + PlacesOf(object) +
                           "; 'comshu list' says what this build can trace, and "
                           "COMSHU_PROVIDER_PATH names other folders");
    }
    if (path.find_first_of(" \t\n:") != std::string::npos) {
        std::string folder = path.substr(0, path.rfind('/'));
        throw UsageError(
            "the loader cannot preload '" + path +
            "': a blank or colon in a path ends it there. Install comshu elsewhere, or "
            "make a link to its folder: ln -s " +
            ShellWord(folder) + " ~/comshu-objects; export COMSHU_PROVIDER_PATH=~/comshu-objects");
    }
    return path;
}

std::vector<std::string> PreloadObjects(const std::vector<const ProviderInfo*>& providers,
                                        const std::string& mpi) {
    std::vector<std::string> before, after;
    for (const ProviderInfo* provider : providers) {
        std::vector<std::string> objects = ProviderObjects(*provider, mpi);
        if (provider->once_per_mpi) {
            before.push_back(ObjectPath(objects[0]));
            after.insert(after.begin(), ObjectPath(objects[1]));
        } else {
            for (const std::string& object : objects) after.push_back(ObjectPath(object));
        }
    }
    before.push_back(ObjectPath(kEngineObject));
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

// A program built with AddressSanitizer stops if its runtime is not the first object.
void PutSanitizerFirst(const ProgramFile& file, std::vector<std::string>& preload) {
    for (const std::string& library : file.libraries) {
        if (library[0] == '/' && FileName(library).starts_with("libasan.so")) {
            preload.insert(preload.begin(), library);
            return;
        }
    }
}

bool Needs(const ProgramFile& file, std::initializer_list<std::string_view> names) {
    return std::any_of(file.libraries.begin(), file.libraries.end(), [&](const std::string& path) {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view name) { return FileName(path).starts_with(name); });
    });
}

// A program of OpenMP that the provider cannot see.
void WarnOfOpenmp(const Preparation& prepared, std::vector<std::string>& warnings) {
    const ProgramFile& file = prepared.facts.file;
    const auto wants = [&](std::string_view name) {
        return std::any_of(prepared.providers.begin(), prepared.providers.end(),
                           [&](const ProviderInfo* p) { return p->name == name; });
    };
    const bool has_gnu = Needs(file, {"libgomp.so"});
    const bool has_tools = Needs(file, {"libomp.so", "libomp5.so", "libiomp5.so"});
    const bool is_instrumented = Needs(file, {"libcomshu_dbg.so"});
    if (wants("openmp") && !is_instrumented && (has_gnu || has_tools) && !wants("ompt")) {
        warnings.push_back(prepared.facts.name +
                           " was not built by `comshu fc`, so openmp will record nothing of it: "
                           "build it with comshu fc gfortran ... (docs/fc.md)" +
                           (has_tools ? ", or take -p ompt"
                                      : ", or try LD_PRELOAD=libomp.so.5 comshu run -p ompt "
                                        "(docs/provider-openmp.md)"));
    }
    if (wants("ompt") && has_gnu && !has_tools && !(wants("openmp") && is_instrumented)) {
        warnings.push_back(prepared.facts.name +
                           " uses GNU's OpenMP runtime, which has no tools interface, so ompt "
                           "will record nothing of it: LD_PRELOAD=libomp.so.5 comshu run -p ompt "
                           "... runs it on LLVM's (docs/provider-openmp.md)");
    }
}

void Warn(const Preparation& prepared, std::vector<std::string>& warnings) {
    const ProgramFacts& facts = prepared.facts;
    const std::string& name = facts.name;
    if (facts.file.kind == ProgramFile::Kind::kElf && !facts.file.dynamic) {
        warnings.push_back(name +
                           " is linked statically, so nothing can be preloaded and nothing of it "
                           "will be recorded; link it dynamically");
    }
    if (facts.file.foreign) {
        warnings.push_back(name +
                           " is a 32-bit program or one for another kind of machine, into which "
                           "comshu's objects cannot be loaded, so nothing of it will be recorded");
    }
    if (facts.file.privileged) {
        warnings.push_back(name +
                           " is set-uid, set-gid or has capabilities, so the loader removes "
                           "LD_PRELOAD and nothing of it will be recorded; run a copy without "
                           "these rights");
    }
    std::string launcher = MpiOfLauncher(prepared.shape.launcher);
    if (!launcher.empty() && !facts.mpi.empty() && launcher != facts.mpi) {
        warnings.push_back(name + " needs " + facts.mpi + ", but the launcher is that of " +
                           launcher + ": each process will be a rank 0 of its own; use mpiexec." +
                           facts.mpi);
    }
    WarnOfOpenmp(prepared, warnings);
    for (const ProviderInfo* provider : prepared.providers) {
        Availability here = CanWorkHere(*provider);
        if (!here.works) {
            warnings.push_back(std::string(provider->name) + " will see nothing: " + here.detail);
        }
    }
}

}  // namespace

std::string Preparation::ProviderNames() const {
    std::string names;
    for (const ProviderInfo* provider : providers) {
        if (!names.empty()) names += ',';
        names += provider->name;
    }
    return names;
}

bool Preparation::MayStartLauncher() const {
    bool is_mpi_program = facts.file.kind == ProgramFile::Kind::kElf && !facts.mpi.empty();
    return !shape.has_launcher() && (facts.starts_launcher || !is_mpi_program);
}

Preparation Prepare(const RunOptions& options, const Environment& environment,
                    const ProgramProbe& probe) {
    Preparation prepared;
    prepared.shape = AnalyseCommand(options.command, probe);
    if (prepared.shape.outer.command >= options.command.size()) {
        throw UsageError("'" + options.command.front() + "' starts no program");
    }
    CheckProgram(options.command.front());
    prepared.facts = LookAtPrograms(prepared.shape, options.command, probe);
    prepared.providers = ChooseProviders(options, prepared, environment);
    bool per_mpi = std::any_of(prepared.providers.begin(), prepared.providers.end(),
                               [](const ProviderInfo* p) { return p->once_per_mpi; });
    if (per_mpi) prepared.mpi = ResolveMpi(options, prepared, environment);
    if (!per_mpi || !prepared.mpi.empty()) {
        prepared.preload = PreloadObjects(prepared.providers, prepared.mpi);
    } else {
        // It may be wrong now as well as when the launcher has told the MPI.
        ObjectPath(kEngineObject);
    }
    PutSanitizerFirst(prepared.facts.file, prepared.preload);
    // The loader would complain of each object on the program's stderr.
    if (prepared.facts.file.foreign) prepared.preload.clear();
    Warn(prepared, prepared.warnings);
    return prepared;
}

}  // namespace comshu::launch
