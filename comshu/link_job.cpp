#include "link_job.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "comshu/link/link_in_parts.h"
#include "comshu/read/pending_file.h"
#include "error.h"
#include "launch/environment.h"
#include "launch/mpi_choice.h"
#include "provider_registry.h"

namespace comshu {
namespace {

std::string WorkerOf(const std::string& mpi) {
    return OwnObjectFolder() + "/comshu-link-worker-" + mpi + ".so";
}

// What each launcher calls the rank.
std::string RankOf(const launch::Environment& environment) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
        if (environment.contains(name)) return launch::Value(environment, name);
    }
    return "";
}

// srun starts the ranks of any MPI: then the one that there is a worker for, or the one that speaks the
// protocol by itself.
std::string MpiOf(const launch::Environment& environment) {
    const std::string mpi = launch::MpiOfEnvironment(environment);
    if (!mpi.empty() && !environment.contains("SLURM_STEP_ID")) return mpi;
    const bool is_pmix = environment.contains("PMIX_RANK");
    const std::string likely = is_pmix ? "openmpi" : "mpich";
    const std::string other = is_pmix ? "mpich" : "openmpi";
    return access(WorkerOf(likely).c_str(), R_OK) == 0 ? likely : other;
}

}  // namespace

LinkRole LinkAsRank(const std::vector<std::string>& folders, uint64_t part_rows,
                    read::ClockChoice clock) {
    const launch::Environment environment = launch::CurrentEnvironment();
    const std::string rank = RankOf(environment);
    if (rank.empty()) return LinkRole::kAlone;
    const LinkRole role = rank == "0" ? LinkRole::kFirst : LinkRole::kOther;
    const std::string mpi = MpiOf(environment);
    std::string error;
    if (access(WorkerOf(mpi).c_str(), R_OK) != 0) {
        error = WorkerOf(mpi) + " is not there: comshu was built without this MPI";
    } else {
        const auto exchange = link::JoinMpiJob(mpi, OwnObjectFolder(), &error);
        if (exchange != nullptr) {
            const bool is_first = exchange->rank() == 0;
            if (is_first) read::SayWhenInterrupted(kLinkInterrupted);
            const std::string failed = link::LinkInParts(exchange.get(), folders, part_rows, clock);
            if (failed.empty()) return is_first ? LinkRole::kFirst : LinkRole::kOther;
            if (is_first) throw CommandError(failed);
            return LinkRole::kOther;
        }
    }
    if (role == LinkRole::kFirst) {
        std::fprintf(stderr, "comshu link: note: one process links alone: %s\n", error.c_str());
    }
    return role;
}

}  // namespace comshu
