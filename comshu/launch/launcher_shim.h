#ifndef COMSHU_LAUNCH_LAUNCHER_SHIM_H_
#define COMSHU_LAUNCH_LAUNCHER_SHIM_H_

#include <string>

#include "launch/environment.h"
#include "launch/rewrite.h"

namespace comshu::launch {

// Launchers that a script starts are not seen in the command line of `comshu run`. So a folder with
// links mpirun, mpiexec, srun ... to comshu is put in front of PATH: a script that calls one of
// these names calls comshu, which looks at that command line, adds the options it would have added
// itself and becomes the real launcher. What cannot be improved is started as it is. A launcher
// called by its full path is not met.

// Makes the programs that `plan` starts find the links. `providers` and `mpi` as given to -p and --mpi
// (empty: not given). Without links (an incomplete installation) the plan stays as it is.
void AddLauncherShims(LaunchPlan& plan, const std::string& providers, const std::string& mpi,
                      const std::string& preload, const Environment& environment);

// True if this process was started through one of the links.
bool IsLauncherShim(const std::string& program_name);

// Becomes the real launcher; returns only if that cannot be started, with the exit code.
int RunAsLauncher(int argc, char** argv);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_LAUNCHER_SHIM_H_
