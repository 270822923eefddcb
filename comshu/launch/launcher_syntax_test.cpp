#include "launch/launcher_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/test_words.h"

namespace comshu::launch {
namespace {

// The program of each context, as written.
std::vector<std::string> Programs(LauncherKind kind, const std::string& line) {
    std::vector<std::string> argv = Words(line);
    std::vector<std::string> programs;
    for (const RankCommand& rank : ParseLauncherLine(kind, argv, 0).ranks) {
        programs.push_back(rank.program < rank.end ? argv[rank.program] : "");
    }
    return programs;
}

using testing::ElementsAre;

TEST(LauncherSyntax, FindsProgramsOfOpenMpi) {
    auto programs = [](const std::string& line) { return Programs(LauncherKind::kOpenMpi, line); };
    EXPECT_THAT(programs("mpirun -n 2 ./app -n 7"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpirun --oversubscribe --mca btl self,vader -x A=1 -np 4 ./app"),
                ElementsAre("./app"));
    EXPECT_THAT(programs("mpirun -np 1 ./a x : -np 2 --host h ./b : -n 1 ./c"),
                ElementsAre("./a", "./b", "./c"));
    EXPECT_THAT(programs("mpirun --map-by core --bind-to none -N 2 ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpirun ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpirun -n 2"), ElementsAre(""));
}

TEST(LauncherSyntax, FindsProgramsOfHydra) {
    auto programs = [](const std::string& line) { return Programs(LauncherKind::kHydra, line); };
    EXPECT_THAT(programs("mpiexec -n 2 -genv A 1 ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpiexec -genv A=1 -n 2 ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpiexec -hosts=a,b -ppn 1 -l ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("mpiexec -n 1 -env A 1 ./a : -n 1 -env A 2 ./b"),
                ElementsAre("./a", "./b"));
}

TEST(LauncherSyntax, FindsProgramsOfSrun) {
    auto programs = [](const std::string& line) { return Programs(LauncherKind::kSrun, line); };
    EXPECT_THAT(programs("srun -n2 --mpi=pmix ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("srun -n 2 --mpi pmix -lu ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("srun --ntasks 2 --exclusive --kill-on-bad-exit=1 ./app"),
                ElementsAre("./app"));
    EXPECT_THAT(programs("srun -ln 2 ./app"), ElementsAre("./app"));
    EXPECT_THAT(programs("srun -n1 ./a : -n1 ./b"), ElementsAre("./a", "./b"));
}

TEST(LauncherSyntax, SeesThatCommandsComeFromAFile) {
    EXPECT_EQ(ParseLauncherLine(LauncherKind::kOpenMpi, Words("mpirun --app f"), 0).file_option,
              "--app");
    EXPECT_EQ(
        ParseLauncherLine(LauncherKind::kHydra, Words("mpiexec -configfile f"), 0).file_option,
        "-configfile");
    // Of the program, not of the launcher.
    EXPECT_EQ(ParseLauncherLine(LauncherKind::kOpenMpi, Words("mpirun ./a --app f"), 0).file_option,
              "");
}

TEST(LauncherSyntax, KnowsLaunchersByName) {
    for (const char* name : {"mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi",
                             "mpiexec.mpich", "orterun", "prterun", "srun"}) {
        EXPECT_TRUE(IsLauncherName(name)) << name;
    }
    for (const char* name : {"mpicc", "run", "mpirunner", "", "sbatch", "app.mpich", "x.openmpi"}) {
        EXPECT_FALSE(IsLauncherName(name)) << name;
    }
}

}  // namespace
}  // namespace comshu::launch
