#include "launch/job.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace comshu::launch {
namespace {

// A job step with tasks; the numbers from 0xfffffff0 on are steps of Slurm itself (a batch script).
bool IsSlurmTask(const Environment& environment) {
    const std::string step = Value(environment, "SLURM_STEP_ID");
    return environment.contains("SLURM_JOB_ID") && environment.contains("SLURM_PROCID") &&
           !step.empty() && std::strtoull(step.c_str(), nullptr, 10) < 0xfffffff0ull;
}

int LocalRanks(const Environment& environment) {
    // "2", "2(x3)": the same on every host. "2,1" does not say which host is this.
    const std::string per_host = Value(environment, "SLURM_STEP_TASKS_PER_NODE");
    if (IsSlurmTask(environment) && !per_host.empty()) {
        return per_host.find(',') == std::string::npos ? std::atoi(per_host.c_str()) : 0;
    }
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
        std::string value = Value(environment, name);
        if (!value.empty()) return std::atoi(value.c_str());
    }
    return 0;
}

std::string ProcessToken(const std::string& host, pid_t pid) {
    return host + "." + std::to_string(pid) + "." + std::to_string(ProcessStartTime(pid));
}

}  // namespace

std::string HostName() {
    // As the engine names the host in its files.
    char name[72];
    if (gethostname(name, sizeof name) != 0 || name[0] == '\0') return "localhost";
    name[sizeof name - 1] = '\0';
    std::string host = name;
    std::replace_if(
        host.begin(), host.end(), [](char c) { return c == '/' || c == ' '; }, '_');
    return host;
}

unsigned long long ProcessStartTime(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    // The program's name may hold blanks and parentheses; the fields begin behind the last one.
    size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(text.substr(name_end + 1));
    std::string skipped;
    constexpr int kFieldsBeforeStartTime = 19;
    for (int i = 0; i < kFieldsBeforeStartTime; ++i) fields >> skipped;
    unsigned long long start_time = 0;
    fields >> start_time;
    return start_time;
}

Job FindJob(const Environment& environment) {
    Job job;
    job.host = HostName();
    job.local_ranks = LocalRanks(environment);
    if (environment.contains("PMIX_NAMESPACE")) {
        job.token = Value(environment, "PMIX_NAMESPACE");
        job.is_rank = job.across_hosts = true;
    } else if (IsSlurmTask(environment)) {
        job.token = Value(environment, "SLURM_JOB_ID") + "." + Value(environment, "SLURM_STEP_ID");
        job.is_rank = job.across_hosts = true;
    } else if (environment.contains("PMI_RANK") || environment.contains("OMPI_COMM_WORLD_RANK")) {
        job.token = ProcessToken(job.host, getppid());
        job.is_rank = true;
    } else {
        job.token = ProcessToken(job.host, getpid());
    }
    return job;
}

}  // namespace comshu::launch
