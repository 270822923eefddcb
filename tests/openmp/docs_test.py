"""The samples of the pages on Fortran: each runs as it stands there."""

import os
import re
import shutil

from harness import COMMAND, OpenmpTest, ROOT, main

PAGES = ["fc.md", "instrument.md", "provider-openmp.md"]
MAKEFILE = "jacobi: jacobi.f90\n\t$(FC) -fopenmp jacobi.f90 -o jacobi\n"
CMAKE = "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES Fortran)\nadd_executable(jacobi jacobi.f90)\n"


class Docs(OpenmpTest):
    def test_samples(self):
        for page in PAGES:
            with self.subTest(page):
                shutil.copy(ROOT / "examples" / "jacobi.f90", self.work)
                (self.work / "Makefile").write_text(MAKEFILE)
                (self.work / "CMakeLists.txt").write_text(CMAKE)
                lines = re.findall(r"^    \$ (.*)$", (ROOT / "docs" / page).read_text(encoding="utf8"), re.M)
                self.assertTrue(lines)
                for line in lines:
                    if "hybrid" in line:
                        continue
                    if line.startswith("comshu run"):
                        shutil.rmtree(self.work / "comshu-out", ignore_errors=True)
                    self.execute("bash", "-c", line, COMSHU=str(COMMAND.parent.parent), OMP_NUM_THREADS="2",
                                 PATH=f"{COMMAND.parent}:{os.environ['PATH']}")

    def test_a_build_by_cmake(self):
        shutil.copy(ROOT / "examples" / "jacobi.f90", self.work)
        (self.work / "CMakeLists.txt").write_text(CMAKE.replace(
            "add_exec", "set(CMAKE_Fortran_FLAGS -fopenmp)\nadd_exec"))
        self.execute("cmake", "-B", "build", FC=f"{COMMAND} fc gfortran")
        self.execute("cmake", "--build", "build", "-j2")
        self.record(self.work / "build" / "jacobi", "c", threads=2)
        self.assertEqual(self.query("c", "SELECT count(*) FROM span WHERE name = 'parallel'"), [("40",)])


if __name__ == "__main__":
    main()
