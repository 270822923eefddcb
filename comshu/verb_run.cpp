#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.h"
#include "launch/capture_folder.h"
#include "launch/child.h"
#include "launch/failure_note.h"
#include "launch/finish.h"
#include "launch/guardian.h"
#include "launch/job.h"
#include "launch/launcher_shim.h"
#include "launch/members.h"
#include "launch/preparation.h"
#include "launch/rewrite.h"
#include "run_option.h"
#include "shell_words.h"
#include "verbs.h"

namespace comshu {
namespace {

using launch::Environment;
using launch::LaunchPlan;
using launch::Preparation;
using launch::RunOptions;

constexpr const char* kPass = "run";
// Settings of the engine that have no option; launchers do not hand them on by themselves.
constexpr const char* kEngineSettings[] = {"COMSHU_DRAIN_CPUS", "COMSHU_LIVE_DIR", "COMSHU_CLOCK",
                                           "COMSHU_TEST_HOSTS", "COMSHU_TEST_CLOCKS_MS"};
// The same for the layer that runs the MPI tools.
constexpr const char* kToolSettings[] = {"QMPI_TOOLS",
                                         "QMPI_TOOL_PATH",
                                         "QMPI_DISABLE",
                                         "QMPI_STRICT",
                                         "QMPI_VERBOSE",
                                         "QMPI_SHUFFLE_IDS",
                                         "MPIR_CVAR_QMPI_TOOL_LIST",
                                         "MPICH_QMPI_TOOL_LIST"};
// Variables that say how a run behaved. Others may be secrets.
constexpr const char* kDescribing[] = {"OMP_",  "OMPI_", "MPICH_", "MPIR_",   "UCX_",
                                       "PMIX_", "PMI_",  "SLURM_", "COMSHU_", "QMPI_"};

nlohmann::json Describe(const RunOptions& options, const Preparation& prepared,
                        const Environment& environment) {
    nlohmann::json providers = nlohmann::json::array();
    for (const ProviderInfo* provider : prepared.providers) providers.push_back(provider->name);
    nlohmann::json variables = nlohmann::json::object();
    for (const auto& [name, value] : environment) {
        for (const char* prefix : kDescribing) {
            if (name.starts_with(prefix)) variables[name] = value;
        }
    }
    char folder[4096];
    return {{"comshu", COMSHU_VERSION},
            {"command", options.command},
            {"working_directory", getcwd(folder, sizeof folder) ? folder : ""},
            {"mpi", prepared.mpi},
            {"passes", {{{"name", kPass}, {"providers", providers}}}},
            {"environment", variables}};
}

launch::TracedEnvironment TracedVariables(const Preparation& prepared, const std::string& folder,
                                          const launch::Job& job, const Environment& environment) {
    launch::TracedEnvironment traced;
    for (const std::string& object : prepared.preload) {
        traced.preload = launch::JoinPreload(traced.preload, object);
    }
    traced.variables = {{"COMSHU_DIR", folder}, {"COMSHU_PASS", kPass}, {"COMSHU_JOB", job.token}};
    const auto hand_on = [&](const std::string& name) {
        if (environment.contains(name)) {
            traced.variables.push_back({name, launch::Value(environment, name)});
        }
    };
    // Nobody of the job is without comshu: a launcher that is part of what runs starts all ranks with it.
    if (!job.is_rank) traced.variables.push_back({"COMSHU_WHOLE_JOB", "1"});
    for (const char* name : kEngineSettings) hand_on(name);
    for (const RunOption& option : RunOptionList()) hand_on(option.variable);
    for (const char* name : kToolSettings) hand_on(name);
    return traced;
}

void PrintPlan(const LaunchPlan& plan, const std::string& folder) {
    std::printf("# folder: %s\n", folder.c_str());
    for (const std::string& name : plan.unset) std::printf("unset %s\n", name.c_str());
    for (const launch::Variable& variable : plan.set) {
        std::printf("export %s=%s\n", variable.name.c_str(), ShellWord(variable.value).c_str());
    }
    std::printf("%s\n", ShellLine(plan.argv).c_str());
}

void Warn(const Preparation& prepared) {
    for (const std::string& warning : prepared.warnings) {
        std::fprintf(stderr, "comshu run: %s\n", warning.c_str());
    }
}

// A `comshu run` around this one traces the program already.
bool IsTracedAlready(const Environment& environment) {
    return environment.contains("COMSHU_DIR") &&
           launch::Value(environment, "LD_PRELOAD").find(kEngineObject) != std::string::npos;
}

launch::ChildEnd RunChild(const LaunchPlan& plan) {
    launch::ChildEnd end = launch::Child().Run(plan);
    if (!end.started) {
        std::fprintf(stderr, "comshu run: cannot start '%s': %s\n", plan.argv.front().c_str(),
                     std::strerror(end.error));
    }
    return end;
}

// The engine takes what is wrong for not set: the user is told before the program starts.
void CheckSettings(const Environment& environment) {
    for (const RunOption& option : RunOptionList()) {
        const auto found = environment.find(option.variable);
        if (found == environment.end() || option.IsValid(found->second)) continue;
        throw UsageError(option.flag + " (" + option.variable + ") cannot be '" + found->second +
                         "': " + option.ValuesText());
    }
    const std::string cpus = launch::Value(environment, "COMSHU_DRAIN_CPUS");
    if (!cpus.empty() && !core::ForEachRange(cpus, [](uint64_t, uint64_t) {})) {
        throw UsageError("COMSHU_DRAIN_CPUS cannot be '" + cpus +
                         "': numbers of CPUs and ranges, as 0,4-7");
    }
    const std::string rings = launch::Value(environment, "COMSHU_LIVE_DIR");
    if (!rings.empty() && access(rings.c_str(), W_OK | X_OK) != 0) {
        throw UsageError("COMSHU_LIVE_DIR, the folder for the rings, cannot be '" + rings +
                         "': " + std::strerror(errno));
    }
}

int Run(const RunOptions& options) {
    if (options.command.empty()) {
        throw UsageError(
            "no command; put it behind --, as in: comshu run -p mpi -- mpirun -n 2 "
            "./app");
    }
    if (options.qmpi_tools) setenv("QMPI_TOOLS", options.qmpi_tools->c_str(), 1);
    Environment environment = launch::CurrentEnvironment();
    for (const launch::Variable& setting : options.settings)
        environment[setting.name] = setting.value;
    CheckSettings(environment);
    if (IsTracedAlready(environment)) {
        launch::EndLike(RunChild({options.command, {}, {}}));
    }
    Preparation prepared = launch::Prepare(options, environment, launch::FileProbe());
    if (options.qmpi_tools && std::find(prepared.providers.begin(), prepared.providers.end(),
                                        FindProvider("mpi")) == prepared.providers.end()) {
        throw UsageError(
            "--qmpi-tools needs the provider mpi, which brings the layer that runs "
            "them; add it to -p");
    }
    launch::Job job = launch::FindJob(environment);
    // A launcher in the command starts a job of its own.
    if (prepared.shape.has_launcher()) job = launch::FindJob({});
    launch::FolderRequest request{options.output, options.force, kPass, job,
                                  Describe(options, prepared, environment)};

    auto plan_for = [&](const std::string& folder) {
        launch::TracedEnvironment traced = TracedVariables(prepared, folder, job, environment);
        LaunchPlan plan = MakeLaunchPlan(prepared.shape, options.command, traced, environment);
        if (prepared.MayStartLauncher() && !job.is_rank) {
            launch::AddLauncherShims(plan, prepared.ProviderNames(), options.mpi.value_or(""),
                                     traced.preload, environment);
        }
        return plan;
    };
    if (options.dry_run) {
        launch::CaptureFolder folder = launch::PreviewCaptureFolder(request);
        Warn(prepared);
        PrintPlan(plan_for(folder.path), folder.path);
        return 0;
    }

    // Made once before anything is touched: it may refuse.
    plan_for("/");
    launch::CaptureFolder folder = launch::OpenCaptureFolder(request);
    LaunchPlan plan = plan_for(folder.path);
    if (folder.created) {
        if (!folder.moved_to.empty()) {
            std::fprintf(stderr, "comshu run: moved the capture that was there to %s\n",
                         folder.moved_to.c_str());
        }
        Warn(prepared);
    }

    launch::ChildEnd end;
    {
        // Before the locks of the members are taken, which a witness must not inherit.
        launch::Child child;
        std::optional<launch::Guardian> guardian;
        if (job.is_rank) guardian.emplace(folder.path, kPass, job);
        launch::Members members(folder.path, kPass, job);
        end = child.Run(plan);
        if (!end.started) {
            std::fprintf(stderr, "comshu run: cannot start '%s': %s\n", plan.argv.front().c_str(),
                         std::strerror(end.error));
        }
        if (!prepared.shape.has_launcher()) launch::NoteFailure(folder.path, kPass, job, end);
        if (members.LeaveAsLast()) {
            launch::FinishCapture(folder.path, kPass, job, &end, [&] {
                if (guardian) guardian->Dismiss();
            });
        }
    }
    launch::EndLike(end);
}

}  // namespace

VerbAction DeclareRun(CLI::App& verb) {
    auto options = std::make_shared<RunOptions>();
    verb.add_option_function<std::vector<std::string>>(
            "-p,--providers",
            [options](const std::vector<std::string>& given) {
                options->providers = "";
                for (const std::string& names : given)
                    *options->providers += (options->providers->empty() ? "" : ",") + names;
            },
            "what to trace ('comshu list')")
        ->type_name("NAME[,NAME]")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    verb.add_option("-o,--output", options->output,
                    "folder of the capture (comshu-out, comshu-out.2 ...)")
        ->type_name("DIR");
    verb.add_flag("--force", options->force, "move the capture of another run in DIR to DIR.old");
    verb.add_flag("--dry-run", options->dry_run, "print what would be started, start nothing");
    verb.add_option("--mpi", options->mpi, "the MPI of the program, if it cannot be seen")
        ->check(CLI::IsMember({"mpich", "openmpi"}));
    auto values = std::make_shared<std::vector<std::optional<std::string>>>(RunOptionList().size());
    for (size_t i = 0; i < values->size(); ++i) {
        const RunOption& option = RunOptionList()[i];
        verb.add_option(option.flag, (*values)[i], option.HelpText())->type_name(option.values);
    }
    verb.add_option("--qmpi-tools", options->qmpi_tools,
                    "MPI tools that run as well, the outermost first (QMPI_TOOLS)")
        ->type_name("LIST");
    return [options, values](const std::vector<std::string>& command) {
        options->command = command;
        for (size_t i = 0; i < values->size(); ++i) {
            if ((*values)[i])
                options->settings.push_back({RunOptionList()[i].variable, *(*values)[i]});
        }
        return Run(*options);
    };
}

}  // namespace comshu
