"""Runs a program of two ranks with and without comshu and decodes what was recorded.

    case = Case.from_arguments()     # --mpi NAME --exec mpiexec --libraries DIR --dump PROGRAM --program P
    ranks = case.record(n=2)         # the records of each rank, and proof that the results are unchanged
    ranks[0].calls("MPI_Send")       # records of that function, in order
    ranks[0].completions(call)       # completions of that call
    ranks[0].definitions("MpiComm")
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

FAILED = 2  # bit of schema SpanFlags


class Rank:
    def __init__(self, records):
        self.records = records
        self.rank = next((r["rank"] for r in records if r["record"] == "MpiRank"), None)

    def of(self, record):
        return [r for r in self.records if r["record"] == record]

    definitions = of

    def calls(self, *functions):
        return [r for r in self.records if r.get("function") in functions and "span" in r]

    def spans(self):
        return [r for r in self.records if "parent_distance" in r]

    def completions(self, call):
        return [r for r in self.of("MpiCompletion") if r["span"] == call["span"]]

    def completion(self, call):
        found = self.completions(call)
        check(len(found), 1, f"completions of {call['function']} {call['span']}")
        return found[0]

    def completion_of(self, request):
        found = [r for r in self.of("MpiCompletion") if r["request"] == request]
        check(len(found), 1, f"completions of request {request}")
        return found[0]

    def starts(self, call):
        return [r["request"] for r in self.of("MpiStart") if r["span"] == call["span"]]

    @property
    def world(self):
        return self.of("MpiRank")[0]["world"]


class Case:
    def __init__(self, options):
        self.options = options
        self.mpi = options.mpi

    @staticmethod
    def from_arguments():
        parser = argparse.ArgumentParser()
        for name in ("mpi", "exec", "libraries", "dump", "program"):
            parser.add_argument(f"--{name}", required=True)
        return Case(parser.parse_args())

    def preload(self):
        names = [f"libqmpi-{self.mpi}.so", "libcomshu_engine.so", f"libcomshu_mpi-{self.mpi}.so"]
        return ":".join(os.path.join(self.options.libraries, name) for name in names)

    def launch(self, n, arguments, environment):
        command = [self.options.exec, "-n", str(n)]
        for name, value in environment.items():
            if self.mpi == "mpich":
                command += ["-genv", name, value]
            else:
                command += ["-x", f"{name}={value}"]
        command += [self.options.program, *arguments]
        if self.mpi == "openmpi":
            command[1:1] = ["--oversubscribe"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, sorted(done.stdout.splitlines()), done.stderr

    def record(self, n=2, arguments=(), environment=None, compare=True, lossy=False,
               worlds=1, look=None):
        folder = tempfile.mkdtemp(prefix="comshu-mpi-")
        try:
            os.mkdir(os.path.join(folder, "run"))
            own = {"LD_PRELOAD": self.preload(), "COMSHU_DIR": folder, "COMSHU_PASS": "run",
                   **(environment or {})}
            code, out, err = self.launch(n, arguments, own)
            if compare:
                check((code, out), self.launch(n, arguments, {})[:2],
                      f"result of the program under comshu (its stderr: {err})")
            streams = sorted(os.path.join(folder, "run", name)
                             for name in os.listdir(os.path.join(folder, "run"))
                             if name.endswith(".cst"))
            ranks = [self.decode(stream) for stream in streams]
            if look is not None:
                look(folder)
        finally:
            shutil.rmtree(folder)
        ranks = sorted((r for r in ranks if r.rank is not None), key=lambda r: r.rank)
        if worlds == 1:
            check([r.rank for r in ranks], list(range(n)), "ranks that recorded")
        for r in ranks:
            if not lossy:
                check(r.of("ProcessEnd")[0]["lost"], 0, "records lost")
            check(r.of("Note"), [], "notes")
        return ranks

    def sql(self, folder, query):
        """The one row that the query gives."""
        command = os.path.join(self.options.libraries, "..", "..", "bin", "comshu")
        done = subprocess.run([command, "sql", folder, query, "--format", "json"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            fail(f"comshu sql: {done.stderr}")
        return tuple(json.loads(done.stdout)[0].values())

    def decode(self, stream):
        done = subprocess.run([self.options.dump, stream], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"{stream}: {done.stderr}")
        return Rank([json.loads(line) for line in done.stdout.splitlines()])


failures = 0


def fail(message):
    global failures
    failures += 1
    print(f"FAILED: {message}", file=sys.stderr)


def check(got, expected, what):
    if got != expected:
        fail(f"{what}: {got!r}, expected {expected!r}")


def fields(record, *names):
    return tuple(record[name] for name in names)


def finish():
    sys.exit(1 if failures else 0)
