#!/usr/bin/python3
"""The commands around the instrumentor: comshu-fc in the place of a compiler, comshu-instrument on bad input.
usage: command_test.py BUILD_FOLDER [unittest arguments]"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

from commands import BUILD, MAIN, MODULE, CommandCase


class Commands(CommandCase):
    def test_compile_and_link_apart(self):
        self.write("src/a.f90", MODULE)
        self.write("src/b.f90", MAIN)
        self.fc("gfortran", "-fopenmp", "-c", "src/a.f90", "-o", "a.o")
        self.fc("gfortran", "-fopenmp", "-c", "src/b.f90")
        self.fc("gfortran", "-fopenmp", "b.o", "a.o", "-o", "prog")
        self.checked("prog", "55", before_func_call=10, before_critical=10, before_omp_loop=2, init=1, finalize=1)

    def test_all_at_once(self):
        self.write("a.f90", MODULE)
        self.write("b.f90", MAIN)
        self.fc("-dperf", "--strict", "--", "gfortran", "-fopenmp", "-O2", "-g", "a.f90", "b.f90", "-o", "prog")
        self.checked("prog", "55", before_critical=10, func_begin=10, func_end=10)

    def test_levels(self):
        self.write("a.f90", MODULE + MAIN)
        self.fc("-d2", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.checked("prog", "55", omp_iter=10)
        self.fc("-d0", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.run_in("./prog")

    def project(self):
        """Two modules, one of which uses the other, two procedures for themselves, and a main program."""
        self.write("counting.f90", MODULE)
        self.write("helper.f90", "module helper\n  use counting\n  implicit none\ncontains\n  subroutine help()\n"
                                 "    call count(0)\n  end subroutine help\nend module helper\n")
        for i in (1, 2):
            self.write(f"part{i}.f90", f"subroutine part{i}(n)\n  integer :: n\n  !$omp parallel num_threads(2)\n"
                                       "  !$omp critical\n  n = n + 1\n  !$omp end critical\n  !$omp end parallel\n"
                                       f"end subroutine part{i}\n")
        self.write("main.f90", MAIN.replace("  use counting\n", "  use counting\n  use helper\n").replace(
            "  print", "  call help()\n  call part1(total)\n  call part2(total)\n  print"))
        comshu = BUILD / "bin/comshu"
        return f"{comshu} fc gfortran" if comshu.exists() else f"{BUILD / 'bin/comshu-fc'} gfortran"

    COUNTS = {"handles": 17, "before_parallel": 3, "critical_event": 15, "func_begin": 14, "func_end": 14}

    def test_make(self):
        """In the place of the compiler, several sources at once."""
        compiler = self.project()
        self.write("Makefile", "OBJECTS = counting.o helper.o part1.o part2.o main.o\nprog: $(OBJECTS)\n"
                               "\t$(FC) $(FFLAGS) -o $@ $(OBJECTS)\n%.o: %.f90\n\t$(FC) $(FFLAGS) -c $< -o $@\n"
                               "helper.o: counting.o\nmain.o: counting.o helper.o\n")
        self.run_in("make", "-j4", f"FC={compiler}", "FFLAGS=-O2 -fopenmp")
        self.checked("prog", "59", **self.COUNTS)

    @unittest.skipUnless(os.environ.get("COMSHU_TEST_LONG") == "1", "CMake asks the compiler for long")
    def test_cmake(self):
        compiler = self.project()
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(small LANGUAGES Fortran)\n"
                                     "find_package(OpenMP REQUIRED COMPONENTS Fortran)\n"
                                     "add_library(parts STATIC counting.f90 helper.f90 part1.f90 part2.f90)\n"
                                     "target_link_libraries(parts PUBLIC OpenMP::OpenMP_Fortran)\n"
                                     "add_executable(prog main.f90)\ntarget_link_libraries(prog PRIVATE parts)\n")
        self.run_in("cmake", "-B", "build", env={"FC": compiler})
        self.run_in("cmake", "--build", "build", "-j4")
        self.checked("build/prog", "59", **self.COUNTS)

    def test_without_openmp(self):
        self.write("a.f90", MODULE + MAIN)
        self.fc("gfortran", "a.f90", "-o", "prog")
        self.checked("prog", "55", before_func_call=10)

    def test_link_time_optimisation(self):
        self.write("a.f90", MODULE + MAIN)
        self.fc("gfortran", "-fopenmp", "-flto", "-O2", "a.f90", "-o", "prog")
        self.checked("prog", "55", before_func_call=10)

    def test_shared_library(self):
        self.write("a.f90", MODULE)
        self.write("b.f90", MAIN)
        self.fc("gfortran", "-fopenmp", "-fPIC", "-shared", "a.f90", "-o", "libcounting.so")
        self.fc("gfortran", "-fopenmp", "b.f90", "-L.", "-lcounting", "-Wl,-rpath,$ORIGIN", "-o", "prog")
        self.checked("prog", "55", before_critical=10)

    def test_messages_name_the_users_lines(self):
        self.write("a.f90", MAIN.replace("print *, total", "print *, nonsense%total"))
        self.write("m.f90", MODULE)
        self.fc("gfortran", "-fopenmp", "-c", "m.f90")
        result = self.fc("gfortran", "-fopenmp", "-c", "a.f90", code=1)
        self.assertIn("a.f90:8:", result.stderr)

    def test_what_cannot_be_parsed_is_compiled_as_it_is(self):
        # A directive with a conditional inside: Flang's preprocessor sees a broken line.
        self.write("a.F90", MODULE + MAIN.replace("do\n", "do &\n#ifdef NEVER\n  !$omp if(.true.) &\n#endif\n"
                                                  "  !$omp shared(total)\n", 1).replace("end do &", "end do"))
        result = subprocess.run([BUILD / "bin/comshu-instrument", "a.F90"], cwd=self.work, capture_output=True)
        if result.returncode == 0:
            self.skipTest("it can be parsed")
        self.fc("--strict", "gfortran", "-fopenmp", "a.F90", "-o", "prog", code=1)
        result = self.fc("gfortran", "-fopenmp", "a.F90", "-o", "prog")
        self.assertIn("0 of 1 source instrumented", result.stderr)
        self.assertIn("a.F90:", result.stderr)
        self.run_in("./prog")

    def test_other_uses_of_the_compiler(self):
        self.assertIn("GNU", self.fc("gfortran", "--version").stdout)
        self.write("a.c", "int one(void) { return 1; }\n")
        self.fc("gcc", "-c", "a.c")
        self.fc(code=2)
        self.fc("--no-such-option", "gfortran", code=2)
        self.fc("--atomic", "never", "gfortran", code=2)

    def test_bad_input(self):
        cases = {"words.f90": "this is not Fortran\n", "empty.f90": "",
                 "open.f90": "program p\n!$omp parallel\nend program p\n",
                 "include.f90": "program p\ninclude 'missing.inc'\nend program p\n",
                 "binary.f90": bytes(range(256)) * 20}
        for name, text in cases.items():
            with self.subTest(name):
                self.write(name, text)
                result = self.instrument(name, "-o", "out." + name, code=0 if name == "empty.f90" else 1)
                if name != "empty.f90":
                    self.assertIn(name, result.stderr)
                    self.assertFalse((self.work / ("out." + name)).exists())
        self.assertIn("missing", self.instrument("missing.f90", code=1).stderr)
        self.assertIn("include.f90:2", self.instrument("include.f90", "-o", "o.f90", code=1).stderr)
        self.write("good.f90", MODULE)
        result = self.instrument("good.f90", "-o", "no/such/folder/out.f90", code=1)
        self.assertIn("no/such/folder/out.f90", result.stderr)
        self.instrument("good.f90", "-d7", code=2)
        self.instrument(code=2)
        (self.work / "link.f90").symlink_to("good.f90")
        os.link(self.work / "good.f90", self.work / "hard.f90")
        for words in (("good.f90", "-o", "good.f90"), ("good.f90", "-o", "./link.f90"), ("link.f90", "-o", "good.f90"),
                      ("good.f90", "-o", "hard.f90"), ("good.f90", "-o", "o.f90", "--registration", "good.f90")):
            self.assertIn("is the source", self.instrument(*words, code=1).stderr)
        self.instrument("good.f90", "-o", "o.f90", "--registration", "./o.f90", code=1)
        self.assertEqual((self.work / "good.f90").read_text(), MODULE)

    def odd_files(self):
        """What is no source, by the reason for which it cannot be read."""
        (self.work / "folder.f90").mkdir()
        os.mkfifo(self.work / "pipe.f90")
        (self.work / "dangling.f90").symlink_to("nowhere.f90")
        (self.work / "circle.f90").symlink_to("circle.f90")
        return {"folder.f90": "Is a directory", "pipe.f90": "no regular file", "dangling.f90": "No such file or directory",
                "missing.f90": "No such file or directory", "circle.f90": "Too many levels of symbolic links",
                "/dev/null": "no regular file", "folder.f90/a.f90": "No such file or directory"}

    def test_sources_that_cannot_be_read(self):
        """It is said of each, with the reason; nothing waits for a pipe and nothing is laid to Flang."""
        for name, reason in self.odd_files().items():
            with self.subTest(name):
                result = self.instrument(name, "-o", "out.f90", code=1)
                self.assertEqual(result.stderr.splitlines(), [f"comshu instrument: {name} cannot be read: {reason}" +
                                                              (", and it is read more than once" if "regular" in reason else "")])
        self.write("null.f90", "\0")
        self.assertIn("null.f90:1:1: bad character (0x00)", self.instrument("null.f90", "-o", "out.f90", code=1).stderr)
        for name in ("a.f90", "a.F90"):
            self.write(name, f"program p\n{'#' if name == 'a.F90' else ''}include \"folder.f90\"\nend program p\n")
            lines = self.instrument(name, "-o", "out.f90", code=1).stderr.splitlines()
            self.assertIn(f"{name}:2:", lines[0])
            self.assertIn("comshu instrument: folder.f90 cannot be read: Is a directory", lines)
        self.assertFalse((self.work / "out.f90").exists())
        self.write("good.f90", MODULE)
        for words in (("-o", "folder.f90"), ("-o", "out.f90", "--registration", "folder.f90")):
            self.assertIn("folder.f90: cannot be written: Is a directory", self.instrument("good.f90", *words, code=1).stderr)
        self.assertFalse((self.work / "out.f90").exists())

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_source_without_permission(self):
        self.write("a.f90", MODULE).chmod(0)
        self.assertIn("a.f90 cannot be read: Permission denied", self.instrument("a.f90", "-o", "out.f90", code=1).stderr)

    def test_compiling_what_cannot_be_read(self):
        """The compiler says why, but of a folder, on which gfortran does not end."""
        for name in self.odd_files():
            if name in ("dangling.f90", "missing.f90", "circle.f90", "folder.f90/a.f90"):
                found = [self.run_in(*fc, "gfortran", "-c", name, "-o", "a.o", code=1).stderr for fc in ((), (BUILD / "bin/comshu-fc",))]
                self.assertEqual(found[0], found[1], name)
        self.assertEqual(self.fc("gfortran", "-c", "folder.f90", code=1).stderr, "comshu fc: folder.f90 cannot be read: Is a directory\n")
        self.write("good.f90", MODULE)
        self.assertIn("cannot be written to good.f90", self.fc("--dbg-includes", "good.f90", "gfortran", "-c", "good.f90", code=1).stderr)

    def test_nothing_half_written(self):
        """No room for a file, no folder for the other: neither is there."""
        self.write("a.f90", MODULE)
        for words, limit in ((("-o", "out.f90", "--registration", "no/unit.c"), resource.RLIM_INFINITY),
                             (("-o", "out.f90"), 512)):
            result = subprocess.run([BUILD / "bin/comshu-instrument", "a.f90", *words], cwd=self.work, capture_output=True,
                                    text=True, check=False,
                                    preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("cannot be written: ", result.stderr)
            self.assertEqual(sorted(p.name for p in self.work.iterdir()), ["a.f90"])

    def test_memory_of_data_levels(self):
        """What is known of a statement's expressions is not kept for all statements: a source that is full of them takes
        what it takes without data, and little more."""
        body = "  t = a(i)*b(i-1)+c(i+1)*a(i-1)+k\n" * 38
        procedure = ("subroutine p{0}(a, b, c, n, k)\n  integer :: n, k, i\n  real(8) :: a(n), b(n), c(n), t\n  do i = 2, n-1\n" + body +
                     "  end do\nend subroutine p{0}\n")
        self.write("m.f90", "module m\ncontains\n" + "".join(procedure.format(i) for i in range(60)) + "end module m\n")
        self.write("s.f90", "program s\n  real(8) :: a(9), b(9), c(9), t\n  do i = 2, 8\n" + body * 60 + "  end do\nend program s\n")
        for source in ("m.f90", "s.f90"):
            peaks = []
            for level in ("-dperf", "-d3"):
                with subprocess.Popen([BUILD / "bin/comshu-instrument", source, level, "-o", "out.f90"], cwd=self.work) as process:
                    _, status, usage = os.wait4(process.pid, 0)
                    process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, 0)
                peaks.append(usage.ru_maxrss)
            self.assertLess(peaks[1], 1.4 * peaks[0], f"{source}: KB at -dperf, at -d3: {peaks}")

    def test_a_pipe_stays_one(self):
        """So does /dev/null: nothing is renamed over what is no regular file."""
        self.write("a.f90", MODULE)
        os.mkfifo(self.work / "pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.work, stdout=subprocess.PIPE, text=True) as reader:
            self.instrument("a.f90", "-o", "out.f90", "--registration", "pipe")
            self.assertIn("type=function", reader.communicate(timeout=60)[0])
        self.assertTrue((self.work / "pipe").is_fifo())

    def test_interrupted(self):
        """What it runs is ended too, and its folder is removed."""
        self.write("a.f90", MODULE)
        self.write("compiler", "#!/bin/sh\necho > started\nexec sleep 100\n").chmod(0o755)
        os.mkfifo(self.work / "started")
        (self.work / "tmp").mkdir()
        with subprocess.Popen([BUILD / "bin/comshu-fc", "./compiler", "-c", "a.f90"], cwd=self.work,
                              stderr=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=str(self.work / "tmp"))) as process:
            (self.work / "started").read_text()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertEqual(list((self.work / "tmp").iterdir()), [])

    def test_nobody_reads_the_messages(self):
        self.write("a.f90", MODULE)
        (self.work / "tmp").mkdir()
        end, closed = os.pipe()
        os.close(end)
        result = subprocess.run([BUILD / "bin/comshu-fc", "-v", "gfortran", "-fopenmp", "-c", "a.f90"], cwd=self.work, check=False,
                                stderr=closed, env=dict(os.environ, TMPDIR=str(self.work / "tmp")))
        os.close(closed)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(list((self.work / "tmp").iterdir()), [])

    def test_include_files_of_the_compiler(self):
        """Those that it has itself, and those of a wrapper."""
        free = "program p\n  include 'omp_lib.h'\n  print *, omp_get_max_threads() > 0\nend program p\n"
        self.write("a.f90", free)
        self.write("a.F90", free.replace("  include 'omp_lib.h'", '#include "omp_lib.h"'))
        self.write("a.f", free.replace("  ", "      ").replace("end ", "      end ").replace("prog", "      prog", 1))
        for source in ("a.f90", "a.F90", "a.f"):
            self.fc("--strict", "gfortran", "-fopenmp", source, "-o", "prog")
            self.checked("prog", "T", before_io=1)
        self.write("b.f90", "program p\n  include 'mpif.h'\n  integer :: e, k\n  call mpi_init(e)\n  k = 0\n"
                            "  !$omp parallel reduction(+:k)\n  k = k + 1\n  !$omp end parallel\n"
                            "  call mpi_finalize(e)\nend program p\n")
        for wrapper in filter(shutil.which, ("mpif90.openmpi", "mpif90.mpich")):
            self.fc("--strict", wrapper, "-fopenmp", "b.f90", "-o", wrapper)
        # The user's folders come first.
        self.write("inc/omp_lib.h", "integer :: omp_get_max_threads\nomp_get_max_threads() = -1\n")
        self.fc("--strict", "gfortran", "-Iinc", "a.f90", "-o", "prog")
        self.checked("prog", "F")
        self.assertIn("-I FOLDER", self.instrument("a.f90", "-o", "out.f90", code=1).stderr)

    def test_files_beside_the_object(self):
        """Dependencies and coverage have the names that they have without comshu."""
        self.write("src/a.F90", '#include "x.h"\n' + MODULE + MAIN)
        self.write("src/x.h", "")
        for words in (("-c", "src/a.F90", "-o", "obj/b.o"), ("-c", "src/a.F90"), ("src/a.F90", "-o", "obj/prog"),
                      ("-MF", "deps", "-MT", "x", "-MP", "-c", "src/a.F90")):
            made = []
            for compiler in ((), (BUILD / "bin/comshu-fc", "--strict")):
                shutil.rmtree(self.work / "obj", ignore_errors=True)
                (self.work / "obj").mkdir()
                self.run_in(*compiler, "gfortran", "-fopenmp", "--coverage", "-MMD", *words)
                files = {p for p in self.work.rglob("*") if p.is_file() and p.parent.name != "src"}
                made.append(({str(p.relative_to(self.work)) for p in files},
                             [p.read_text().replace("\\\n", " ").split() for p in files if p.suffix == ".d" or p.name == "deps"]))
                for path in files:
                    path.unlink()
            self.assertEqual(*made)
            self.assertIn("src/a.F90", made[0][1][0])
        (self.work / "tmp").mkdir()
        self.fc("--strict", "gfortran", "-fopenmp", "--coverage", "src/a.F90", "-o", "obj/prog", env={"TMPDIR": str(self.work / "tmp")})
        self.run_in("obj/prog")
        self.assertTrue((self.work / "obj/prog-a.gcda").exists())
        self.assertEqual(list((self.work / "tmp").iterdir()), [])

    def test_without_the_instrumentor(self):
        """Where LLVM Flang was not found, what is there says so, and compiles."""
        shutil.copy(BUILD / "bin/comshu-fc", self.work / "comshu-fc")
        self.write("a.f90", MODULE)
        result = self.run_in("./comshu-fc", "gfortran", "-fopenmp", "-c", "a.f90")
        self.assertIn("comshu-instrument is missing", result.stderr)
        self.assertIn("`make`", result.stderr)
        self.assertTrue((self.work / "a.o").exists())
        self.run_in("./comshu-fc", "--strict", "gfortran", "-fopenmp", "-c", "a.f90", code=1)

    def test_what_is_left_alone_is_counted(self):
        """What is in include files too, with its place there; a source in which nothing is inserted is not said to be instrumented."""
        self.write("body.inc", "!$omp parallel do\n  do i = 1, 10\n     a(i) = i\n  end do\n")
        self.write("a.f90", "program p\n  integer :: i, a(10)\n  a = 0\n  include 'body.inc'\n  print *, sum(a)\nend program p\n")
        self.assertIn("a.f90: 1 OpenMP construct or program unit is left alone",
                      self.fc("gfortran", "-fopenmp", "a.f90", "-o", "prog").stderr)
        self.assertIn("body.inc:1: parallel do is left alone", self.fc("-v", "gfortran", "-fopenmp", "-c", "a.f90").stderr)
        self.write("m.f90", "module m\n  integer :: k = 3\nend module m\n")
        self.assertEqual(self.fc("gfortran", "-c", "m.f90").stderr, "")
        self.assertIn("0 of 1 source instrumented, nothing inserted in 1", self.fc("-v", "gfortran", "-c", "m.f90").stderr)

    def test_unbalanced_directives(self):
        loop, region = "do i = 1, 3\nend do\n", "!$omp parallel\n{}!$omp end parallel\n"
        for line, text in ((5, region.format(loop + "!$omp end do\n")), (7, region.format("!$omp do\n" + loop + "!$omp end do\n" * 2)),
                           (3, "!$omp critical (a)\n!$omp end critical (b)\n"), (2, "!dvm$ interval\n"), (2, "!dvm$ endinterval\n"),
                           (4, "!dvm$ interval\nif (i > 2) then\n!dvm$ endinterval\nend if\n"), (2, "!dvm$ debug 1\n")):
            self.write("a.f90", "program p\n" + text + "i = 1\nend\n")
            with self.subTest(text):
                self.assertIn(f"a.f90:{line}: ", self.instrument("a.f90", "-o", "out.f90", code=1).stderr)
                self.assertFalse((self.work / "out.f90").exists())

    def test_what_flang_fails_on(self):
        """Flang 19 ends its process on DECLARE REDUCTION when it resolves names; in an include file it sees it."""
        text = "program p\n  integer :: i, s\n  include 'add.inc'\n  s = 0\n  !$omp parallel do reduction(add : s)\n" \
               "  do i = 1, 10\n     s = s + i\n  end do\n  print *, s\nend program p\n"
        self.write("add.inc", "  !$omp declare reduction(add : integer : omp_out = omp_out + omp_in) &\n"
                              "  !$omp initializer(omp_priv = 0)\n")
        self.write("a.f90", text)
        self.fc("--strict", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.checked("prog", "55", before_parallel=1)
        result = subprocess.run([BUILD / "bin/comshu-instrument", "a.f90", "-d3", "-o", "out.f90"], cwd=self.work,
                                capture_output=True, text=True, check=False)
        if result.returncode == 0:
            self.skipTest("this Flang does not fail")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.f90 is not instrumented: LLVM Flang fails on it", result.stderr)
        self.assertFalse((self.work / "out.f90").exists())
        result = self.fc("-d3", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.assertIn("0 of 1 source instrumented", result.stderr)
        self.assertEqual(self.run_in("./prog").stdout.split(), ["55"])
        self.fc("--strict", "-d3", "gfortran", "-fopenmp", "a.f90", "-o", "prog", code=1)

    def test_warnings_are_errors(self):
        """What is inserted gives no warning of its own."""
        self.write("a.f90", "module m\n  implicit none\ncontains\n  subroutine s(a, n, word)\n    integer, intent(in) :: n\n"
                            "    real, intent(inout) :: a(n)\n    character(len=*), intent(in) :: word\n"
                            "    integer :: i\n    !$omp parallel do if(n > 1) num_threads(2)\n    do i = 1, n\n"
                            "       a(i) = a(i) + real(i)\n       if (word == 'x') a(i) = 0.0\n    end do\n"
                            "    !$omp end parallel do\n  end subroutine s\nend module m\n")
        for level in ("-dperf", "-d1", "-d2", "-d3"):
            self.fc("--strict", level, "gfortran", "-fopenmp", "-c", "-Wall", "-Wextra", "-Werror", "-std=f2018", "a.f90")
            self.instrument("a.f90", level, "-o", "out.f90")
            self.run_in("gfortran", "-fopenmp", "-c", "-Wall", "-Wextra", "-Wconversion-extra", "-Werror", "out.f90")
        self.instrument("a.f90", "--dbg-includes", ".", "-o", "out.f90")
        self.run_in("gfortran", "-fopenmp", "-c", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion-extra", "-Wimplicit-interface",
                    "-Werror", "out.f90")
        self.write("none.f90", "program p\n  integer :: z(0), y(2, 3:1)\n  z = 5\n  y = 1\n  call s(z)\n  print *, size(y)\ncontains\n"
                               "  subroutine s(x)\n    integer :: x(:)\n    x = x + 1\n  end subroutine s\nend program p\n")
        self.fc("--strict", "-d3", "gfortran", "-Werror", "none.f90", "-o", "prog")
        self.checked("prog", "0")

    def test_warnings_are_those_of_the_original(self):
        """Also such as what is inserted would end (an argument that is not used) or bring (-Wimplicit-interface)."""
        self.write("a.f90", "subroutine s(a, b)\n  real :: a, b\n  integer :: n\n  !$omp parallel\n  a = a + 1\n  n = int(a)\n"
                            "  !$omp end parallel\n  if (n == 1) a = 2d0 * a\nend subroutine s\n")
        words = ("-fopenmp", "-c", "-Wall", "-Wextra", "-Wconversion", "-Wimplicit-interface", "a.f90")
        original = self.run_in("gfortran", *words).stderr
        self.assertIn("Unused dummy", original)
        self.assertIn("in conversion", original)
        for level in ("-dperf", "-d3"):
            self.assertEqual(self.fc("--strict", level, "gfortran", *words).stderr, original, level)
        for level in ("-dperf", "-d3"):
            result = self.fc("--strict", level, "gfortran", "-Werror", *words, code=1)
            self.assertIn("a.f90:8:", result.stderr)

    def test_what_is_inserted_stands_on_lines_of_the_source(self):
        """For the compiler's messages and the debugger it is on the line of the statement that it was inserted for."""
        self.write("a.f90", MODULE + MAIN)
        self.instrument("a.f90", "-d3", "-o", "out.f90")
        self.run_in("gfortran", "-fopenmp", "-c", "-fdump-tree-gimple-lineno=dump", "out.f90")
        calls = re.findall(r"\[a\.f90:(\d+):\d+\] comshu_(dbg_\w+) \(", (self.work / "dump").read_text())
        self.assertEqual({int(line) for line, _ in calls}, {7, 8, 9, 10, 15, 16, 17, 18, 19, 20})
        self.assertIn(("8", "dbg_write_var_end"), calls)
        self.assertIn(("20", "dbg_finalize"), calls)

    def test_lines_of_a_preprocessed_text(self):
        """As CMake has them with Ninja: the markers in it say where lines come from, and hold behind what is inserted."""
        self.write("src/a.F90", '#define TEN 10\n#include "m.h"\n' + MAIN.replace("1, 10", "1, TEN"))
        self.write("src/m.h", MODULE)
        text = self.run_in("gfortran", "-E", "src/a.F90").stdout
        self.write("a-pp.f90", text)
        self.instrument("a-pp.f90", "-o", "out.f90")
        contexts = (self.work / "out.f90.c").read_text()
        for context in ("type=critical*file=src/m.h*line1=7*line2=9", "type=omploop*file=src/a.F90*line1=6*line2=9",
                        "type=func_call*file=src/a.F90*line1=8"):
            self.assertIn(context, contexts)
        self.run_in("gfortran", "-fopenmp", "-c", "-fpreprocessed", "-fdump-tree-gimple-lineno=dump", "out.f90")
        calls = set(re.findall(r"\[([\w./]+:\d+):\d+\] comshu_(dbg_\w+critical|dbg_\w+omp_loop) \(", (self.work / "dump").read_text()))
        self.assertEqual(calls, {("src/m.h:7", "dbg_before_critical"), ("src/m.h:9", "dbg_after_critical"),
                                 ("src/a.F90:6", "dbg_before_omp_loop"), ("src/a.F90:9", "dbg_after_omp_loop")})
        self.fc("--strict", "gfortran", "-fopenmp", "-fpreprocessed", "a-pp.f90", "-o", "prog")
        self.checked("prog", "55", before_critical=10)

    def test_quotes_and_backslashes_in_names_of_files(self):
        """In markers they stand behind backslashes, which Flang does not know there."""
        for name in ('q"d.f90', "q\\d.f90"):
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            self.write("a.f90", f'# 1 "{quoted}"\n' + MODULE + MAIN)
            for level in ("-dperf", "-d3"):
                with self.subTest(name, level=level):
                    self.assertEqual(self.fc("--strict", level, "gfortran", "-fopenmp", "a.f90", "-o", "prog").stderr, "")
                    self.checked("prog", "55", before_critical=10)
            self.instrument("a.f90", "-d3", "-o", "out.f90")
            contexts = set(re.findall(r"file=(.*?)\*", (self.work / "out.f90.c").read_text()))
            self.assertEqual(contexts, {name.replace("\\", "\\134").replace('"', "\\042")})
            self.write("b.f90", f'# 1 "{quoted}"\nprogram b\n  k = (1\nend program b\n')
            self.assertIn(name + ":2:", self.instrument("b.f90", "-o", "out.f90", code=1).stderr)
            # The name of the source itself.
            self.write(name, MODULE + MAIN)
            self.assertEqual(self.fc("--strict", "-d3", "gfortran", "-fopenmp", name, "-o", "prog").stderr, "")
            self.checked("prog", "55", before_critical=10)

    def test_macros_are_not_in_the_way(self):
        """Of one letter, as the names of arguments could be; the markers are those that the preprocessor wants."""
        self.write("a.F90", "#define h 1\n#define t 2\n#define index 3\n" + MODULE + MAIN.replace("1, 10", "h, t * 5"))
        self.fc("--strict", "-d2", "gfortran", "-fopenmp", "a.F90", "-o", "prog")
        self.checked("prog", "55", omp_iter=10)
        for words in (("a.F90", "-o", "out.F90"), ("a.F90", "--preprocess", "-o", "out.f90")):
            self.instrument(*words)
            self.assertEqual(self.run_in("gfortran", "-cpp", "-fopenmp", "-c", "-Wpedantic", words[-1]).stderr, "")
        self.instrument("a.F90", "-o", "out.f90")
        self.assertIn("\n# 8 ", (self.work / "out.f90").read_text())

    def test_the_reason_of_what_does_not_compile(self):
        """A module that nobody has read for us has all the names that are taken."""
        self.write("names.f90", "module names\n  integer :: dbgtid, comshu_dbgtid\nend module names\n")
        self.run_in("gfortran", "-c", "names.f90")
        self.write("a.f90", "program a\n  use names\n  print *, 1\nend program a\n")
        result = self.fc("gfortran", "a.f90", "-o", "prog")
        self.assertRegex(result.stderr, r"does not compile \(a\.f90:\d+: Error: .+\), left alone")
        self.assertIn("0 of 1 source instrumented", result.stderr)
        self.assertEqual(self.run_in("./prog").stdout.split(), ["1"])
        self.fc("--strict", "gfortran", "a.f90", "-o", "prog", code=1)
        self.write("b.f90", "program b\n  real :: x\n  error stop 1, quiet=.true.\nend program b\n")
        self.assertIn("Fortran 2018", self.fc("-d3", "gfortran", "-std=f2008", "b.f90", code=1).stderr)

    def test_names_of_modules_that_cannot_be_read(self):
        """The compiler knows the module, Flang does not: what implicit types make of its names is not believed."""
        self.write("other.f90", "module other\n  integer :: g(3) = 7\nend module other\n")
        self.run_in("gfortran", "-c", "other.f90")
        self.write("a.f90", "program a\n  use other, only: g\n  known = 5\n  k = known + 1\n  call sub(g)\n  g(2) = k\n"
                            "  print *, g\nend program a\nsubroutine sub(x)\n  integer :: x(3)\n  x = x + 1\nend subroutine sub\n")
        result = self.fc("-d3", "-v", "--strict", "gfortran", "a.f90", "other.o", "-o", "prog")
        self.assertIn(" g ", result.stderr.split("are not seen, of", 1)[1].splitlines()[0] + " ")
        self.checked("prog", "8 6 8", before_func_call=1)

    def test_names_of_modules_in_other_files(self):
        """The compiler's .mod of that name lies in the current folder, or in one of -I and -J."""
        self.write("m.f90", "module m\n  integer :: g = 1\nend module m\n")
        self.write("p.f90", "program p\n  use m\n  implicit none\n  g = g + 1\n  print *, g\nend program p\n")
        for module, user in (((), ()), (("-J", "mods"), ("-I", "mods")), (("-J", "mods"), ("-J", "mods"))):
            with self.subTest(user):
                (self.work / "mods").mkdir(exist_ok=True)
                self.fc("-d3", "-v", "--strict", "gfortran", *module, "-c", "m.f90")
                result = self.fc("-d3", "-v", "--strict", "gfortran", *user, "p.f90", "m.o", "-o", "prog")
                self.assertNotIn("not seen", result.stderr)
                self.checked("prog", "2", write_var_begin=1)
                # From here on the folder has a .mod of the compiler's alone.
                shutil.rmtree(self.work / ".comshu-modules", ignore_errors=True)

    def test_wide_line(self):
        expression = " + ".join(["1"] * 2600)
        self.write("wide.f90", f"program p\n  integer :: n\n  n = {expression}\n  print *, n\nend program p\n")
        self.fc("--strict", "gfortran", "-fopenmp", "-ffree-line-length-none", "wide.f90", "-o", "prog")
        self.checked("prog", "2600", before_io=1)

    def test_documented_scheme(self):
        fixed = "      program p\n      integer s, i\n      s = 0\n!$omp parallel do reduction(+:s) if(s.eq.0)\n" \
                "      do i = 1, 4\n!$omp atomic\n      s = s + i\n      end do\n      call sub(s)\n" \
                "      print *, s\n      end\n"
        self.write("main.f", fixed)
        self.write("sub.f90", "subroutine sub(s)\n  integer :: s\n  !$omp parallel default(none) shared(s)\n"
                              "  !$omp critical\n  s = s + 0\n  !$omp end critical\n  !$omp end parallel\n"
                              "end subroutine sub\n")
        for _ in range(2):
            self.instrument("sub.f90", "--dbg-includes", ".", "-o", "sub.dbg.f90")
            self.instrument("main.f", "--dbg-includes", ".", "-o", "main.dbg.f")
        lib = BUILD / "lib/comshu"
        self.run_in("gfortran", "-fopenmp", "main.dbg.f", "sub.dbg.f90", f"-L{lib}", "-lcomshu_dbg", f"-Wl,-rpath,{lib}",
                    "-o", "prog")
        self.checked("prog", "10", init=1, finalize=1, critical_event=6, before_interval=2)

    def test_documented_files_while_compiling(self):
        self.write("a.f90", MODULE + MAIN)
        (self.work / "inc").mkdir()
        self.fc("--dbg-includes", "inc", "--strict", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.checked("prog", "55", before_critical=10)
        self.assertIn("dbg_get_handle", (self.work / "inc/dbg_init.h").read_text())
        self.assertIn("istat_mp", (self.work / "inc/dbg_vars.h").read_text())

    def test_same_result_twice(self):
        self.write("a.f90", MODULE + MAIN)
        texts = []
        for _ in range(2):
            self.instrument("a.f90", "-o", "out.f90")
            texts.append(((self.work / "out.f90").read_text(), (self.work / "out.f90.c").read_text()))
        self.assertEqual(texts[0], texts[1])
        # Its own result stays, and so does the unit; it compiles, with the unit and as a source of `comshu fc`.
        for words in ((), ("-d3", "--names", "other")):
            self.assertIn("already", self.instrument("out.f90", *words, "-o", "again.f90").stderr)
            self.assertEqual(((self.work / "again.f90").read_text(), (self.work / "again.f90.c").read_text()), texts[0])
        lib = BUILD / "lib/comshu"
        self.run_in("gfortran", "-fopenmp", "again.f90", "again.f90.c", f"-L{lib}", "-lcomshu_dbg", f"-Wl,-rpath,{lib}", "-o", "prog")
        self.checked("prog", "55", before_critical=10)
        self.fc("--strict", "gfortran", "-fopenmp", "out.f90", "-o", "prog")
        self.run_in("./prog")

    def test_names_of_the_program(self):
        """Procedures, and names of modules, that what is inserted has too; names with any underscores."""
        self.write("names.f90", "module names\n  integer :: dbgtid = 3, dbgint = 4\ncontains\n  subroutine dbg_finalize(x)\n"
                                "    real :: x\n    x = 0\n  end subroutine\nend module names\n")
        self.write("own.f90", "subroutine dbg_init(c)\n  character(len=*) :: c\n  !$omp critical\n  print *, c\n  !$omp end critical\n"
                              "end subroutine\nsubroutine dbg_before_parallel\n  print *, 'end'\nend subroutine\n")
        self.write("main.f90", "program p\n  use names\n  integer :: k\n  k = 0\n  !$omp parallel do reduction(+:k)\n  do i = 1, 4\n"
                               "    k = k + i\n  end do\n  call other\n  call dbg_before_parallel\n  if (k /= 10) stop 1\nend program\n")
        self.write("other.f90", "subroutine other\n  call dbg_init('begin')\nend subroutine\n")
        self.run_in("gfortran", "-c", "names.f90")
        for level, *flags in (("-dperf",), ("-dperf", "-fno-underscoring", "-std=f95"), ("-d3", "-fsecond-underscore")):
            self.fc("--strict", level, "gfortran", "-fopenmp", *flags, "own.f90", "main.f90", "other.f90", "-o", "prog")
            self.checked("prog", "begin end", init=1, before_parallel=1, before_critical=1, before_omp_loop=2)

    def test_left_alone_without_events(self):
        text = "module constants\n  integer, parameter :: n = 3 ! kept\nend module constants\n"
        self.write("a.f90", text)
        self.instrument("a.f90", "-o", "out.f90")
        self.assertEqual((self.work / "out.f90").read_text(), text)


if __name__ == "__main__":
    unittest.main()
