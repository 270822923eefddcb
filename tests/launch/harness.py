"""What the tests of the launcher share: a folder per test, the stand-in objects, running comshu."""

import collections
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["COMSHU_TEST_COMMAND"]
STAND_IN = os.environ["COMSHU_TEST_STAND_IN"]
EXAMPLES = pathlib.Path(os.environ["COMSHU_TEST_EXAMPLES"])
MPIEXEC = {mpi: os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"] for mpi in ("mpich", "openmpi")
           if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}
OBJECTS = {mpi: [f"libqmpi-{mpi}.so", "libcomshu_engine.so", f"libcomshu_mpi-{mpi}.so"]
           for mpi in ("mpich", "openmpi")}

# A process that loaded the stand-in, and what it found in its environment.
Seen = collections.namedtuple("Seen", "program preload folder pass_name job")


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-launch-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.objects = self.folder / "objects"
        self.objects.mkdir()
        for name in sorted({name for names in OBJECTS.values() for name in names}):
            # Real files: the loader takes two links to one file for one object.
            shutil.copy(STAND_IN, self.objects / name)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.seen_folder = self.folder / "seen"
        self.seen_folder.mkdir()
        self.environment = dict(os.environ, COMSHU_PROVIDER_PATH=str(self.objects),
                                COMSHU_TEST_SEEN=str(self.seen_folder))
        self.environment.pop("LD_PRELOAD", None)

    def run_command(self, *command, **changes):
        """Runs any command in the folder of the test."""
        environment = dict(self.environment)
        environment.update(changes)
        return subprocess.run([str(word) for word in command], cwd=self.work, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)

    def comshu(self, *arguments, **changes):
        return self.run_command(COMMAND, *arguments, **changes)

    def seen(self):
        """All processes that loaded the stand-in so far, in no order."""
        found = []
        for file in self.seen_folder.glob("[!.]*"):
            found.append(Seen(file.name.rsplit(".", 1)[0], *file.read_text().splitlines()))
        return found

    def programs_seen(self):
        return sorted(seen.program for seen in self.seen())

    def forget_seen(self):
        for file in self.seen_folder.iterdir():
            file.unlink()

    def object_paths(self, mpi):
        return [str(self.objects / name) for name in OBJECTS[mpi]]

    def script(self, name, text):
        file = self.work / name
        file.write_text(text)
        file.chmod(0o755)
        return f"./{name}"

    def user_object(self, name="libuser.so"):
        """An object that the user preloads."""
        file = self.folder / name
        if not file.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-o", file, "-x", "c", "/dev/null"], check=True)
        return str(file)

    def check_code(self, result, code=0):
        self.assertEqual(result.returncode, code, result.stderr)


def main():
    unittest.main(verbosity=2)
