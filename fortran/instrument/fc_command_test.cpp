#include "instrument/fc_command.h"

#include <gtest/gtest.h>

#include "instrument/fc_includes.h"
#include "instrument/fc_side_files.h"

namespace comshu::fortran {
namespace {

using Words = std::vector<std::string>;

TEST(CompilerCommand, CompileAndLinkApart) {
    CompilerCommand c = ParseCompilerCommand(
        {"gfortran", "-O2", "-fopenmp", "-I", "inc", "-DX=1", "-c", "src/a.F90", "-o", "a.o"});
    EXPECT_TRUE(c.compile_only);
    EXPECT_TRUE(c.openmp);
    EXPECT_FALSE(c.links);
    EXPECT_EQ(c.output, "a.o");
    EXPECT_EQ(c.forwarded, (Words{"-I", "inc", "-DX=1"}));
    ASSERT_EQ(c.sources.size(), 1u);
    EXPECT_EQ(CompileOne(c, c.sources[0], "t/a.F90", "t/a.o"),
              (Words{"gfortran", "-O2", "-fopenmp", "-I", "inc", "-DX=1", "t/a.F90", "-c", "-o",
                     "t/a.o"}));
}

TEST(CompilerCommand, SeveralSourcesAtOnce) {
    CompilerCommand c = ParseCompilerCommand(
        {"mpif90", "a.f90", "x.o", "b.f", "-o", "prog", "-L", "lib", "-lm", "-Wl,-z,now"});
    EXPECT_TRUE(c.links);
    ASSERT_EQ(c.sources.size(), 2u);
    EXPECT_EQ(CompileOne(c, c.sources[1], "t/b.f", "t/b.o"),
              (Words{"mpif90", "t/b.f", "-L", "lib", "-c", "-o", "t/b.o"}));
    EXPECT_EQ(Link(c, {"t/a.o", "t/b.o"}), (Words{"mpif90", "t/a.o", "x.o", "t/b.o", "-o", "prog",
                                                  "-L", "lib", "-lm", "-Wl,-z,now"}));
}

TEST(CompilerCommand, LeavesOtherUsesAlone) {
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "--version"}).passes_by);
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "-E", "a.F90"}).passes_by);
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "-v"}).passes_by);
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "@args"}).passes_by);
    CompilerCommand link = ParseCompilerCommand({"gfortran", "a.o", "-o", "prog"});
    EXPECT_TRUE(link.links);
    EXPECT_TRUE(link.sources.empty());
}

TEST(CompilerCommand, SourceForm) {
    CompilerCommand c = ParseCompilerCommand(
        {"gfortran", "-ffixed-form", "-ffixed-line-length-132", "-cpp", "-flto=auto", "a.f90"});
    EXPECT_EQ(c.fixed_form, true);
    EXPECT_EQ(c.fixed_columns, 132);
    EXPECT_EQ(c.preprocess, true);
    EXPECT_TRUE(c.lto);
    EXPECT_FALSE(c.openmp);
}

TEST(CompilerCommand, Names) {
    EXPECT_EQ(FolderOf("a.f90"), ".");
    EXPECT_EQ(FolderOf("/a.f90"), "/");
    EXPECT_EQ(FolderOf("x/y/a.f90"), "x/y");
    EXPECT_EQ(ObjectName("x/y/a.b.f90"), "a.b.o");
}

TEST(CompilerCommand, FindsWhetherWarningsAreAskedFor) {
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "-Wall", "-c", "a.f90"}).asks_for_warnings);
    EXPECT_TRUE(ParseCompilerCommand({"gfortran", "-pedantic", "-c", "a.f90"}).asks_for_warnings);
    EXPECT_FALSE(ParseCompilerCommand({"gfortran", "-Wl,--as-needed", "-Wno-tabs", "-w", "a.f90"})
                     .asks_for_warnings);
}

TEST(CompilerCommand, SideFilesHaveTheirNames) {
    auto options = [](const Words& words) {
        CompilerCommand c = ParseCompilerCommand(words);
        return SideFileOptions(c, c.sources.at(0));
    };
    EXPECT_EQ(options({"gfortran", "-c", "a.f90"}), Words{});
    EXPECT_EQ(options({"gfortran", "--coverage", "-c", "src/a.f90"}),
              (Words{"-dumpdir", "./", "-dumpbase", "a.f90", "-dumpbase-ext", ".f90"}));
    EXPECT_EQ(options({"gfortran", "-save-temps", "-c", "src/a.f90", "-o", "obj/b.o"}),
              (Words{"-dumpdir", "obj/", "-dumpbase", "b.f90", "-dumpbase-ext", ".f90"}));
    EXPECT_EQ(options({"gfortran", "--coverage", "a.f90", "-o", "bin/b.exe"}),
              (Words{"-dumpdir", "bin/b-", "-dumpbase", "a.f90", "-dumpbase-ext", ".f90"}));
    EXPECT_EQ(options({"gfortran", "--coverage", "a.f90", "-o", "bin/a"}),
              (Words{"-dumpdir", "bin/", "-dumpbase", "a.f90", "-dumpbase-ext", ".f90"}));
    EXPECT_EQ(options({"gfortran", "--coverage", "b.f90", "c.f90"}),
              (Words{"-dumpdir", "a-", "-dumpbase", "b.f90", "-dumpbase-ext", ".f90"}));
    EXPECT_EQ(options({"gfortran", "--coverage", "-dumpdir", "x-", "-c", "a.f90"}), Words{});
    EXPECT_EQ(options({"gfortran", "-cpp", "-MMD", "-c", "src/a.f90", "-o", "obj/b.o"}),
              (Words{"-MF", "obj/b.d"}));
    EXPECT_EQ(options({"gfortran", "-cpp", "-MD", "-c", "src/a.f90"}), (Words{"-MF", "a.d"}));
    EXPECT_EQ(options({"gfortran", "-cpp", "-MD", "-MF", "x", "-c", "a.f90"}), Words{});
    CompilerCommand c =
        ParseCompilerCommand({"gfortran", "-MMD", "-MT", "t", "-MFx", "-O2", "a.F90", "-o", "a"});
    EXPECT_EQ(CompileOne(c, c.sources[0], "a.F90", "t/a.o", true),
              (Words{"gfortran", "-O2", "a.F90", "-c", "-o", "t/a.o"}));
}

TEST(CompilerCommand, FindsWhereIncludeFilesAre) {
    unsetenv("CPATH");
    unsetenv("C_INCLUDE_PATH");
    EXPECT_EQ(
        IncludeFolders(
            "Target: x86\nCOLLECT_GCC_OPTIONS='-I' 'b' '-I' 'a'\n"
            " /lib/f951 a.F90 -I foo \"-I./my inc\" -I/opt/mpi -J mods -I foo -imultiarch x86 "
            "-fintrinsic-modules-path /lib/finclude -o /tmp/a.s\n as -I foo a.s\n"),
        (Words{"foo", "./my inc", "/opt/mpi", "mods", "/lib/finclude", "/lib/finclude/../include",
               "/usr/local/include", "/usr/include/x86", "/usr/include"}));
    EXPECT_EQ(IncludeFolders("error: no such option: -###\n"), Words{});
    EXPECT_TRUE(MayInclude("      INCLUDE 'a.h'\n"));
    EXPECT_FALSE(MayInclude("includ"));
}

TEST(CompilerCommand, FindsTheFirstError) {
    EXPECT_EQ(FirstError("a.f90:3:7:\n\n    3 | x = 1\n      |     1\nWarning: odd\n"
                         "src/a.f90:14:20:\n\n   14 |  y = z\n      |   1\nError: No such (1)\n"),
              "src/a.f90:14: Error: No such (1)");
    EXPECT_EQ(FirstError("a.f90:2:9: error: out of luck\n"), "a.f90:2:9: error: out of luck");
    EXPECT_EQ(FirstError("f951: Fatal Error: no module\n"), "f951: Fatal Error: no module");
    EXPECT_EQ(FirstError("Warning: odd\n"), "");
}

}  // namespace
}  // namespace comshu::fortran
