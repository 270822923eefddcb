"""The pages on options, control and the program's own data: tables as they are, samples that compile and run."""

import json
import os
import pathlib
import re
import subprocess

from harness import ControlTest, MPIEXEC, PROGRAMS, main

ROOT = pathlib.Path(os.environ["COMSHU_TEST_ROOT"])
USER = (ROOT / "docs" / "user.md").read_text(encoding="utf8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", USER, re.M | re.S)


class Docs(ControlTest):
    def test_options(self):
        """docs/options.md, --help and list come from one description."""
        table = self.comshu("list", "--options").stdout
        self.assertIn("\n" + table, (ROOT / "docs" / "options.md").read_text(encoding="utf8"),
                      "write the output of `comshu list --options` into docs/options.md")
        flags = re.findall(r"^\| `(--[^`]+)`", table, re.M)
        self.assertIn("--on-full", flags)
        self.assertIn("--mpi.calls", flags)
        page = self.comshu("run", "--help").stdout
        for flag in flags:
            self.assertIn(flag + " ", page)
        providers = {p["name"]: p for p in json.loads(self.comshu("list", "--json").stdout)}
        self.assertEqual(providers["mpi"]["options"],
                         [{"flag": "--mpi.calls", "variable": "COMSHU_MPI_CALLS", "values": "all|communication",
                           "default": "all", "help": providers["mpi"]["options"][0]["help"]},
                          {"flag": "--mpi.clocks", "variable": "COMSHU_MPI_CLOCKS", "values": "auto|on|off",
                           "default": "auto", "help": providers["mpi"]["options"][1]["help"]}])
        self.assertIn("--mpi.calls all|communication", self.comshu("list").stdout)
        run = (ROOT / "docs" / "run.md").read_text(encoding="utf8")
        for flag in flags:
            if "." not in flag:
                self.assertIn(f"| `{flag} ", run)

    def compile(self, name, text, compiler):
        (self.work / name).write_text(text)
        done = subprocess.run([*compiler, f"-I{ROOT / 'include'}", "-c", name, "-o", "out.o"], cwd=self.work, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr}")

    def test_samples_in_c(self):
        includes = "#include <comshu/comshu.h>\n#include <stdint.h>\n"
        arguments = "int step, double r, int to, int from, int tag, uint64_t bytes, int rank, int size"
        for compiler, language in ((["cc", "-xc", "-std=c99", "-Wall", "-Werror"], "c"),
                                   (["c++", "-xc++", "-std=c++11", "-Wall", "-Werror"], "c++")):
            body = "".join(line for block in blocks("c") for line in block.splitlines(True)
                           if not line.startswith("#include"))
            self.compile(f"sample.{language}", f"{includes}void f({arguments}) {{\n{body}}}\n", compiler)
        for block in blocks("cpp"):
            self.compile("sample.cpp", includes + block.replace("...", ""), ["c++", "-std=c++11", "-Wall"])

    def test_without_it_there_is_nothing(self):
        includes = "#define COMSHU_DISABLE\n#include <comshu/comshu.h>\n"
        self.compile("nothing.c", includes + "void f(void) { comshu_region_begin(\"a\"); comshu_mark(\"b\", 1); }",
                     ["cc", "-O2", "-Wall", "-Werror"])
        symbols = subprocess.run(["nm", self.work / "out.o"], text=True, capture_output=True, check=True).stdout
        self.assertEqual(re.findall(r"dlsym|comshu", symbols), [])

    def test_samples_in_fortran(self):
        mpi = next((m for m in MPIEXEC if (PROGRAMS / m / "comshu.mod").exists()), None)
        if mpi is None:
            self.skipTest("no Fortran wrapper compiler")
        for block in blocks("fortran"):
            self.compile("sample.f90", "subroutine f(r)\n" + block.replace("use comshu\n", "use comshu\nreal :: r\ninteger :: step\n") +
                         "end subroutine\n", ["gfortran", f"-I{PROGRAMS / mpi}"])
        # The module is for programs with larger default kinds as well.
        module = (ROOT / "include" / "comshu" / "comshu.f90").read_text(encoding="utf8")
        self.compile("wide.f90", module, ["gfortran", "-fdefault-integer-8", "-fdefault-real-8"])

    def test_questions(self):
        mpi = next(iter(MPIEXEC))
        self.run_program(mpi, "user", options=("-p", "mpi,user"))
        samples = re.findall(r'^    comshu sql comshu-out "(.*)"$', USER, re.M)
        self.assertEqual(len(samples), 2)
        for sample in samples:
            self.assertTrue(self.query(mpi, sample))


if __name__ == "__main__":
    main()
