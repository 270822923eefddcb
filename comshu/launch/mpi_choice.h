#ifndef COMSHU_LAUNCH_MPI_CHOICE_H_
#define COMSHU_LAUNCH_MPI_CHOICE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "launch/environment.h"
#include "launch/launcher_syntax.h"
#include "launch/program_probe.h"
#include "launch/rewrite.h"

namespace comshu::launch {

// Takes a command apart; `probe` tells the flavour of a launcher that is only called mpirun.
CommandShape AnalyseCommand(const std::vector<std::string>& argv, const ProgramProbe& probe);

// What is known of the programs that a command starts.
struct ProgramFacts {
    std::string name;              // the first program, as written
    ProgramFile file;              // the same
    std::string mpi;               // mpich or openmpi if one of them needs it, else empty
    bool starts_launcher = false;  // it is a script that names an MPI launcher
};
ProgramFacts LookAtPrograms(const CommandShape& shape, const std::vector<std::string>& argv,
                            const ProgramProbe& probe);

// The MPI of a library by its file name (libmpi.so.40, libmpich.so.12); empty if it is of none.
std::string MpiOfLibrary(const std::string& path);

// The MPI whose launcher started this process, by what launchers leave in the environment.
std::string MpiOfEnvironment(const Environment& environment);

// The MPI whose processes a launcher starts; empty for srun, which starts those of any.
std::string MpiOfLauncher(LauncherKind kind);

// Which libqmpi to preload: what the program needs, else who started us, else the launcher.
// Empty if nothing tells.
std::string ChooseMpi(const CommandShape& shape, const ProgramFacts& facts,
                      const Environment& environment);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_MPI_CHOICE_H_
