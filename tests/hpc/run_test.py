"""tests/hpc/run.sh on loopback: a small repository, a build of it, and a login by a private sshd."""

import getpass
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).with_name("run.sh")
ROOT = SCRIPT.parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(tree LANGUAGES NONE)
enable_testing()
add_test(NAME good COMMAND /bin/true)
add_test(NAME seed COMMAND printenv COMSHU_TEST_SEED)
set_tests_properties(good seed PROPERTIES LABELS "unit;mpi")
add_test(NAME bad COMMAND /bin/false)
add_test(NAME endless COMMAND sleep 600 CONFIGURATIONS endless)
set_tests_properties(bad PROPERTIES LABELS long)
add_custom_target(everything ALL)
include(cmake/ComshuCommit.cmake)
"""
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
# sshd started by root wants a folder that its service makes.
CAN_LOG_IN = SSHD and shutil.which("ssh") and (os.getuid() != 0 or pathlib.Path("/run/sshd").is_dir())
# Where Slurm is set up for the one who runs the tests.
HAS_SLURM = shutil.which("sinfo") and subprocess.run(["sinfo"], capture_output=True, check=False).returncode == 0


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=60,
                          **options).stdout.strip()


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="comshu-hpc-"))
        cls.addClassCleanup(shutil.rmtree, cls.base, ignore_errors=True)
        first = cls.base / "first"
        for path in ("tests/hpc/run.sh", "cmake/ComshuCommit.cmake"):
            (first / path).parent.mkdir(parents=True)
            shutil.copy2(ROOT / path, first / path)
        (first / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (first / ".gitignore").write_text("/build/\n", encoding="utf-8")
        run("git", "init", "-q", cwd=first)
        cls.commit_all(first)
        for build in ("it's", "release"):
            run("cmake", "-S", first, "-B", first / "build" / build)
            run("cmake", "--build", first / "build" / build)

    @staticmethod
    def commit_all(tree):
        run("git", "add", "-A", cwd=tree)
        run("git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "one", cwd=tree)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        self.tree = self.base / "first"
        self.build = self.tree / "build" / "it's"
        self.out = self.folder / "out"
        self.commit = run("git", "rev-parse", "HEAD", cwd=self.tree)

    def run_script(self, *options, path=None):
        environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"} if path else None
        return subprocess.run([self.tree / "tests" / "hpc" / "run.sh", "--build", self.build, "--out", self.out,
                               *options], capture_output=True, text=True, timeout=60, env=environment)

    def refused(self, code, message, *options, path=None):
        done = self.run_script(*options, path=path)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        first, *rest = done.stderr.splitlines()
        self.assertRegex(first, f"^run.sh: .*{message}")
        self.assertNotRegex(done.stderr, r"run\.sh: \d+:|line \d+:")
        self.assertFalse(self.out.exists(), "something was left")
        return rest

    def test_results_belong_to_a_commit(self):
        done = self.run_script("--", "-R", "good")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = pathlib.Path(done.stdout.strip())
        self.assertEqual(result.parent, self.out / self.commit)
        host = os.uname().nodename
        self.assertRegex(result.name, rf"^{re.escape(host)}-\d{{8}}T\d{{6}}Z\.txt$")
        text = result.read_text(encoding="utf-8")
        self.assertRegex(text, f"^commit {self.commit}\nvia local\nbuild {self.build}\nhost {re.escape(host)}\n"
                               r"seed \d+\nexit 0\n")
        self.assertIn("100% tests passed", text)
        self.assertEqual([path.name for path in self.out.iterdir()], [self.commit])

    def test_what_fails(self):
        for options in ([], ["--", "-R", "no such test"], ["--", "-R", "it's"]):
            with self.subTest(options=options):
                done = self.run_script(*options)
                self.assertEqual(done.returncode, 1)
                self.assertIn("not all tests passed", done.stderr)
                text = pathlib.Path(done.stdout.strip()).read_text(encoding="utf-8")
                self.assertIn("No tests were found" if options else "bad", text)

    def test_a_build_of_something_else_is_refused(self):
        other = self.folder / "other"
        run("git", "clone", "-q", self.tree, other)
        self.tree, build = other, self.build
        self.refused(1, "built from .*/first, not from .*/other")
        self.build = self.folder / "nowhere"
        self.refused(2, "nowhere: no such build folder")
        self.build = self.folder / "empty"
        self.build.mkdir()
        self.refused(2, "not a build folder of cmake")

        self.build = other / "build"
        run("cmake", "-S", other, "-B", self.build)
        self.refused(1, "not built whole")
        (other / "more").write_text("", encoding="utf-8")
        run("cmake", "--build", self.build)
        self.assertEqual(self.refused(1, "not committed"), ["?? more"])
        self.commit_all(other)
        self.refused(1, f"built from commit {self.commit}-changed, not ")
        run("cmake", "--build", self.build)
        self.assertEqual(self.run_script("--", "-R", "good").returncode, 0)
        shutil.rmtree(self.out)

        part = self.build / "CMakeFiles" / "everything.dir" / "part.cpp.o"
        part.parent.mkdir(exist_ok=True)
        part.touch()
        os.utime(part, (part.stat().st_mtime + 9, part.stat().st_mtime + 9))
        self.refused(1, "part.cpp.o was built after the whole")
        self.build = build

    def run_samples(self, tools):
        """Those of the page, as they stand there; not jobs of Slurm, as partitions are named by the site."""
        page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
        lines = [line for line in re.findall(r"^    (?:\$ )?(.*tests/hpc/run\.sh .*)$", page, re.M)
                 if "sbatch" not in line]
        self.assertGreater(len(lines), 2)
        for line in lines:
            with self.subTest(line=line):
                done = run("sh", "-c", line, cwd=self.tree, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
                self.assertRegex(done, r"/[0-9a-f]{40}/.*\.txt$")

    def test_wrong_words(self):
        for options, message in ((["--via"], "--via: a value is missing"), (["--build"], "--build: a value"),
                                 (["--via", "pigeon"], "pigeon: give"), (["--via", "ssh:"], "ssh:: give"),
                                 (["--fast"], "--fast: unknown")):
            with self.subTest(options=options):
                rest = self.refused(2, message, *options)
                self.assertRegex(rest[0], r"^usage: tests/hpc/run\.sh \[--via")
        if not shutil.which("sbatch"):
            self.refused(2, "sbatch is not found here", "--via", "sbatch")

    @unittest.skipUnless(HAS_SLURM, "no Slurm")
    def test_sbatch(self):
        done = self.run_script("--via", "sbatch", "--", "-R", "^good$")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("via sbatch\n", pathlib.Path(done.stdout.strip()).read_text(encoding="utf-8"))

    @unittest.skipUnless(HAS_SLURM, "no Slurm")
    def test_interrupted_sbatch(self):
        def jobs():
            return run("squeue", "--noheader", "--format=%i", "--name=comshu-tests").split()

        before = jobs()
        with subprocess.Popen([self.tree / "tests" / "hpc" / "run.sh", "--build", self.build, "--out", self.out,
                               "--via", "sbatch", "--", "-C", "endless", "-R", "endless"]) as script:
            while set(jobs()) <= set(before):
                self.assertIsNone(script.poll())
                time.sleep(0.1)
            script.send_signal(signal.SIGINT)
        self.assertEqual(script.returncode, 130)
        self.assertLessEqual(set(jobs()), set(before))
        self.assertFalse(self.out.exists(), "something was left")

    @unittest.skipUnless(CAN_LOG_IN, "no sshd")
    def test_ssh(self):
        """A real login; sshd speaks over a pipe, so that no port is taken."""
        for name in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        (self.folder / "sshd").write_text(
            f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n", encoding="utf-8")
        (self.folder / "config").write_text(
            f"Host cluster\n  ProxyCommand {SSHD} -i -f {self.folder}/sshd\n  User {getpass.getuser()}\n"
            f"  IdentityFile {self.folder}/user\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
            "  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
            "Host nobody\n  ProxyCommand false\n", encoding="utf-8")
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/config "$@"\n')
        (tools / "ssh").chmod(0o755)

        self.refused(2, "the tests did not begin: .*[Cc]onnection closed", "--via", "ssh:nobody", path=tools)
        done = self.run_script("--via", "ssh:cluster", "--", "-R", "^good$", path=tools)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = pathlib.Path(done.stdout.strip()).read_text(encoding="utf-8")
        self.assertIn(f"via ssh:cluster\nbuild {self.build}\nhost {os.uname().nodename}\nseed ", text)
        self.assertEqual(self.run_script("--via", "ssh:cluster", path=tools).returncode, 1)
        self.run_samples(tools)
        shutil.rmtree(self.out)
        self.build = self.folder / "nowhere"
        self.refused(2, "nowhere: no such build folder", "--via", "ssh:cluster", path=tools)


if __name__ == "__main__":
    unittest.main(verbosity=2)
