"""Programs that others wrote, from Debian packages, under the recorder: they do what they do without it,
and comshu counts as many calls of each function as a plain PMPI tool behind it does in the same run."""

import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["COMSHU_TEST_COMMAND"]
MPIEXEC = {mpi: os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"] for mpi in ("mpich", "openmpi")
           if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}
COUNTERS = pathlib.Path(os.environ["COMSHU_TEST_COUNTERS"])
SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack/{}-tests"
HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")

LU_INPUT = """'SCALAPACK, LU factorization input file'
'MPI Machine'
'LU.out' output file name
6 device out
2 number of problems sizes
10 17 values of M
12 13 values of N
1 number of NB's
3 values of NB
1 number of NRHS's
3 values of NRHS
1 number of NBRHS's
3 values of NBRHS
2 number of process grids
1 2 values of P
2 1 values of Q
1.0 threshold
T test cond. est. and iter. ref. routines
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-programs-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.counted = self.folder / "counted"
        self.counted.mkdir()

    def start(self, *command, **changes):
        environment = dict(os.environ, COUNTER_FOLDER=str(self.counted), **changes)
        return subprocess.run([str(word) for word in command], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=200, check=False)

    def capture(self, mpi, *program):
        """Runs on two ranks with the counter behind comshu; the counts of both, by function, must agree."""
        launcher = [MPIEXEC[mpi], "-n", 2] + (["--oversubscribe"] if mpi == "openmpi" else [])
        done = self.start(COMMAND, "run", "-p", "mpi", "-o", "out", "--", *launcher, *program,
                          # Rings that hold all of it: however busy the machine is, nothing is lost.
                          COMSHU_RING_KIB="65536", LD_PRELOAD=str(COUNTERS / f"libcounter-{mpi}.so"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("nothing lost", done.stderr)
        plain = collections.Counter()
        for file in self.counted.iterdir():
            for line in file.read_text().splitlines():
                name, count = line.split()
                plain[name] += int(count)
        result = self.start(COMMAND, "sql", "out", "select name, count(*) from span where layer = 'mpi' group by name",
                            "--format", "csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        ours = {name: int(count) for name, count in list(csv.reader(io.StringIO(result.stdout)))[1:]}
        self.assertGreater(sum(plain.values()), 100)
        self.assertEqual(ours, dict(plain))
        return done.stdout

    def skip_without(self, path, package):
        if not pathlib.Path(path).exists():
            self.skipTest(f"{path} is not there (package {package})")

    def netpipe(self, mpi, program, package):
        self.skip_without(program, package)
        if mpi not in MPIEXEC:
            self.skipTest(f"no {mpi}")
        output = self.capture(mpi, program, "-u", 1024, "-n", 5, "-o", "np.out")
        plain = self.start(MPIEXEC[mpi], "-n", 2, program, "-u", 1024, "-n", 5, "-o", "plain.out")
        sizes = re.compile(r"^\d+", re.M)
        self.assertEqual(sizes.findall((self.folder / "np.out").read_text()),
                         sizes.findall((self.folder / "plain.out").read_text()), plain.stderr)
        self.assertNotIn("error", output.lower())

    def test_netpipe_mpich(self):
        self.netpipe("mpich", "/usr/bin/NPmpich2", "netpipe-mpich2")

    def test_netpipe_openmpi(self):
        self.netpipe("openmpi", "/usr/bin/NPopenmpi", "netpipe-openmpi")

    def test_scalapack(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                program = SCALAPACK.format(mpi) + "/xdlu"
                self.skip_without(program, "scalapack-mpi-test")
                for name in (self.folder / "out", self.counted):
                    shutil.rmtree(name, ignore_errors=True)
                self.counted.mkdir()
                (self.folder / "LU.dat").write_text(LU_INPUT)
                output = self.capture(mpi, program)
                self.assertIn("4 tests completed and passed residual checks", output)
                self.assertIn("0 tests completed and failed residual checks", output)

    def test_hpcc(self):
        self.skip_without("/usr/bin/hpcc", "hpcc")
        self.skip_without(HPCC_INPUT, "hpcc")
        if "openmpi" not in MPIEXEC:
            self.skipTest("no openmpi")
        lines = HPCC_INPUT.read_text().splitlines()
        lines[5], lines[7], lines[10], lines[11] = "100 Ns", "20 NBs", "1 Ps", "2 Qs"
        (self.folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")
        self.capture("openmpi", "/usr/bin/hpcc")
        output = (self.folder / "hpccoutf.txt").read_text()
        self.assertIn("Success=1", output)
        self.assertEqual(re.findall(r"(\d+) tests completed and failed", output), ["0", "0"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
