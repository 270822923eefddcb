#include "launch/launcher_syntax.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace comshu::launch {
namespace {

using ArgumentCounts = std::map<std::string_view, size_t>;

const ArgumentCounts& OpenMpiOptions() {
    static const ArgumentCounts counts = [] {
        ArgumentCounts result;
        for (std::string_view name : {"am",
                                      "app",
                                      "bind-to",
                                      "c",
                                      "np",
                                      "n",
                                      "N",
                                      "cf",
                                      "cartofile",
                                      "cpu-list",
                                      "cpu-set",
                                      "cpus-per-proc",
                                      "cpus-per-rank",
                                      "debugger",
                                      "default-hostfile",
                                      "H",
                                      "host",
                                      "hnp",
                                      "hostfile",
                                      "launch-agent",
                                      "machinefile",
                                      "map-by",
                                      "max-restarts",
                                      "max-vm-size",
                                      "npernode",
                                      "npersocket",
                                      "ompi-server",
                                      "output-filename",
                                      "output",
                                      "path",
                                      "personality",
                                      "ppr",
                                      "prefix",
                                      "preload-files",
                                      "rank-by",
                                      "report-events",
                                      "report-pid",
                                      "report-uri",
                                      "rf",
                                      "rankfile",
                                      "runtime-options",
                                      "stdin",
                                      "timeout",
                                      "tune",
                                      "wd",
                                      "wdir",
                                      "x",
                                      "xml-file",
                                      "xterm",
                                      "slot-list",
                                      "display",
                                      "pset",
                                      "dvm-uri",
                                      "num-connect-retries",
                                      "exec-agent",
                                      "rsh-agent",
                                      "spawn-timeout"}) {
            result[name] = 1;
        }
        for (std::string_view name : {"mca", "gmca", "omca", "prtemca", "pmixmca", "gpmixmca"}) {
            result[name] = 2;
        }
        return result;
    }();
    return counts;
}

const ArgumentCounts& HydraOptions() {
    static const ArgumentCounts counts = [] {
        ArgumentCounts result;
        for (std::string_view name : {"n",
                                      "np",
                                      "f",
                                      "hosts",
                                      "host",
                                      "hostfile",
                                      "machine",
                                      "machinefile",
                                      "wdir",
                                      "configfile",
                                      "genvlist",
                                      "envlist",
                                      "ppn",
                                      "perhost",
                                      "bind-to",
                                      "binding",
                                      "map-by",
                                      "membind",
                                      "mapping",
                                      "launcher",
                                      "launcher-exec",
                                      "bootstrap",
                                      "bootstrap-exec",
                                      "rmk",
                                      "iface",
                                      "demux",
                                      "topolib",
                                      "prepend-pattern",
                                      "outfile-pattern",
                                      "outfile",
                                      "errfile-pattern",
                                      "errfile",
                                      "nameserver",
                                      "order-nodes",
                                      "localhost",
                                      "usize",
                                      "gpus-per-proc",
                                      "path",
                                      "s",
                                      "info-file",
                                      "arch",
                                      "ckpoint-interval",
                                      "ckpoint-prefix",
                                      "ckpoint-num",
                                      "ckpointlib",
                                      "tmpdir",
                                      "dynamic-usize"}) {
            result[name] = 1;
        }
        result["env"] = 2;
        result["genv"] = 2;
        return result;
    }();
    return counts;
}

// Options of srun without an argument in a token of their own; all other long ones have one.
const std::set<std::string_view>& SrunFlags() {
    static const std::set<std::string_view> flags = {"contiguous",
                                                     "disable-status",
                                                     "exclusive",
                                                     "hold",
                                                     "label",
                                                     "no-allocate",
                                                     "no-kill",
                                                     "overcommit",
                                                     "overlap",
                                                     "oversubscribe",
                                                     "preserve-env",
                                                     "pty",
                                                     "quiet",
                                                     "reboot",
                                                     "quit-on-interrupt",
                                                     "spread-job",
                                                     "test-only",
                                                     "unbuffered",
                                                     "verbose",
                                                     "use-min-nodes",
                                                     "version",
                                                     "whole",
                                                     "exact",
                                                     "immediate",
                                                     "kill-on-bad-exit",
                                                     "multi-prog",
                                                     "nice",
                                                     "no-requeue",
                                                     "requeue",
                                                     "interactive",
                                                     "x11",
                                                     "help",
                                                     "usage",
                                                     "ignore-pbs",
                                                     "compress",
                                                     "bcast",
                                                     "propagate",
                                                     "send-libs",
                                                     "external",
                                                     "disable-stdout-job-summary",
                                                     "join",
                                                     "nvmps",
                                                     "stepmgr",
                                                     "slurmd-debug"};
    return flags;
}

constexpr std::string_view kSrunShortFlags = "EHhklOqQsuvVXZIK";

size_t SrunArguments(const std::string& token) {
    if (token.starts_with("--")) {
        bool has_value = token.find('=') != std::string::npos;
        return has_value || SrunFlags().contains(OptionName(token)) ? 0 : 1;
    }
    // Short options may be joined (-lu) and carry their argument in the same token (-n2).
    for (size_t i = 1; i < token.size(); ++i) {
        if (token[i] == 'I' || token[i] == 'K') return 0;  // their argument is always joined
        if (kSrunShortFlags.find(token[i]) == std::string_view::npos) {
            return i + 1 == token.size() ? 1 : 0;
        }
    }
    return 0;
}

bool TakesCommandsFromFile(LauncherKind kind, std::string_view name) {
    return (kind == LauncherKind::kOpenMpi && name == "app") ||
           (kind == LauncherKind::kHydra && name == "configfile");
}

}  // namespace

std::string_view OptionName(std::string_view token) {
    size_t dashes = token.starts_with("--") ? 2 : token.starts_with("-") ? 1 : 0;
    token.remove_prefix(dashes);
    return token.substr(0, token.find('='));
}

size_t OptionArguments(LauncherKind kind, const std::vector<std::string>& argv, size_t option) {
    const std::string& token = argv[option];
    if (kind == LauncherKind::kSrun) return SrunArguments(token);
    if (token.find('=') != std::string::npos) return 0;
    const ArgumentCounts& counts = kind == LauncherKind::kHydra ? HydraOptions() : OpenMpiOptions();
    auto found = counts.find(OptionName(token));
    if (found == counts.end()) return 0;
    bool joined_pair = kind == LauncherKind::kHydra && found->second == 2 &&
                       option + 1 < argv.size() && argv[option + 1].find('=') != std::string::npos;
    return joined_pair ? 1 : found->second;
}

LauncherLine ParseLauncherLine(LauncherKind kind, const std::vector<std::string>& argv,
                               size_t launcher) {
    LauncherLine line;
    size_t at = launcher + 1;
    while (true) {
        RankCommand rank;
        rank.begin = at;
        rank.end = std::find(argv.begin() + at, argv.end(), ":") - argv.begin();
        while (at < rank.end && argv[at].size() > 1 && argv[at][0] == '-') {
            std::string_view name = OptionName(argv[at]);
            if (argv[at] == "--") {
                ++at;
                break;
            }
            if (TakesCommandsFromFile(kind, name)) line.file_option = argv[at];
            at += 1 + OptionArguments(kind, argv, at);
        }
        rank.program = std::min(at, rank.end);
        line.ranks.push_back(rank);
        if (rank.end == argv.size()) return line;
        at = rank.end + 1;
    }
}

bool IsLauncherName(std::string_view file_name) {
    for (std::string_view suffix : {".openmpi", ".mpich", ".hydra"}) {
        if (file_name.ends_with(suffix)) file_name.remove_suffix(suffix.size());
    }
    static constexpr std::array kNames = {std::string_view("mpirun"), std::string_view("mpiexec"),
                                          std::string_view("orterun"), std::string_view("prterun"),
                                          std::string_view("srun")};
    return std::find(kNames.begin(), kNames.end(), file_name) != kNames.end();
}

}  // namespace comshu::launch
