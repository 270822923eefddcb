#ifndef COMSHU_LAUNCH_PREPARATION_H_
#define COMSHU_LAUNCH_PREPARATION_H_

#include <optional>
#include <string>
#include <vector>

#include "launch/environment.h"
#include "launch/mpi_choice.h"
#include "launch/program_probe.h"
#include "launch/rewrite.h"
#include "provider_registry.h"

namespace comshu::launch {

// What the user asked for on the command line of `comshu run`.
struct RunOptions {
    std::optional<std::string> providers;
    std::optional<std::string> output;
    std::optional<std::string> mpi;
    std::vector<Variable> settings;         // Options of the recorder and of providers.
    std::optional<std::string> qmpi_tools;  // as QMPI_TOOLS
    bool force = false;
    bool dry_run = false;
    std::vector<std::string> command;
};

// All that is decided before a folder is made or anything is started.
struct Preparation {
    CommandShape shape;
    ProgramFacts facts;
    std::vector<const ProviderInfo*> providers;
    std::string mpi;  // mpich, openmpi; empty if no chosen provider asks for it
    // Absolute paths, in order; empty if only a launcher inside a script will tell the MPI.
    std::vector<std::string> preload;
    std::vector<std::string> warnings;
    std::string ProviderNames() const;  // as for -p
    // What is started may start a launcher itself.
    bool MayStartLauncher() const;
};

// Throws UsageError or CommandError with what to do.
Preparation Prepare(const RunOptions& options, const Environment& environment,
                    const ProgramProbe& probe);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_PREPARATION_H_
