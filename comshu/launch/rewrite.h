#ifndef COMSHU_LAUNCH_REWRITE_H_
#define COMSHU_LAUNCH_REWRITE_H_

#include <string>
#include <vector>

#include "launch/environment.h"
#include "launch/launcher_syntax.h"
#include "launch/wrappers.h"

namespace comshu::launch {

// What a command line starts: wrappers, then perhaps a launcher, then the program.
struct CommandShape {
    WrappedCommand outer;  // wrappers in front of the launcher or program
    LauncherKind launcher = LauncherKind::kNone;
    LauncherLine line;  // only with a launcher
    bool has_launcher() const { return launcher != LauncherKind::kNone; }
};

// What is to be started in place of the user's command.
struct LaunchPlan {
    std::vector<std::string> argv;
    std::vector<Variable> set;       // in the environment of argv[0]
    std::vector<std::string> unset;  // from the environment of argv[0]
};

// What the traced processes, and they alone, shall find in their environment.
struct TracedEnvironment {
    std::string preload;              // objects for LD_PRELOAD; the user's own come behind
    std::vector<Variable> variables;  // COMSHU_*
};

// Makes the plan: with a launcher, the variables travel as its options (`-x`, `-genv`,
// `--export`), so that neither it nor its ssh is preloaded; without one, in the environment.
// An LD_PRELOAD of the user (environment, launcher option, `env` wrapper) stays behind ours.
// Pure: reads no file. Throws UsageError for what cannot be done.
LaunchPlan MakeLaunchPlan(const CommandShape& shape, const std::vector<std::string>& argv,
                          const TracedEnvironment& traced, const Environment& environment);

// Joins two LD_PRELOAD values.
std::string JoinPreload(const std::string& ours, const std::string& users);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_REWRITE_H_
