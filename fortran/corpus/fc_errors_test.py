#!/usr/bin/python3
"""What comshu-fc says, returns and leaves where something goes wrong.
usage: fc_errors_test.py BUILD_FOLDER [unittest arguments]"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from commands import BUILD, MAIN, MODULE, CommandCase


class Errors(CommandCase):
    def test_errors_of_the_user(self):
        """They are the compiler's in its words, with its exit code, and leave the files that it leaves."""
        cases = {"syntax": (("a.f90",), MODULE + MAIN.replace("1, 10", "1 10")),
                 "name": (("a.f90",), MODULE + MAIN.replace("  integer :: i\n", "  implicit none\n")),
                 "name in a module": (("a.f90",), MODULE.replace("  total = 0", "  other = 0").replace("total + n", "other + n") + MAIN),
                 "directive": (("a.f90",), MODULE + MAIN.replace("parallel do", "parallel do shared(total) shared(total)")),
                 "default(none)": (("a.f90",), MODULE + MAIN.replace("parallel do", "parallel do default(none)").replace(
                     "count(i)", "count(k)")),
                 "no such module": (("a.f90",), MAIN), "no such include": (("a.f90",), MAIN.replace("integer", "include 'x.inc'\n  integer")),
                 "no Fortran": (("a.f90",), "this is not Fortran\n"),
                 "no folder": (("a.f90", "-o", "no/where/a.o"), MODULE), "no module folder": (("a.f90", "-J", "no/where"), MODULE),
                 "a folder": (("a.f90", "-o", "folder"), MODULE), "no source": (("missing.f90",), MODULE),
                 "option": (("a.f90", "-fno-such-option"), MODULE), "standard": (("a.f90", "-std=f95"), MODULE.replace("end module c", "end module d")),
                 "later feature": (("a.f90", "-std=f2003"), MODULE + MAIN.replace("print", "error stop\n  print")),
                 "warning": (("a.f90", "-Werror", "-Wall"), MODULE.replace("integer, intent(in) :: n", "integer, intent(in) :: n\n    real :: q"))}
        for level in ("-dperf", "-d3"):
            for name, (words, text) in cases.items():
                for last in (("-c",), ("-o", "prog"), ("-c", "-MMD", "-cpp", "--coverage"))[:3 if level == "-d3" else 1]:
                    found = []
                    fc = (BUILD / "bin/comshu-fc", level)
                    for compiler in ((), fc, (*fc, "--strict"))[:3 if last == ("-c",) else 2]:
                        for path in self.work.iterdir():
                            shutil.rmtree(path) if path.is_dir() else path.unlink()
                        (self.work / "folder").mkdir()
                        self.write("a.f90", text)
                        result = self.run_in(*compiler, "gfortran", "-fopenmp", *last, *words, code=None)
                        said = re.sub(r"/tmp/\S+?([^/\s]*\.o)", "x.o", result.stderr)
                        # Beside what the compiler keeps of a module stands what Flang keeps of it.
                        files = {str(p.relative_to(self.work)) for p in self.work.rglob("*")}
                        if "counting.mod" in files:
                            files -= {".comshu-modules", ".comshu-modules/counting.mod"}
                        found.append((result.returncode, said, sorted(files)))
                    with self.subTest(name, level=level, last=last):
                        self.assertNotEqual(found[0][0], 0, "it compiles")
                        for other in found[1:]:
                            self.assertEqual(other, found[0])

    def test_errors_of_several_sources(self):
        """Of each they are said, and what compiles leaves what it leaves."""
        self.write("a.f90", MAIN.replace("1, 10", "1 10"))
        self.write("b.f90", MODULE)
        self.write("c.f90", MAIN.replace("  integer :: i", "  implicit none"))
        found = []
        for compiler in ((), (BUILD / "bin/comshu-fc",)):
            found.append(self.run_in(*compiler, "gfortran", "-fopenmp", "a.f90", "b.f90", "c.f90", "-o", "prog", code=1).stderr)
            self.assertTrue((self.work / "counting.mod").exists())
            (self.work / "counting.mod").unlink()
        self.assertEqual(found[0], found[1])

    def test_a_compiler_that_is_not_there(self):
        """It is said at once, before anything is read."""
        self.write("a.f90", "this is not Fortran\n")
        self.write("compiler", "#!/bin/sh\n").chmod(0o644)
        for words, code, reason in ((("no-such-compiler", "-c", "a.f90"), 127, "No such file"), (("./none", "a.f90"), 127, "No such file"),
                                    (("./compiler", "a.f90"), 126, "Permission denied"), (("no-such-compiler",), 127, "No such file"),
                                    (("a.f90", "-c"), 2, "the compiler is missing before a.f90")):
            with self.subTest(words):
                lines = self.fc("--strict", *words, code=code).stderr.splitlines()
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(words[0], lines[0])
                self.assertIn(reason, lines[0])
                self.assertIn("comshu fc gfortran", lines[0])

    def test_an_instrumentor_that_is_ended(self):
        """By whom is not known, by which signal is. One of those that a fault gives is laid to Flang."""
        self.write("a.f90", MODULE)
        (self.work / "bin").mkdir()
        shutil.copy(BUILD / "bin/comshu-fc", self.work / "bin/comshu-fc")
        for number, name in ((signal.SIGPIPE, "Broken pipe"), (signal.SIGTERM, "Terminated"), (signal.SIGKILL, "Killed")):
            self.write("bin/comshu-instrument", f"#!/bin/sh\nkill -{number.value} $$\n").chmod(0o755)
            result = self.run_in("bin/comshu-fc", "gfortran", "-fopenmp", "-c", "a.f90")
            self.assertIn(f"a.f90: comshu-instrument was ended by signal {number.value} ({name})", result.stderr)
            self.assertIn("0 of 1 source instrumented", result.stderr)
            self.run_in("bin/comshu-fc", "--strict", "gfortran", "-fopenmp", "-c", "a.f90", code=1)
        # The process that reads the source waits for an include file that nobody writes.
        self.write("b.f90", "program b\n  include 'pipe'\nend program b\n")
        os.mkfifo(self.work / "pipe")
        for number, reason in ((signal.SIGTERM, "b.f90 is not instrumented: the process that reads it was ended by signal 15 (Terminated)"),
                               (signal.SIGSEGV, "LLVM Flang fails on it (its process was ended by signal 11")):
            with subprocess.Popen([BUILD / "bin/comshu-instrument", "b.f90", "-o", "out.f90"], cwd=self.work, stderr=subprocess.PIPE,
                                  text=True) as process:
                children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
                for _ in range(1000):
                    if children.read_text():
                        break
                    time.sleep(0.01)
                os.kill(int(children.read_text()), number)
                self.assertIn(reason, process.communicate(timeout=60)[1])
                self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    unittest.main()
