#include "launch/wrappers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "launch/program_probe.h"

namespace comshu::launch {
namespace {

// Command line of a wrapper: its options that take an argument in the next token, and how many
// words of its own stand before the command.
struct WrapperSyntax {
    std::string_view short_with_argument;
    std::set<std::string_view> long_with_argument;
    size_t words = 0;
};

const std::map<std::string_view, WrapperSyntax>& Wrappers() {
    static const std::map<std::string_view, WrapperSyntax> wrappers = {
        {"env", {"uCS", {"unset", "chdir"}, 0}},
        {"timeout", {"ks", {"kill-after", "signal"}, 1}},
        {"nice", {"n", {"adjustment"}, 0}},
        {"nohup", {"", {}, 0}},
        {"setsid", {"", {}, 0}},
        {"stdbuf", {"ioe", {"input", "output", "error"}, 0}},
        {"ionice", {"cnpPu", {"class", "classdata"}, 0}},
        {"chrt", {"TPD", {"sched-runtime", "sched-period", "sched-deadline"}, 1}},
        {"taskset", {"", {}, 1}},
        {"time", {"fo", {"format", "output"}, 0}},
        {"numactl",
         {"ipPwNCmSfLoM",
          {"interleave", "preferred", "preferred-many", "weighted-interleave", "cpunodebind",
           "physcpubind", "membind", "shm", "file", "length", "offset", "shmmode"},
          0}},
        {"hwloc-bind", {"", {"cpubind", "membind", "mempolicy"}, 1}},
        {"catchsegv", {"", {}, 0}},
    };
    return wrappers;
}

bool IsAssignment(std::string_view word) {
    size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0 || std::isdigit(word[0])) return false;
    return std::all_of(word.begin(), word.begin() + equals,
                       [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// Tokens that the option at argv[at] takes, itself included.
size_t OptionTokens(const WrapperSyntax& syntax, std::string_view token) {
    if (token.starts_with("--")) {
        if (token.find('=') != std::string_view::npos) return 1;
        return syntax.long_with_argument.contains(token.substr(2)) ? 2 : 1;
    }
    for (size_t i = 1; i < token.size(); ++i) {
        if (syntax.short_with_argument.find(token[i]) != std::string_view::npos) {
            return i + 1 == token.size() ? 2 : 1;
        }
    }
    return 1;
}

// Where the options of the wrapper at argv[at] end.
size_t SkipOptions(const WrapperSyntax& syntax, const std::vector<std::string>& argv, size_t at,
                   size_t end) {
    while (at < end && argv[at].size() > 1 && argv[at][0] == '-') {
        if (argv[at] == "--") return at + 1;
        at += OptionTokens(syntax, argv[at]);
    }
    return std::min(at, end);
}

// What the options of an env do to LD_PRELOAD.
void ReadEnvOptions(const std::vector<std::string>& argv, EnvWrapper& env) {
    const WrapperSyntax& syntax = Wrappers().at("env");
    for (size_t i = env.at + 1; i < env.first_assignment;) {
        const std::string& token = argv[i];
        size_t tokens = OptionTokens(syntax, token);
        bool short_options = !token.starts_with("--");
        size_t with_argument = token.find_first_of(syntax.short_with_argument);
        if (token == "--ignore-environment" ||
            (short_options && token.substr(0, with_argument).find('i') != std::string::npos)) {
            env.clears = true;
        }
        std::string removed = tokens == 2 ? argv[i + 1] : token.substr(token.find('=') + 1);
        if (short_options && tokens == 1 && with_argument != std::string::npos) {
            removed = token.substr(with_argument + 1);
        }
        bool unsets = short_options
                          ? with_argument != std::string::npos && token[with_argument] == 'u'
                          : token.starts_with("--unset");
        if (unsets && removed == "LD_PRELOAD") env.removes_preload = true;
        i += tokens;
    }
}

}  // namespace

std::optional<size_t> CommandInside(const std::vector<std::string>& argv, size_t at, size_t end) {
    auto found = Wrappers().find(FileName(argv[at]));
    if (found == Wrappers().end()) return std::nullopt;
    size_t next = SkipOptions(found->second, argv, at + 1, end);
    if (found->first == "env") {
        if (next < end && argv[next] == "-") ++next;
        while (next < end && IsAssignment(argv[next])) ++next;
    }
    next += found->second.words;
    if (next >= end) return std::nullopt;
    return next;
}

WrappedCommand FollowWrappers(const std::vector<std::string>& argv, size_t at, size_t end) {
    WrappedCommand result;
    while (at < end) {
        std::optional<size_t> inside = CommandInside(argv, at, end);
        if (!inside) break;
        if (FileName(argv[at]) == "env") {
            EnvWrapper env;
            env.at = at;
            env.first_assignment = SkipOptions(Wrappers().at("env"), argv, at + 1, *inside);
            ReadEnvOptions(argv, env);
            if (argv[env.first_assignment] == "-") {
                env.clears = true;
                ++env.first_assignment;
            }
            for (size_t i = env.first_assignment; i < *inside; ++i) {
                if (argv[i].starts_with("LD_PRELOAD=")) env.preload = i;
            }
            result.envs.push_back(env);
        }
        at = *inside;
    }
    result.command = at;
    return result;
}

}  // namespace comshu::launch
