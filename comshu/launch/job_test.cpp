#include "launch/job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace comshu::launch {
namespace {

TEST(Job, IsNamedByTheLauncher) {
    Job job = FindJob({{"PMIX_NAMESPACE", "ns7"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
    EXPECT_EQ(job.token, "ns7");
    EXPECT_TRUE(job.is_rank);
    EXPECT_TRUE(job.across_hosts);
    EXPECT_EQ(job.local_ranks, 3);

    const Environment slurm = {
        {"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "4"}, {"SLURM_PROCID", "0"}};
    EXPECT_EQ(FindJob(slurm).token, "12.4");
    EXPECT_TRUE(FindJob(slurm).across_hosts);
    EXPECT_EQ(FindJob(slurm).local_ranks, 0);
    for (auto [tasks, here] : {std::pair{"2", 2}, {"3(x4)", 3}, {"2,1", 0}}) {
        Environment known = slurm;
        known["SLURM_STEP_TASKS_PER_NODE"] = tasks;
        EXPECT_EQ(FindJob(known).local_ranks, here) << tasks;
    }
    Environment both = slurm;
    both["PMIX_NAMESPACE"] = "ns8";
    EXPECT_EQ(FindJob(both).token, "ns8");
}

TEST(Job, BatchScriptOfSlurmIsNoRank) {
    Job job =
        FindJob({{"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "4294967291"}, {"SLURM_PROCID", "0"}});
    EXPECT_FALSE(job.is_rank);
}

TEST(Job, WithoutANameGoesByTheParent) {
    Job job = FindJob({{"PMI_RANK", "1"}, {"MPI_LOCALNRANKS", "2"}});
    EXPECT_EQ(job.token, job.host + "." + std::to_string(getppid()) + "." +
                             std::to_string(ProcessStartTime(getppid())));
    EXPECT_TRUE(job.is_rank);
    EXPECT_FALSE(job.across_hosts);
    EXPECT_EQ(job.local_ranks, 2);
}

TEST(Job, WithoutALauncherIsOfItsOwn) {
    Job job = FindJob({});
    EXPECT_FALSE(job.is_rank);
    EXPECT_EQ(job.token, job.host + "." + std::to_string(getpid()) + "." +
                             std::to_string(ProcessStartTime(getpid())));
    EXPECT_GT(ProcessStartTime(getpid()), 0u);
    EXPECT_EQ(ProcessStartTime(1 << 30), 0u);
}

}  // namespace
}  // namespace comshu::launch
