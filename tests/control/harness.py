"""What the tests of control share: programs of both MPIs under comshu run, and questions to the capture."""

import csv
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["COMSHU_TEST_COMMAND"]
PROGRAMS = pathlib.Path(os.environ["COMSHU_TEST_PROGRAMS"])
MPIEXEC = {mpi: os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"] for mpi in ("mpich", "openmpi")
           if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}
PATIENCE = 60


class ControlTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="comshu-control-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def command(self, mpi, program, arguments, options):
        return [str(word) for word in (COMMAND, "run", *options, "-o", mpi, "--", MPIEXEC[mpi], "-n", 2,
                                       PROGRAMS / mpi / program, *arguments)]

    def comshu(self, *arguments, code=0):
        done = subprocess.run([COMMAND, *(str(a) for a in arguments)], cwd=self.work, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_program(self, mpi, program, *arguments, options=()):
        done = subprocess.run(self.command(mpi, program, arguments, options), cwd=self.work, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def start_program(self, mpi, program, *arguments, options=()):
        # Not to a pipe that nobody reads.
        with open(self.work / f"{mpi}.output", "w", encoding="utf8") as output:
            process = subprocess.Popen(self.command(mpi, program, arguments, options), cwd=self.work,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def wait_for(self, condition, what):
        until = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), until, f"waited for {what}")
            time.sleep(0.01)

    def met(self, name, ranks=2):
        """Waits until all ranks are at a meeting point."""
        self.wait_for(lambda: all((self.work / f"{name}.{rank}").exists() for rank in range(ranks)), name)

    def go(self, name):
        (self.work / f"{name}.go").touch()

    def query(self, folder, sql):
        result = self.comshu("sql", folder, sql, "--format", "csv")
        return list(csv.reader(io.StringIO(result.stdout)))[1:]

    def number(self, folder, sql):
        return int(self.query(folder, sql)[0][0])

    @staticmethod
    def each_mpi():
        return list(MPIEXEC)


def main():
    unittest.main(verbosity=2)
