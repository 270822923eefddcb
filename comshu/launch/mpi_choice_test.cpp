#include "launch/mpi_choice.h"

#include <gtest/gtest.h>

#include <map>

#include "launch/test_words.h"

namespace comshu::launch {
namespace {

using Kind = ProgramFile::Kind;

// Programs made up by a test.
class MadeUpPrograms : public ProgramProbe {
public:
    void Elf(const std::string& name, std::vector<std::string> libraries,
             const std::string& path = "") {
        ProgramFile file;
        file.kind = Kind::kElf;
        file.path = path.empty() ? name : path;
        file.dynamic = true;
        file.libraries = std::move(libraries);
        files_[name] = file;
    }
    void Script(const std::string& name, const std::string& interpreter, const std::string& text) {
        ProgramFile file;
        file.kind = Kind::kScript;
        file.path = name;
        file.interpreter = Words(interpreter);
        file.text = text;
        files_[name] = file;
    }
    void SetVersion(const std::string& name, const std::string& text) { versions_[name] = text; }
    ProgramFile Look(const std::string& name) const override {
        auto found = files_.find(name);
        return found == files_.end() ? ProgramFile() : found->second;
    }
    std::string Version(const std::string& name) const override {
        auto found = versions_.find(name);
        return found == versions_.end() ? "" : found->second;
    }

private:
    std::map<std::string, ProgramFile> files_;
    std::map<std::string, std::string> versions_;
};

class MpiChoice : public testing::Test {
protected:
    MpiChoice() {
        programs.Elf("./mpich", {"/l/libmpich.so.12", "/l/libc.so.6"});
        programs.Elf("./openmpi", {"/l/libfoo.so", "/l/libmpi.so.40"});
        programs.Elf("./plain", {"/l/libc.so.6"});
        programs.Elf("bash", {"/l/libc.so.6"}, "/usr/bin/bash");
        programs.Elf("/bin/sh", {"/l/libc.so.6"}, "/usr/bin/dash");
        programs.Elf("python3", {"/l/libc.so.6"}, "/usr/bin/python3");
    }
    CommandShape Shape(const std::string& line) { return AnalyseCommand(Words(line), programs); }
    std::string Needed(const std::vector<std::string>& argv) {
        return LookAtPrograms(AnalyseCommand(argv, programs), argv, programs).mpi;
    }
    std::string Needed(const std::string& line) { return Needed(Words(line)); }

    MadeUpPrograms programs;
};

TEST_F(MpiChoice, LauncherIsKnownByTheFileBehindItsName) {
    programs.Elf("mpirun", {}, "/usr/bin/orterun");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kOpenMpi);
    programs.Elf("mpirun", {}, "/usr/bin/mpiexec.hydra");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kHydra);
    programs.Elf("/opt/bin/start", {}, "/opt/mpi/bin/orterun");
    EXPECT_EQ(Shape("/opt/bin/start ./a").launcher, LauncherKind::kOpenMpi);
    EXPECT_EQ(Shape("mpiexec.mpich ./a").launcher, LauncherKind::kHydra);
    EXPECT_EQ(Shape("/x/mpirun.openmpi ./a").launcher, LauncherKind::kOpenMpi);
    EXPECT_EQ(Shape("srun ./a").launcher, LauncherKind::kSrun);
    EXPECT_EQ(Shape("timeout 5 mpiexec.hydra ./a").launcher, LauncherKind::kHydra);
    EXPECT_EQ(Shape("./plain").launcher, LauncherKind::kNone);
}

TEST_F(MpiChoice, LauncherWithoutATellingNameIsAsked) {
    programs.Elf("mpirun", {"/l/libopen-rte.so.40"}, "/opt/bin/mpirun");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kOpenMpi);
    programs.Elf("mpirun", {}, "/opt/bin/mpirun");
    programs.SetVersion("mpirun", "HYDRA build details:");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kHydra);
    programs.SetVersion("mpirun", "mpirun (Open MPI) 5.0.1");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kOpenMpi);
    programs.Script("mpirun", "/bin/sh", "exec mpiexec.hydra \"$@\"");
    EXPECT_EQ(Shape("mpirun ./a").launcher, LauncherKind::kHydra);
}

TEST_F(MpiChoice, ProgramsSayWhichMpiTheyNeed) {
    EXPECT_EQ(Needed("./mpich"), "mpich");
    EXPECT_EQ(Needed("./openmpi"), "openmpi");
    EXPECT_EQ(Needed("./plain"), "");
    EXPECT_EQ(Needed("env A=1 timeout 3 ./mpich"), "mpich");
    EXPECT_EQ(Needed("mpiexec.hydra -n 2 ./mpich"), "mpich");
    EXPECT_EQ(Needed("mpiexec.openmpi -n 1 ./plain : -n 1 env ./openmpi"), "openmpi");
    EXPECT_EQ(Needed("./missing"), "");
}

TEST_F(MpiChoice, ScriptsAndShellsAreFollowed) {
    programs.Script("./job.sh", "/bin/sh",
                    "#!/bin/sh\n# ./mpich is not used\ncd /tmp\n./openmpi 3\n");
    EXPECT_EQ(Needed("./job.sh"), "openmpi");
    EXPECT_EQ(Needed("bash -e ./job.sh"), "openmpi");
    EXPECT_EQ(Needed(std::vector<std::string>{"bash", "-c", "cd /tmp && ./mpich"}), "mpich");
    EXPECT_EQ(Needed(std::vector<std::string>{"bash", "-lc", "exec './mpich'"}), "mpich");
    programs.Script("./outer.sh", "/usr/bin/env bash", "#!/usr/bin/env bash\n./job.sh\n");
    EXPECT_EQ(Needed("./outer.sh"), "openmpi");
    programs.Script("./endless.sh", "/bin/sh", "./endless.sh; ./endless.sh");
    EXPECT_EQ(Needed("./endless.sh"), "");
    programs.Elf("special", {"/l/libmpich.so.12"});
    programs.Script("./tool", "/usr/bin/env special -x", "");
    EXPECT_EQ(Needed("./tool"), "mpich");
}

TEST_F(MpiChoice, ScriptThatStartsALauncherIsSeen) {
    programs.Script("./job.sh", "/bin/sh", "#!/bin/sh\nmpirun -n 2 $APP\n");
    std::vector<std::string> argv = {"./job.sh"};
    EXPECT_TRUE(LookAtPrograms(AnalyseCommand(argv, programs), argv, programs).starts_launcher);
    argv = {"./plain"};
    EXPECT_FALSE(LookAtPrograms(AnalyseCommand(argv, programs), argv, programs).starts_launcher);
}

TEST(MpiOfLibrary, GoesByNameAndVersion) {
    EXPECT_EQ(MpiOfLibrary("/usr/lib/libmpich.so.12"), "mpich");
    EXPECT_EQ(MpiOfLibrary("libmpichfort.so.12"), "mpich");
    EXPECT_EQ(MpiOfLibrary("/opt/lib/libmpi.so.12"), "mpich");
    EXPECT_EQ(MpiOfLibrary("/usr/lib/libmpi.so.40"), "openmpi");
    EXPECT_EQ(MpiOfLibrary("libmpi_mpifh.so.40"), "openmpi");
    EXPECT_EQ(MpiOfLibrary("libmpiotherthing.so.1"), "");
    EXPECT_EQ(MpiOfLibrary("libc.so.6"), "");
}

TEST_F(MpiChoice, ProgramBeforeLauncherBeforeMark) {
    auto choose = [this](const std::string& line, const Environment& environment) {
        std::vector<std::string> argv = Words(line);
        CommandShape shape = AnalyseCommand(argv, programs);
        return ChooseMpi(shape, LookAtPrograms(shape, argv, programs), environment);
    };
    const Environment open_mpi = {{"OMPI_COMM_WORLD_SIZE", "2"}};
    const Environment hydra = {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}};
    EXPECT_EQ(choose("./mpich", open_mpi), "mpich");
    EXPECT_EQ(choose("python3 x.py", open_mpi), "openmpi");
    EXPECT_EQ(choose("python3 x.py", hydra), "mpich");
    EXPECT_EQ(choose("python3 x.py", {}), "");
    EXPECT_EQ(choose("mpiexec.hydra python3 x.py", open_mpi), "mpich");
    EXPECT_EQ(choose("srun python3 x.py", {}), "");
    EXPECT_EQ(choose("srun ./openmpi", {}), "openmpi");
}

}  // namespace
}  // namespace comshu::launch
