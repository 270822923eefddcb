"""What the tests of OpenMP share: programs built by comshu-fc, runs under comshu run, questions to the capture."""

import csv
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = pathlib.Path(os.environ["COMSHU_TEST_COMMAND"])
FC = COMMAND.parent / "comshu-fc"
ROOT = pathlib.Path(os.environ["COMSHU_TEST_ROOT"])
MPIS = {mpi: (os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"], os.environ[f"COMSHU_TEST_FC_{mpi.upper()}"])
        for mpi in ("mpich", "openmpi") if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}


class OpenmpTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="comshu-openmp-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def execute(self, *command, code=0, **environment):
        env = dict(os.environ, OMP_DYNAMIC="false", OMP_MAX_ACTIVE_LEVELS="4")
        env.update(environment)
        done = subprocess.run([str(word) for word in command], cwd=self.work, text=True, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def build(self, name, text, *options, compiler=("gfortran", "-fopenmp"), libraries=()):
        """An instrumented program; `text` is free form."""
        (self.work / f"{name}.f90").write_text(text)
        self.execute(FC, "--strict", *options, *compiler, "-O1", f"{name}.f90", *libraries, "-o", name)
        return self.work / name

    def record(self, program, folder, *options, threads=4, launcher=()):
        return self.execute(COMMAND, "run", "-p", "openmp", "-o", folder, *options, "--", *launcher, program,
                            OMP_NUM_THREADS=str(threads))

    def query(self, folder, sql):
        done = self.execute(COMMAND, "sql", folder, sql, "--format", "csv")
        return [tuple(row) for row in csv.reader(io.StringIO(done.stdout))][1:]

    def number(self, folder, sql):
        return int(self.query(folder, sql)[0][0])

    def numbers(self, folder, *queries):
        """Of several queries, which cost as much as one."""
        return [int(value) for value in self.query(folder, "SELECT " + ", ".join(f"({sql})" for sql in queries))[0]]


def main():
    unittest.main(verbosity=2)
