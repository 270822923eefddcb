#include "launch/mpi_choice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace comshu::launch {
namespace {

constexpr int kMaxDepth = 4;        // script that starts a script ...
constexpr size_t kMaxLookups = 32;  // programs looked at in one script

bool Contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

LauncherKind KindOfFileName(std::string_view name) {
    if (name == "srun") return LauncherKind::kSrun;
    if (name == "orterun" || name == "prterun" || name == "prte") return LauncherKind::kOpenMpi;
    // A program may be called solver.mpich.
    if (!IsLauncherName(name)) return LauncherKind::kNone;
    if (name.ends_with(".openmpi")) return LauncherKind::kOpenMpi;
    if (name.ends_with(".hydra") || name.ends_with(".mpich")) return LauncherKind::kHydra;
    return LauncherKind::kNone;
}

// mpirun and mpiexec are the names of all launchers: the file behind the name decides.
LauncherKind IdentifyLauncher(const std::string& name, const ProgramProbe& probe) {
    LauncherKind by_name = KindOfFileName(FileName(name));
    if (by_name != LauncherKind::kNone) return by_name;
    ProgramFile file = probe.Look(name);
    if (file.path.empty())
        return IsLauncherName(FileName(name)) ? LauncherKind::kOpenMpi : LauncherKind::kNone;
    if (!IsLauncherName(FileName(name)) && !IsLauncherName(FileName(file.path))) {
        return LauncherKind::kNone;
    }
    LauncherKind by_file = KindOfFileName(FileName(file.path));
    if (by_file != LauncherKind::kNone) return by_file;
    for (const std::string& library : file.libraries) {
        if (Contains(library, "libopen-rte") || Contains(library, "libprrte")) {
            return LauncherKind::kOpenMpi;
        }
    }
    if (Contains(file.text, "hydra")) return LauncherKind::kHydra;
    std::string version = probe.Version(name);
    if (Contains(version, "Open MPI") || Contains(version, "OpenRTE") ||
        Contains(version, "PRRTE")) {
        return LauncherKind::kOpenMpi;
    }
    if (Contains(version, "HYDRA") || Contains(version, "Intel(R) MPI")) {
        return LauncherKind::kHydra;
    }
    return Contains(file.path, "mpich") ? LauncherKind::kHydra : LauncherKind::kOpenMpi;
}

bool IsShell(const std::string& path) {
    static constexpr std::array kShells = {std::string_view("sh"),   std::string_view("bash"),
                                           std::string_view("dash"), std::string_view("zsh"),
                                           std::string_view("ksh"),  std::string_view("ash")};
    return std::find(kShells.begin(), kShells.end(), FileName(path)) != kShells.end();
}

// Words of a shell script that may be programs: comments, quotes and variables are passed over.
std::vector<std::string> ScriptWords(std::string_view text) {
    std::vector<std::string> words(1);
    bool comment = false;
    for (char c : text) {
        if (c == '\n') comment = false;
        if (c == '#' && words.back().empty()) comment = true;
        bool ends = c <= ' ' || Contains(";&|()<>\"'`", std::string_view(&c, 1));
        if (!comment && !ends) {
            words.back() += c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    return words;
}

// Looks for the MPI of a command, through wrappers, shells and scripts.
class MpiSearch {
public:
    explicit MpiSearch(const ProgramProbe& probe) : probe_(probe) {}

    void Command(const std::vector<std::string>& argv, size_t begin, size_t end, int depth = 0) {
        begin = FollowWrappers(argv, begin, end).command;
        if (begin >= end || depth > kMaxDepth) return;
        ProgramFile file = probe_.Look(argv[begin]);
        if (depth == 0 && first_name.empty()) {
            first_name = argv[begin];
            first = file;
        }
        if (Libraries(file)) return;
        if (file.kind == ProgramFile::Kind::kElf && IsShell(argv[begin])) {
            Shell(argv, begin + 1, end, depth);
        } else if (file.kind == ProgramFile::Kind::kScript) {
            Script(file, depth);
        }
    }

    std::string mpi;
    std::string first_name;
    ProgramFile first;
    bool launcher = false;

private:
    bool Libraries(const ProgramFile& file) {
        for (const std::string& library : file.libraries) {
            if (mpi.empty()) mpi = MpiOfLibrary(library);
        }
        return !mpi.empty();
    }

    // sh -c TEXT, or sh FILE.
    void Shell(const std::vector<std::string>& argv, size_t at, size_t end, int depth) {
        for (; at < end; ++at) {
            if (argv[at].size() > 1 && argv[at][0] == '-') {
                bool text = argv[at][1] != '-' && argv[at].find('c') != std::string::npos;
                if (text && at + 1 < end) return Text(argv[at + 1], depth);
                continue;
            }
            ProgramFile file = probe_.Look(argv[at]);
            return Text(file.text, depth);
        }
    }

    void Script(const ProgramFile& file, int depth) {
        if (file.interpreter.empty()) return;
        size_t command = FollowWrappers(file.interpreter, 0, file.interpreter.size()).command;
        if (command >= file.interpreter.size()) return;
        if (IsShell(file.interpreter[command])) {
            Text(file.text, depth);
        } else {
            Command(file.interpreter, command, file.interpreter.size(), depth + 1);
        }
    }

    void Text(const std::string& text, int depth) {
        for (const std::string& word : ScriptWords(text)) {
            if (word.empty() || Contains(word, "$")) continue;
            if (IsLauncherName(FileName(word))) launcher = true;
            if (!Contains(word, "/") || word.back() == '/' || lookups_ >= kMaxLookups) continue;
            ++lookups_;
            Command({word}, 0, 1, depth + 1);
            if (!mpi.empty() && launcher) return;
        }
    }

    const ProgramProbe& probe_;
    size_t lookups_ = 0;
};

}  // namespace

CommandShape AnalyseCommand(const std::vector<std::string>& argv, const ProgramProbe& probe) {
    CommandShape shape;
    shape.outer = FollowWrappers(argv, 0, argv.size());
    if (shape.outer.command >= argv.size()) return shape;
    shape.launcher = IdentifyLauncher(argv[shape.outer.command], probe);
    if (shape.has_launcher()) {
        shape.line = ParseLauncherLine(shape.launcher, argv, shape.outer.command);
    }
    return shape;
}

ProgramFacts LookAtPrograms(const CommandShape& shape, const std::vector<std::string>& argv,
                            const ProgramProbe& probe) {
    MpiSearch search(probe);
    if (shape.has_launcher()) {
        for (const RankCommand& rank : shape.line.ranks) {
            if (search.mpi.empty()) search.Command(argv, rank.program, rank.end);
        }
    } else {
        search.Command(argv, shape.outer.command, argv.size());
    }
    return {search.first_name, search.first, search.mpi, search.launcher};
}

std::string MpiOfLibrary(const std::string& path) {
    std::string name = FileName(path);
    if (name.starts_with("libmpich")) return "mpich";
    if (name.starts_with("libmpi_")) return "openmpi";  // its C++ and Fortran layers
    constexpr std::string_view kLibrary = "libmpi.so.";
    if (!name.starts_with(kLibrary)) return "";
    // MPICH and all that share its binary interface carry version 12, Open MPI 20 and up.
    return std::atoi(name.c_str() + kLibrary.size()) == 12 ? "mpich" : "openmpi";
}

std::string MpiOfEnvironment(const Environment& environment) {
    if (environment.contains("OMPI_COMM_WORLD_SIZE")) return "openmpi";
    if (environment.contains("MPI_LOCALNRANKS") ||
        (environment.contains("PMI_SIZE") && environment.contains("PMI_RANK"))) {
        return "mpich";
    }
    return "";
}

std::string MpiOfLauncher(LauncherKind kind) {
    switch (kind) {
        case LauncherKind::kOpenMpi:
            return "openmpi";
        case LauncherKind::kHydra:
            return "mpich";
        case LauncherKind::kSrun:
        case LauncherKind::kNone:
            break;
    }
    return "";
}

std::string ChooseMpi(const CommandShape& shape, const ProgramFacts& facts,
                      const Environment& environment) {
    if (!facts.mpi.empty()) return facts.mpi;
    if (shape.has_launcher() && !MpiOfLauncher(shape.launcher).empty()) {
        return MpiOfLauncher(shape.launcher);
    }
    return MpiOfEnvironment(environment);
}

}  // namespace comshu::launch
