"""tests/hpc/run.sh on loopback: a copy of the repository, with a build folder of one real test."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("run.sh")


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-hpc-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / "tree"
        (self.tree / "tests" / "hpc").mkdir(parents=True)
        shutil.copy2(SCRIPT, self.tree / "tests" / "hpc")
        for command in (["init", "-q"], ["add", "-A"],
                        ["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "one"]):
            subprocess.run(["git", *command], cwd=self.tree, check=True)
        self.commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.tree, check=True,
                                     capture_output=True, text=True).stdout.strip()
        self.build = self.folder / "build"
        self.build.mkdir()

    def set_tests(self, *commands):
        (self.build / "CTestTestfile.cmake").write_text(
            "".join(f'add_test({name} {command})\n' for name, command in commands), encoding="utf-8")

    def run_script(self, *options):
        return subprocess.run([self.tree / "tests" / "hpc" / "run.sh", "--build", self.build, "--out",
                               self.folder / "out", *options], capture_output=True, text=True,
                              timeout=60)

    def test_results_belong_to_a_commit(self):
        self.set_tests(("good", "/bin/true"), ("bad", "/bin/false"))
        done = self.run_script("--", "-R", "good")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = pathlib.Path(done.stdout.strip())
        self.assertEqual(result.parent.name, self.commit)
        text = result.read_text(encoding="utf-8")
        self.assertTrue(text.startswith(f"commit {self.commit}\nvia local\nexit 0\n{os.uname().nodename}\n"),
                        text)
        self.assertIn("100% tests passed", text)

    def test_a_failure_is_one_of_the_script(self):
        self.set_tests(("good", "/bin/true"), ("bad", "/bin/false"))
        done = self.run_script()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("bad", pathlib.Path(done.stdout.strip()).read_text(encoding="utf-8"))

    def test_a_tree_with_changes_is_refused(self):
        self.set_tests(("good", "/bin/true"))
        (self.tree / "changed").write_text("", encoding="utf-8")
        done = self.run_script()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("not committed", done.stderr)
        self.assertFalse(list((self.folder / "out").glob("*")))

    def test_options(self):
        self.assertEqual(self.run_script("--via", "pigeon").returncode, 2)
        self.assertEqual(self.run_script("--fast").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
