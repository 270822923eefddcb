#ifndef COMSHU_LAUNCH_LAUNCHER_SYNTAX_H_
#define COMSHU_LAUNCH_LAUNCHER_SYNTAX_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace comshu::launch {

// Whose command line a launcher understands, not which MPI it starts: srun starts both.
enum class LauncherKind { kNone, kOpenMpi, kHydra, kSrun };

// What runs on some of the ranks: the tokens between two `:` of a launcher's command line.
struct RankCommand {
    size_t begin = 0;    // first token behind the launcher's name or the `:`
    size_t program = 0;  // the program; `end` if none could be found
    size_t end = 0;      // one behind the last token
};

// A launcher's command line taken apart; indices count in the whole argv.
struct LauncherLine {
    std::vector<RankCommand> ranks;
    // The option that takes the command lines from a file (--app, -configfile); empty if unused.
    std::string file_option;
};

// Takes apart argv[launcher...]. Unknown options are taken to be without arguments: at worst the
// program is not found, and it serves only to look which MPI it needs.
LauncherLine ParseLauncherLine(LauncherKind kind, const std::vector<std::string>& argv,
                               size_t launcher);

// How many tokens behind argv[option] belong to it.
size_t OptionArguments(LauncherKind kind, const std::vector<std::string>& argv, size_t option);

// The name of an option without its dashes and without `=value`.
std::string_view OptionName(std::string_view token);

// True for the names under which launchers are installed (mpirun, mpiexec.hydra, srun ...).
bool IsLauncherName(std::string_view file_name);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_LAUNCHER_SYNTAX_H_
