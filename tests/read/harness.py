"""Captures an example with `comshu run` and asks the capture, as a user does."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

COMSHU = os.environ["COMSHU_TEST_COMMAND"]
MPI = os.environ["COMSHU_TEST_MPI"]
EXEC = os.environ["COMSHU_TEST_EXEC"]
EXAMPLES = os.environ["COMSHU_TEST_EXAMPLES"]


def plain_environment(**more):
    """Without what would change the report's text."""
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG")}
    environment.update(more)
    return environment


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="comshu-read-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.capture = os.path.join(self.folder, "capture")

    def launch_line(self, program, *arguments, launcher=()):
        """A program of the tests, or an example."""
        own = os.path.join(os.environ["COMSHU_TEST_PROGRAMS"], program)
        path = own if os.path.exists(own) else os.path.join(EXAMPLES, program)
        return [EXEC, *launcher, "-n", "2", path, *map(str, arguments)]

    def run_line(self, *command):
        return [COMSHU, "run", "-p", "mpi", "--mpi", MPI, "-o", self.capture, "--", *command]

    def record(self, program, *arguments, launcher=()):
        done = subprocess.run(self.run_line(*self.launch_line(program, *arguments, launcher=launcher)),
                              capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def comshu(self, *arguments, **environment):
        done = subprocess.run([COMSHU, *arguments], capture_output=True, text=True, timeout=120,
                              env=plain_environment(**environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *arguments, code=1):
        """What a command that fails has to say; 2: for how it was called."""
        done = subprocess.run([COMSHU, *arguments], capture_output=True, text=True, timeout=120,
                              env=plain_environment(), check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def report(self):
        return json.loads(self.comshu("read", self.capture, "--json"))

    def text(self, **environment):
        return self.comshu("read", self.capture, **environment)

    def rows(self, query):
        """Rows of a query as tuples, in order."""
        return [tuple(row.values())
                for row in json.loads(self.comshu("sql", self.capture, query, "--format", "json"))]

    def counts(self):
        """Calls by name and rank."""
        return {(rank, name): calls for rank, name, calls in
                self.rows("select rank, name, count(*) as calls from span group by all")}


def line_of(source, text):
    """Number of the only line of an example that holds the text."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "examples", source)
    with open(path, encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (source, text, found)
    return found[0]
