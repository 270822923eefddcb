"""An installed tree, moved: everything is there, it finds its own parts, and captures."""

import pathlib
import re
import shutil
import stat
import subprocess

from harness import BUILD, CMAKE, InstallTest, MPIEXEC, OBJECTS, SOURCE, WorkTest, main, run


class Tree(InstallTest):
    def test_objects_are_there_and_look_beside_themselves(self):
        self.assertEqual([name for name in OBJECTS if not (self.objects / name).is_file()], [])
        for file in [self.command, *self.objects.glob("*.so")]:
            dynamic = run("readelf", "-dW", file).stdout
            self.assertNotIn("(RPATH)", dynamic, file)
            for path in re.findall(r"\(RUNPATH\).*\[(.+)\]", dynamic):
                for part in path.split(":"):
                    self.assertTrue(part.startswith("$ORIGIN"), f"{file}: {path}")

    def test_nothing_names_the_build_or_the_place_of_installation(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and file.suffix not in (".so",) and file != self.command:
                text = file.read_bytes()
                for place in (BUILD, SOURCE, self.folder / "first"):
                    self.assertNotIn(str(place).encode(), text, file)

    def test_captures_after_the_move(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                program = BUILD / "examples" / mpi / "pingpong"
                done = self.comshu("run", "-p", "mpi", "-o", mpi, "--", mpiexec, "-n", 2, program, 3, 64)
                self.assertIn("nothing lost", done.stderr)
                # Seven sizes, three round trips each.
                self.assertEqual(self.query(mpi, "select count(*) from span where name = 'MPI_Send'"), ["42"])
                modules = " ".join(self.query(mpi, "select distinct path from module"))
                self.assertIn(str(self.objects), modules)
                self.assertNotIn(str(BUILD / "lib"), modules)

    def test_script_that_calls_a_launcher_by_name(self):
        mpi, mpiexec = next(iter(MPIEXEC.items()))
        script = self.work / "job.sh"
        script.write_text(f"#!/bin/sh\nexec {pathlib.Path(mpiexec).name} -n 2 {BUILD}/examples/{mpi}/pingpong 3 64\n")
        script.chmod(0o755)
        self.comshu("run", "-p", "mpi", "-o", "out", "--", script)
        self.assertEqual(self.query("out", "select count(*) from span where name = 'MPI_Send'"), ["42"])


class Paths(InstallTest):
    def test_blank_or_colon_is_refused_before_the_start_with_a_way_out(self):
        mpi, mpiexec = next(iter(MPIEXEC.items()))
        for name in ("with blank", "with:colon"):
            for command in (["touch", "started"], [mpiexec, "-n", 2, "touch", "started"], ["sh", "-c", "touch started"]):
                with self.subTest(f"{name} {command[0]}"):
                    program = self.copy_of_tree(name) / "bin/comshu"
                    done = run(program, "run", "-p", "mpi", "--mpi", mpi, "--", *command, cwd=self.work, code=2)
                    self.assertIn(name, done.stderr)
                    self.assertFalse((self.work / "started").exists())
                    self.assertEqual(list(self.work.glob("comshu-out*")), [])
                    # The way out, word by word as it is printed.
                    way = re.search(r"(ln -s .*; export .*)$", done.stderr, re.M)[1]
                    home = self.work / f"home-{len(list(self.work.glob('home-*')))}"
                    home.mkdir()
                    line = f"{way} && exec \"$0\" run -p mpi --mpi {mpi} -o out -- " \
                           f"{mpiexec} -n 2 {BUILD}/examples/{mpi}/pingpong 3 64"
                    run("sh", "-c", line, program, cwd=home, extra={"HOME": str(home)})
                    sends = run(program, "sql", home / "out", "select count(*) from span where name = 'MPI_Send'",
                                "--format", "csv").stdout.splitlines()[1:]
                    self.assertEqual(sends, ["42"])
                    shutil.rmtree(program.parent.parent)

    def test_output_folders_with_blanks_and_quotes(self):
        mpi, mpiexec = next(iter(MPIEXEC.items()))
        for name in ("two words", "it's \"quoted\"", "$HOME;x"):
            with self.subTest(name):
                done = self.comshu("run", "-p", "mpi", "-o", name, "--", mpiexec, "-n", 2,
                                   BUILD / "examples" / mpi / "pingpong", 3, 64)
                self.assertEqual(self.query(name, "select count(*) from span where name = 'MPI_Send'"), ["42"])
                # What it says to type next can be typed.
                read = re.search(r"next: (comshu read .*)$", done.stderr, re.M)[1]
                run("sh", "-c", read, cwd=self.work, extra={"PATH": f"{self.command.parent}:/usr/bin:/bin"})

    def test_engine_path_and_provider_path(self):
        mpi, mpiexec = next(iter(MPIEXEC.items()))
        elsewhere = self.work / "engine"
        elsewhere.mkdir()
        shutil.move(self.objects / "libcomshu_engine.so", elsewhere)
        self.addCleanup(lambda: shutil.move(elsewhere / "libcomshu_engine.so", self.objects))
        program = [mpiexec, "-n", 2, BUILD / "examples" / mpi / "pingpong", 3, 64]
        done = self.comshu("run", "-p", "mpi", "--", *program, code=1)
        self.assertIn("libcomshu_engine.so", done.stderr)
        for out, place in (("folder", elsewhere), ("file", elsewhere / "libcomshu_engine.so")):
            with self.subTest(out):
                self.comshu("run", "-p", "mpi", "-o", out, "--", *program, extra={"COMSHU_ENGINE_PATH": str(place)})
                self.assertEqual(self.query(out, "select count(*) from span where name = 'MPI_Send'"), ["42"])
                self.assertIn(str(elsewhere), " ".join(self.query(out, "select distinct path from module")))
        done = self.comshu("run", "-p", "mpi", "--", *program, code=1, extra={"COMSHU_ENGINE_PATH": "/nowhere"})
        self.assertIn("/nowhere (COMSHU_ENGINE_PATH)", done.stderr)
        # An object of the same name comes from the folder that is named.
        own = self.work / "own"
        own.mkdir()
        for file in self.objects.glob(f"lib*mpi-{mpi}.so"):
            shutil.copy(file, own)
        self.comshu("run", "-p", "mpi", "-o", "both", "--", *program,
                    extra={"COMSHU_ENGINE_PATH": str(elsewhere), "COMSHU_PROVIDER_PATH": str(own)})
        self.assertIn(str(own), " ".join(self.query("both", "select distinct path from module")))


class OtherTrees(WorkTest):
    def test_providers_of_a_tree_alone(self):
        """Configured with COMSHU_INSTALL_CORE=OFF; the objects are those that were built."""
        build = self.work / "build"
        run(CMAKE, "-S", SOURCE, "-B", build, "-DCOMSHU_INSTALL_CORE=OFF", "-DBUILD_TESTING=OFF",
            "-DCMAKE_BUILD_TYPE=Release", "-DCOMSHU_FORTRAN_INSTRUMENT=OFF")
        for file in (BUILD / "lib/comshu").glob("*.so"):
            shutil.copy(file, build / "lib/comshu")
        run(CMAKE, "--install", build, "--prefix", self.work / "prefix")
        files = sorted(str(file.relative_to(self.work / "prefix")) for file in (self.work / "prefix").rglob("*")
                       if not file.is_dir())
        self.assertEqual(files, sorted(f"lib/comshu/{name}" for name in OBJECTS
                                       if name not in ("libcomshu_engine.so", "libduckdb.so")))

    def test_further_library_folders(self):
        """As a site asks for them that built comshu with a compiler of its own."""
        build = self.work / "build"
        project = self.work / "project"
        project.mkdir()
        (project / "main.c").write_text("int main(void) { return 0; }\n")
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C CXX)\n"
            f"include({SOURCE}/cmake/ComshuTargets.cmake)\n"
            "add_executable(p main.c)\ninstall(TARGETS p RUNTIME DESTINATION bin)\n")
        run(CMAKE, "-S", project, "-B", build, "-DCOMSHU_INSTALL_RPATH_EXTRA=/opt/gcc/lib64;$ORIGIN/../more")
        run(CMAKE, "--build", build)
        run(CMAKE, "--install", build, "--prefix", self.work / "prefix")
        dynamic = run("readelf", "-dW", self.work / "prefix/bin/p").stdout
        self.assertIn("(RUNPATH)            Library runpath: [$ORIGIN/../lib/comshu:/opt/gcc/lib64:$ORIGIN/../more]",
                      dynamic)


if __name__ == "__main__":
    main()
