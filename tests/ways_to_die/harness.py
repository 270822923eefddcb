"""What these tests share: running a program with comshu and without, comparing the two, asking the capture.

A Scene is one folder that is gone at the end. `scene.plain(...)` and `scene.traced(...)` run the same command
line; `same(plain, traced)` is the promise that the program notices nothing; `scene.rows(sql)` asks the capture.
"""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["COMSHU_TEST_COMMAND"]
OBJECTS = pathlib.Path(os.environ["COMSHU_TEST_OBJECTS"])
PROGRAMS = pathlib.Path(os.environ["COMSHU_TEST_PROGRAMS"])
SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
LONG = os.environ.get("COMSHU_TEST_LONG") == "1"
MPIEXEC = {mpi: os.environ[f"COMSHU_TEST_EXEC_{mpi.upper()}"] for mpi in ("mpich", "openmpi")
           if f"COMSHU_TEST_EXEC_{mpi.upper()}" in os.environ}
TIMEOUT = 100


class Skip(Exception):
    """This machine cannot do it; the text says why."""


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def equal(got, expected, what):
    check(got == expected, f"{what}: {got!r}, expected {expected!r}")


def launch_words(mpi, ranks):
    words = [MPIEXEC[mpi], "-n", str(ranks)]
    return words + ["--oversubscribe"] if mpi == "openmpi" else words


def program(mpi, name):
    """A test program as built for that MPI."""
    file = PROGRAMS / mpi / name
    if not file.exists():
        raise Skip(f"{name} was not built for {mpi}")
    return str(file)


def is_ours(line):
    return line.startswith("comshu ")


class Result:
    def __init__(self, done, folder):
        self.code = done.returncode
        self.out = done.stdout
        self.all_errors = done.stderr
        self.said = [line for line in done.stderr.splitlines() if is_ours(line)]
        self.errors = [line for line in done.stderr.splitlines() if not is_ours(line)]
        self.cores = sorted(file.name for file in folder.glob("core*"))
        for file in folder.glob("core*"):
            file.unlink()


def without_numbers(lines):
    """Addresses, process numbers and times differ from run to run."""
    return sorted(re.sub(r"0x[0-9a-f]+|\d+", "N", line) for line in lines)


def same(plain, traced, errors=True):
    """What a user, a script or a batch system sees is the same."""
    equal(traced.code, plain.code, f"exit code (stderr: {traced.all_errors[-2000:]})")
    equal(sorted(traced.out.splitlines()), sorted(plain.out.splitlines()), "standard output")
    if errors:
        equal(without_numbers(traced.errors), without_numbers(plain.errors), "standard error")
    equal(bool(traced.cores), bool(plain.cores), "core dump")


class Scene:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-ways-"))
        self.work = self.folder / "work"
        self.work.mkdir()
        self.environment = dict(os.environ)
        for name in list(self.environment):
            if name == "LD_PRELOAD" or (name.startswith("COMSHU_") and not name.startswith("COMSHU_TEST_")):
                del self.environment[name]
        # A slow machine must not change what commands say.
        self.environment["COMSHU_PROGRESS_MS"] = "3600000"
        self.runs = 0

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self, name):
        self.runs += 1
        folder = self.folder / f"{name}{self.runs}"
        folder.mkdir()
        return folder

    def run(self, command, cores=False, stdin=None, **changes):
        def limits():
            if cores:
                resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

        done = subprocess.run([str(word) for word in command], cwd=self.work, env={**self.environment, **changes},
                              text=True, errors="replace", stdin=stdin or subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, check=False, preexec_fn=limits)
        return Result(done, self.work)

    def plain(self, command, **options):
        return self.run(command, **options)

    def traced(self, command, *run_options, folder="capture", providers="mpi", **options):
        return self.run([COMMAND, "run", "-p", providers, "-o", folder, *run_options, "--", *command], **options)

    def comshu(self, *words, **options):
        return self.run([COMMAND, *words], **options)

    def rows(self, sql, folder="capture"):
        done = self.comshu("sql", folder, sql, "--format", "json")
        equal(done.code, 0, f"comshu sql {folder} ({done.all_errors})")
        return json.loads(done.out)

    def value(self, sql, folder="capture"):
        (row,) = self.rows(sql, folder)
        (value,) = row.values()
        return value

    def processes(self, folder="capture"):
        """One row per process image, in order of rank and beginning, with its calls of MPI."""
        rows = self.rows("""
            WITH calls AS (SELECT process_id, count(*) FILTER (end_ns IS NOT NULL) AS closed,
                                  count(*) FILTER (end_ns IS NULL) AS open
                           FROM span WHERE layer = 'mpi' GROUP BY process_id)
            SELECT process_id, rank, pid, parent_pid, exec_number, state, exit_code, signal, lost, executable,
                   coalesce(closed, 0) AS closed, coalesce(open, 0) AS open,
                   (SELECT string_agg(text, '; ') FROM problem) AS problems
            FROM process LEFT JOIN calls USING (process_id) ORDER BY rank, begin_ns""", folder)
        for row in rows:
            equal(row["problems"], None, "problems of the capture")
        return rows

    def await_complete(self, folder="capture"):
        """Until somebody has completed it, though the launcher may have ended before."""
        deadline = time.monotonic() + TIMEOUT
        while "complete" not in json.loads((self.work / folder / "capture.json").read_text()):
            check(time.monotonic() < deadline, "nobody completed the capture")
            time.sleep(0.01)

    def reads(self, folder="capture"):
        """The report is made of it without a complaint. Whether it had to say that comshu run was killed as well."""
        done = self.comshu("read", folder)
        hints = [line for line in done.said if "did not come to complete" in line]
        equal((done.code, done.said, done.errors), (0, hints, []), "comshu read")
        self.report = " ".join(done.out.split())
        return bool(hints)


def counts(folder):
    """What the processes themselves say: number -> (calls begun, calls returned)."""
    found = {}
    for file in sorted(folder.glob("*.count")):
        data = file.read_bytes()
        found[int(file.stem)] = (int.from_bytes(data[:8], "little"), int.from_bytes(data[8:16], "little"))
    return found


def seed():
    given = os.environ.get("COMSHU_TEST_SEED")
    return int(given) if given else 1


def run_table(name, cases, sample=None):
    """Runs the cases (pairs of name and function): all of them, or a drawn sample of so many."""
    wanted = sys.argv[1:]
    if wanted:
        cases = [case for case in cases if any(word in case[0] for word in wanted)]
    elif not LONG and sample is not None and sample < len(cases):
        drawn = sorted(random.Random(seed()).sample(range(len(cases)), sample))
        print(f"{name}: {sample} of {len(cases)} cases, COMSHU_TEST_SEED={seed()}")
        cases = [cases[i] for i in drawn]
    failures = 0
    for title, function in cases:
        try:
            told = function()
            print(f"ok       {title}{f' ({told})' if told else ''}", flush=True)
        except Skip as reason:
            print(f"skipped  {title}: {reason}", flush=True)
        except (Failed, subprocess.SubprocessError) as error:
            failures += 1
            print(f"FAILED   {title}: {error}", flush=True)
    print(f"{name}: {len(cases)} cases, {failures} failed")
    sys.exit(1 if failures or not cases else 0)
