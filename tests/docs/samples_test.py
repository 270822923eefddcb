"""Command lines of the documentation, as they stand there: each runs, and what the page shows is what comes.

A sample is an indented line that begins with `comshu` or `mpirun`, behind `$ ` where its output follows. Lines
of that output are compared word by word; `...` in it stands for anything, a number for any number. Synopses, with
`[` or `|` between choices, are no samples. Pages whose samples need a program of their own are run by their own tests.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

COMMAND = pathlib.Path(os.environ["COMSHU_TEST_COMMAND"])
ROOT = pathlib.Path(os.environ["COMSHU_TEST_ROOT"])
EXEC = pathlib.Path(os.environ["COMSHU_TEST_EXEC"])
PROGRAM = pathlib.Path(os.environ["COMSHU_TEST_PROGRAM"])

PAGES = ("clocks", "diff", "dump", "efficiency", "export", "link", "list", "pack", "read", "run", "sql", "types",
         "views", "waits")
HAS_OTF2 = "--otf2" in subprocess.run([COMMAND, "export", "--help"], text=True, capture_output=True,
                                      check=False).stdout
SYNOPSIS = re.compile(r"\[-|\w\|\w")


def samples(page):
    """(command line, lines of output or None) of a page, in order."""
    found = []
    lines = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf8").splitlines()
    at = 0
    while at < len(lines):
        start = re.match(r"    (\$ )?((?:comshu|mpirun) .*)", lines[at])
        at += 1
        if not start:
            continue
        command = start[2]
        while command.count('"') % 2:
            command += "\n" + lines[at]
            at += 1
        if SYNOPSIS.search(command.split('"')[0]):
            continue
        output = None
        if start[1]:
            output = []
            while at < len(lines) and lines[at].startswith("    ") and not lines[at].startswith("    $ "):
                output.append(lines[at][4:])
                at += 1
        found.append((command, output))
    return found


def pattern(line):
    """What a line of shown output may be."""
    words = []
    for word in line.split():
        word = re.escape(word).replace(r"\.\.\.", ".*")
        words.append(re.sub(r"0x[0-9a-f]+|\d+(?:\\\.\d+)?", r"[0-9a-fx.]+", word))
    return r"\s+".join(words)


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="comshu-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.base, ignore_errors=True)
        tools = cls.base / "bin"
        tools.mkdir()
        # The launcher as people call it, whichever MPI is there.
        (tools / "mpirun").write_text(f'#!/bin/sh\nexec {EXEC} "$@"\n')
        (tools / "mpirun").chmod(0o755)
        (tools / "comshu").symlink_to(COMMAND)
        # A short run of it.
        (cls.base / "app").write_text(f"#!/bin/sh\nexec {PROGRAM} 64 100\n")
        (cls.base / "job.sh").write_text("#!/bin/sh\nexec mpirun -n 2 ./app\n")
        for name in ("app", "job.sh"):
            (cls.base / name).chmod(0o755)
        cls.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COLUMNS": "200"}
        for folder in ("comshu-out", "node0/out", "node1/out"):
            (cls.base / folder).parent.mkdir(exist_ok=True)
            cls.must(["comshu", "run", "-p", "mpi", "-o", folder, "--", "mpirun", "-n", "2", "./app"])
        cls.must(["comshu", "export", "comshu-out", "--parquet", "tables"])

    @classmethod
    def must(cls, words):
        done = subprocess.run(words, cwd=cls.base, env=cls.environment, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=100, check=False)
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}")

    def run_page(self, page):
        found = samples(page)
        self.assertTrue(found, f"docs/{page}.md has no samples")
        work = self.base / page
        work.mkdir()
        for name in ("comshu-out", "node0", "node1", "tables"):
            shutil.copytree(self.base / name, work / name)
        for name in ("before", "after"):
            shutil.copytree(self.base / "comshu-out", work / name)
        for name in ("app", "job.sh"):
            shutil.copy(self.base / name, work / name)
        for command, output in found:
            first = shlex.split(command, comments=True)
            if "--otf2" in first and not HAS_OTF2:
                continue
            # What the page makes, it makes anew.
            for option in ("--parquet", "--csv", "--otf2", "-o"):
                if option in first:
                    shutil.rmtree(work / first[first.index(option) + 1], ignore_errors=True)
            if first[:2] == ["comshu", "run"]:
                shutil.rmtree(work / "comshu-out", ignore_errors=True)
            with self.subTest(command=command):
                done = subprocess.run(["bash", "-c", command], cwd=work, env=self.environment, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                if "mpirun.openmpi" not in first or "openmpi" in EXEC.name:
                    self.compare(output, done.stdout)

    def compare(self, shown, got):
        if not shown:
            return
        lines = got.splitlines()
        at = 0
        anywhere = False
        for line in shown:
            if line.strip() == "...":
                anywhere = True
                continue
            while anywhere and at < len(lines) and not re.fullmatch(pattern(line), lines[at].strip()):
                at += 1
            self.assertLess(at, len(lines), f"the page shows {line!r}, which did not come: {got}")
            self.assertRegex(lines[at].strip(), f"^{pattern(line)}$")
            at += 1
            anywhere = False
        if not anywhere:
            self.assertEqual(lines[at:], [], "more came than the page shows")


for each in PAGES:
    setattr(Samples, f"test_{each}", lambda self, page=each: self.run_page(page))

if __name__ == "__main__":
    unittest.main(verbosity=2)
