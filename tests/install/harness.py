"""What the tests of an installed comshu share: the tree, installed once and then moved; running things."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CMAKE = os.environ["COMSHU_TEST_CMAKE"]
BUILD = pathlib.Path(os.environ["COMSHU_TEST_BUILD"])
SOURCE = pathlib.Path(os.environ["COMSHU_TEST_SOURCE"])
OBJECTS = os.environ["COMSHU_TEST_OBJECTS"].split(",")
TEMPLATE = pathlib.Path(os.environ["COMSHU_TEST_TEMPLATE"])
MPIEXEC = {mpi: os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"] for mpi in ("mpich", "openmpi")
           if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}

# Waits for three files and a failing descriptor: fsync twice, fdatasync twice, one of them fails.
SYNCS = """
import os, sys
f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
os.fsync(f); os.fdatasync(f); os.fsync(f)
try: os.fdatasync(99)
except OSError: pass
"""


def run(*command, code=0, **options):
    """Ends the test unless the exit code is the one expected."""
    environment = dict(os.environ, **options.pop("environment", {}))
    for name in ("COMSHU_PROVIDER_PATH", "COMSHU_ENGINE_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"):
        if name not in options.get("keep", ()):
            environment.pop(name, None)
    environment.update(options.pop("extra", {}))
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=250, check=False, **options)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class WorkTest(unittest.TestCase):
    """A folder that all classes share, and one for each test."""

    folder = None

    @classmethod
    def setUpClass(cls):
        if WorkTest.folder is None:
            WorkTest.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-install-"))
            unittest.addModuleCleanup(shutil.rmtree, WorkTest.folder, ignore_errors=True)

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="work-", dir=self.folder))


class InstallTest(WorkTest):
    """The first class installs, and moves the tree before anything is run. Who changes it changes it back."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.folder / "moved"
        cls.command = cls.prefix / "bin/comshu"
        cls.objects = cls.prefix / "lib/comshu"
        if not cls.prefix.exists():
            run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
            (cls.folder / "first").rename(cls.prefix)

    def copy_of_tree(self, name):
        """The same files in another place: what is changed there is to be replaced, not written to."""
        shutil.copytree(self.prefix, self.work / name, symlinks=True, copy_function=os.link)
        return self.work / name

    def comshu(self, *arguments, **options):
        return run(self.command, *arguments, cwd=self.work, **options)

    def query(self, folder, sql):
        return self.comshu("sql", folder, sql, "--format", "csv").stdout.splitlines()[1:]


def main():
    unittest.main(verbosity=2)
