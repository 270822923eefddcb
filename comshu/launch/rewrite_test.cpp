#include "launch/rewrite.h"

#include <gtest/gtest.h>

#include "error.h"
#include "launch/test_words.h"

namespace comshu::launch {
namespace {

const TracedEnvironment kTraced{"/c/q.so:/c/e.so", {{"COMSHU_DIR", "/d"}}};
// How Open MPI, Hydra and srun are told the same.
const std::string kX = "-x COMSHU_DIR=/d -x LD_PRELOAD=/c/q.so:/c/e.so";
const std::string kGenv = "-genv COMSHU_DIR /d -genv LD_PRELOAD /c/q.so:/c/e.so";
const std::string kExport = "COMSHU_DIR=/d,LD_PRELOAD=/c/q.so:/c/e.so";

LaunchPlan Plan(LauncherKind kind, const std::string& line, const Environment& environment = {},
                const TracedEnvironment& traced = kTraced) {
    std::vector<std::string> argv = Words(line);
    CommandShape shape;
    shape.outer = FollowWrappers(argv, 0, argv.size());
    shape.launcher = kind;
    if (shape.has_launcher()) shape.line = ParseLauncherLine(kind, argv, shape.outer.command);
    return MakeLaunchPlan(shape, argv, traced, environment);
}

std::string OpenMpi(const std::string& line, const Environment& environment = {}) {
    LaunchPlan plan = Plan(LauncherKind::kOpenMpi, line, environment);
    EXPECT_TRUE(plan.set.empty()) << "the launcher's own environment is touched";
    return Line(plan.argv);
}

std::string Hydra(const std::string& line, const Environment& environment = {}) {
    LaunchPlan plan = Plan(LauncherKind::kHydra, line, environment);
    EXPECT_TRUE(plan.set.empty() && plan.unset.empty());
    return Line(plan.argv);
}

std::string Srun(const std::string& line, const Environment& environment = {}) {
    LaunchPlan plan = Plan(LauncherKind::kSrun, line, environment);
    EXPECT_TRUE(plan.set.empty());
    // With ALL it would hand on its own instead of ours.
    EXPECT_EQ(plan.unset.size(), environment.count("LD_PRELOAD"));
    return Line(plan.argv);
}

TEST(Rewrite, OpenMpiGetsVariablesInEveryContext) {
    EXPECT_EQ(OpenMpi("mpirun -n 2 ./app x"), "mpirun " + kX + " -n 2 ./app x");
    EXPECT_EQ(OpenMpi("mpirun -n 1 ./a : -n 2 ./b : -n 1 ./c y"),
              "mpirun " + kX + " -n 1 ./a : " + kX + " -n 2 ./b : " + kX + " -n 1 ./c y");
    EXPECT_EQ(OpenMpi("timeout 9 mpirun -n 2 ./app"), "timeout 9 mpirun " + kX + " -n 2 ./app");
}

TEST(Rewrite, OpenMpiKeepsAPreloadOfTheUser) {
    EXPECT_EQ(OpenMpi("mpirun ./app", {{"LD_PRELOAD", "/u.so"}}), "mpirun " + kX + ":/u.so ./app");
    EXPECT_EQ(OpenMpi("mpirun -x LD_PRELOAD=/v.so -n 2 ./app", {{"LD_PRELOAD", "/u.so"}}),
              "mpirun " + kX + ":/v.so -n 2 ./app");
    EXPECT_EQ(OpenMpi("mpirun -n 2 -x LD_PRELOAD ./app", {{"LD_PRELOAD", "/u.so"}}),
              "mpirun " + kX + ":/u.so -n 2 ./app");
    EXPECT_EQ(OpenMpi("mpirun -x LD_PRELOAD=/v.so ./a : ./b"),
              "mpirun " + kX + ":/v.so ./a : " + kX + " ./b");
    EXPECT_EQ(OpenMpi("env LD_PRELOAD=/w.so mpirun ./app", {{"LD_PRELOAD", "/u.so"}}),
              "env LD_PRELOAD=/w.so mpirun " + kX + ":/w.so ./app");
    EXPECT_EQ(OpenMpi("env -u LD_PRELOAD mpirun ./app", {{"LD_PRELOAD", "/u.so"}}),
              "env -u LD_PRELOAD mpirun " + kX + " ./app");
    // An option of the program is none of the launcher.
    EXPECT_EQ(OpenMpi("mpirun ./app -x LD_PRELOAD=/v.so"),
              "mpirun " + kX + " ./app -x LD_PRELOAD=/v.so");
}

TEST(Rewrite, OpenMpiOtherVariablesOfTheUserStay) {
    EXPECT_EQ(OpenMpi("mpirun -x A=1 -x B ./app"), "mpirun " + kX + " -x A=1 -x B ./app");
}

TEST(Rewrite, OpenMpiListOfVariablesBecomesOptions) {
    EXPECT_EQ(OpenMpi("mpirun --mca mca_base_env_list A=1;LD_PRELOAD=/v.so;B -n 1 ./a : ./b"),
              "mpirun " + kX + ":/v.so -x A=1 -x B -n 1 ./a : " + kX + ":/v.so -x A=1 -x B ./b");
    LaunchPlan plan =
        Plan(LauncherKind::kOpenMpi, "mpirun ./app", {{"OMPI_MCA_mca_base_env_list", "A=1"}});
    EXPECT_EQ(Line(plan.argv), "mpirun " + kX + " -x A=1 ./app");
    EXPECT_EQ(plan.unset, std::vector<std::string>{"OMPI_MCA_mca_base_env_list"});
}

TEST(Rewrite, HydraGetsVariablesOnceInFront) {
    EXPECT_EQ(Hydra("mpiexec -n 2 ./app"), "mpiexec " + kGenv + " -n 2 ./app");
    EXPECT_EQ(Hydra("mpiexec -n 1 ./a : -n 1 ./b"), "mpiexec " + kGenv + " -n 1 ./a : -n 1 ./b");
}

TEST(Rewrite, HydraKeepsAPreloadOfTheUser) {
    EXPECT_EQ(Hydra("mpiexec -n 2 ./app", {{"LD_PRELOAD", "/u.so"}}),
              "mpiexec " + kGenv + ":/u.so -n 2 ./app");
    EXPECT_EQ(Hydra("mpiexec -genv LD_PRELOAD /v.so -n 2 ./app", {{"LD_PRELOAD", "/u.so"}}),
              "mpiexec " + kGenv + ":/v.so -n 2 ./app");
    EXPECT_EQ(Hydra("mpiexec -genv LD_PRELOAD=/v.so -n 2 ./app"),
              "mpiexec " + kGenv + ":/v.so -n 2 ./app");
    EXPECT_EQ(Hydra("mpiexec -n 1 -env LD_PRELOAD /v.so ./a : -n 1 ./b"),
              "mpiexec " + kGenv + " -n 1 -env LD_PRELOAD /c/q.so:/c/e.so:/v.so ./a : -n 1 ./b");
}

TEST(Rewrite, SrunMergesItsExport) {
    EXPECT_EQ(Srun("srun -n 2 ./app"), "srun --export=ALL," + kExport + " -n 2 ./app");
    EXPECT_EQ(Srun("srun --export=A=1 -n 2 ./app"), "srun --export=A=1," + kExport + " -n 2 ./app");
    EXPECT_EQ(Srun("srun --export ALL,A=1 ./app"), "srun --export=ALL,A=1," + kExport + " ./app");
    EXPECT_EQ(Srun("srun --export=NONE ./app", {{"LD_PRELOAD", "/u.so"}}),
              "srun --export=" + kExport + " ./app");
    EXPECT_EQ(Srun("srun ./app", {{"LD_PRELOAD", "/u.so"}}),
              "srun --export=ALL," + kExport + ":/u.so ./app");
    EXPECT_EQ(Srun("srun --export=ALL,LD_PRELOAD=/v.so ./app", {{"LD_PRELOAD", "/u.so"}}),
              "srun --export=ALL," + kExport + ":/v.so ./app");
    EXPECT_EQ(Srun("srun ./app", {{"SLURM_EXPORT_ENV", "A"}}),
              "srun --export=A," + kExport + " ./app");
    EXPECT_EQ(Srun("env A=1 LD_PRELOAD=/w.so B=2 srun ./app", {{"LD_PRELOAD", "/u.so"}}),
              "env A=1 B=2 srun --export=ALL," + kExport + ":/w.so ./app");
    EXPECT_EQ(Srun("srun ./a : ./b"),
              "srun --export=ALL," + kExport + " ./a : --export=ALL," + kExport + " ./b");
}

TEST(Rewrite, SrunRefusesAComma) {
    EXPECT_THROW(Plan(LauncherKind::kSrun, "srun ./app", {}, {"/c/e.so", {{"COMSHU_DIR", "/a,b"}}}),
                 UsageError);
}

TEST(Rewrite, CommandsFromAFileAreRefusedWithAdvice) {
    try {
        Plan(LauncherKind::kOpenMpi, "mpirun --app file");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("comshu run -o DIR --"), std::string::npos);
    }
    EXPECT_THROW(Plan(LauncherKind::kHydra, "mpiexec -configfile file"), UsageError);
}

TEST(Rewrite, WithoutLauncherTheEnvironmentIsSet) {
    LaunchPlan plan = Plan(LauncherKind::kNone, "./app x : y", {{"LD_PRELOAD", "/u.so"}});
    EXPECT_EQ(Line(plan.argv), "./app x : y");
    EXPECT_EQ(plan.set, (std::vector<Variable>{{"COMSHU_DIR", "/d"},
                                               {"LD_PRELOAD", "/c/q.so:/c/e.so:/u.so"}}));
}

TEST(Rewrite, EnvBeforeTheProgramCannotTakeAwayWhatIsOurs) {
    auto none = [](const std::string& line) { return Line(Plan(LauncherKind::kNone, line).argv); };
    const std::string ours = "LD_PRELOAD=/c/q.so:/c/e.so";
    EXPECT_EQ(none("env LD_PRELOAD=/u.so ./app"), "env " + ours + ":/u.so ./app");
    EXPECT_EQ(none("env -i A=1 ./app"), "env -i COMSHU_DIR=/d " + ours + " A=1 ./app");
    EXPECT_EQ(none("env -i LD_PRELOAD=/u.so ./app"),
              "env -i COMSHU_DIR=/d " + ours + ":/u.so ./app");
    EXPECT_EQ(none("env -u LD_PRELOAD ./app"), "env -u LD_PRELOAD " + ours + " ./app");
    EXPECT_EQ(none("timeout 5 env LD_PRELOAD=/u.so nice ./app"),
              "timeout 5 env " + ours + ":/u.so nice ./app");
    EXPECT_EQ(OpenMpi("mpirun -n 2 env LD_PRELOAD=/u.so ./app"),
              "mpirun " + kX + " -n 2 env " + ours + ":/u.so ./app");
    EXPECT_EQ(Hydra("mpiexec -n 1 env -i ./a : ./b"),
              "mpiexec " + kGenv + " -n 1 env -i COMSHU_DIR=/d " + ours + " ./a : ./b");
}

}  // namespace
}  // namespace comshu::launch
