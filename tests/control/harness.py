"""What the tests of control share: programs of both MPIs under comshu run, and questions to the capture."""

import csv
import io
import json
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

    def answers(self, folder, *queries):
        """What query() gives of each, by one start of the command."""
        sql = " UNION ALL ".join(f"SELECT {i} AS query, row_number() OVER () AS number, to_json(t)::VARCHAR AS row "
                                 f"FROM ({query}) t" for i, query in enumerate(queries))
        found = [[] for _ in queries]
        for query, _, row in sorted(self.query(folder, sql), key=lambda row: (int(row[0]), int(row[1]))):
            found[int(query)].append([self.text(value) for value in json.loads(row).values()])
        return found

    @staticmethod
    def text(value):
        """As comshu sql writes it."""
        if value is None:
            return ""
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return json.dumps(value) if isinstance(value, bool) else str(value)

    def number(self, folder, sql):
        return int(self.query(folder, sql)[0][0])

    @staticmethod
    def each_mpi():
        return list(MPIEXEC)


def main():
    unittest.main(verbosity=2)
