#!/usr/bin/python3
"""Every benchmark, in one table: run.py BUILD [--quick] [--out FOLDER] [--only GROUP,...]

Writes figures.txt (which it prints) and figures.json to BUILD/bench or FOLDER. A figure counts only where
nothing was lost and the machine does nothing else: the exit code is 1 if something was lost or is missing.
--quick: for tests, a few seconds; rings so large that nothing is lost on a busy machine either.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import figures
import lttng

MPI_CASES = {"comm_size": "MPI_Comm_size", "self_message": "Irecv + Send + Wait to itself"}


class Bench:
    def __init__(self, build, folder, quick, daemon):
        self.build = build
        self.folder = folder
        self.quick = quick
        self.lttng = daemon.works
        self.rows = []
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                UCX_NET_DEVICES="lo")
        if quick:
            self.environment["COMSHU_RING_KIB"] = str(256 * 1024)

    def add(self, *arguments, **more):
        self.rows.append(figures.row(*arguments, **more))

    def output(self, *command, **changes):
        done = subprocess.run([str(word) for word in command], env=dict(self.environment, **changes), text=True,
                              capture_output=True, cwd=self.folder, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print(f"{command[0]}: exit code {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
        return done.stdout

    # An event.

    def events(self):
        json_file = self.folder / "engine.json"
        quick = ["--quick"] if self.quick else []
        text = self.output(self.build / "bench/comshu_engine_bench", *quick, "--json", json_file, "--dir", self.folder)
        names = {"rdtsc": ("reading the clock", "direct")}
        for case in figures.read(json_file)["cases"]:
            name, who = names.get(case["name"], (case["name"], "comshu"))
            measured = case["recorded"] > 0
            self.add("event", name, who, case["ns"], case["median_ns"], case["cold_ns"],
                     case["issued"] if measured else None, case["recorded"] if measured else None,
                     case["lost"] if measured else None)
        for found in re.finditer(r"^lttng-ust (\w+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+ +(\d+) +(\d+) +(\d+)", text, re.M):
            name, *ns, issued, recorded, lost = found.groups()
            self.add("event", name, "lttng-ust", *map(float, ns), int(issued), int(recorded), int(lost))

    # An event of an instrumented program.

    def dbg(self):
        program = self.build / "bench/comshu_dbg_bench"
        if not program.exists():
            return
        bursts = 50 if self.quick else 3000
        capture = self.folder / "dbg"
        shutil.rmtree(capture, ignore_errors=True)
        command = [self.build / "bin/comshu", "run", "-p", "openmp", "-o", capture, "--", program, bursts]
        for who, text in (("not recorded", self.output(program, bursts)), ("comshu", self.output(*command))):
            recorded = lost = None
            if who == "comshu":
                line = self.output(self.build / "bin/comshu", "sql", capture, "select sum(recorded), sum(lost) from rank",
                                   "--format", "csv").splitlines()
                recorded, lost = map(int, line[1].split(",")) if len(line) == 2 else (0, -1)
            for name, least, median in re.findall(r"^(\w+) ([\d.]+) ([\d.]+)$", text, re.M):
                plain = {"clock": "reading the clock", "empty": "an empty function of another library"}.get(name)
                if plain and who == "comshu":
                    continue
                issued = bursts * 2000 * 3 if recorded is not None else None
                self.add("dbg", plain or name, "direct" if plain else who, float(least), float(median), None, issued,
                         recorded, lost)

    # A call.

    def counts(self, capture):
        """Calls recorded and lost, as the capture says."""
        line = self.output(self.build / "bin/comshu", "sql", capture, "select (select count(*) from span "
                           "where layer = 'mpi'), (select sum(lost) from thread)", "--format", "csv").splitlines()
        recorded, lost = map(int, line[1].split(",")) if len(line) == 2 else (0, -1)
        return recorded, lost

    def preload(self, mpi):
        objects = self.build / "lib/comshu"
        return ":".join(str(objects / name) for name in (f"libqmpi-{mpi}.so", "libcomshu_engine.so", f"libcomshu_mpi-{mpi}.so"))

    def captured(self, mpi, *command):
        """What the program printed, its issued and recorded calls, the bytes of its stream."""
        capture = self.folder / "capture"
        shutil.rmtree(capture, ignore_errors=True)
        text = self.output(*command, LD_PRELOAD=self.preload(mpi), COMSHU_DIR=str(capture))
        size = sum(file.stat().st_size for file in capture.rglob("*.cst"))
        return text, capture, size

    def traced(self, program, tool, *mode):
        trace = self.folder / "lttng"
        shutil.rmtree(trace, ignore_errors=True)
        return lttng.trace(trace, lambda: self.output(program, *mode, LD_PRELOAD=str(tool)))

    def call_rows(self, group, mpi, who, text, issued=None, recorded=None, lost=None):
        values = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", text or "")}
        for key, name in MPI_CASES.items():
            if key in values:
                self.add(group, f"{mpi}: {name}", who, values[key], values.get(f"{key}_median"), values.get(f"{key}_cold"),
                         issued, recorded, lost)
        return values

    def calls(self, mpi):
        program = self.build / f"bench/mpi_call_bench_{mpi}"
        tool = self.build / f"bench/libmpi_lttng_{mpi}.so"
        burst = ["burst", 300, 20] if self.quick else ["burst", 1500, 200]
        self.call_rows("call", mpi, "direct", self.output(program, *burst))
        for who, bound in (("comshu", []), ("comshu, bound", ["taskset", "-c", "0"])):
            text, capture, _ = self.captured(mpi, *bound, program, *burst)
            recorded, lost = self.counts(capture)
            values = self.call_rows("call", mpi, who, text, None, recorded, lost)
            self.rows[-1]["issued"] = self.rows[-2]["issued"] = int(values.get("issued", 0))
        if self.lttng and tool.exists():
            few = ["burst", 300, 20] if self.quick else ["burst", 1500, 100]
            text, lost, size = self.traced(program, tool, *few)
            values = self.call_rows("call", mpi, "lttng-ust", text, None, None, lost)
            if values and lost == 0:
                self.add("size", f"{mpi}: calls of the benchmark", "lttng-ust", size / values["traced"])
        if mpi == "openmpi" and shutil.which("eztrace"):
            trace = self.folder / "ezt"
            few = ["burst", 300, 5] if self.quick else ["burst", 1500, 20]
            # By a launcher: of a program without one it traces the daemon too. It leaves MPI_Comm_size out.
            text = self.output("mpiexec.openmpi", "-n", 1, "eztrace", "-o", trace, "-t", "openmpi", program, *few)
            values = self.call_rows("call", mpi, "eztrace", re.sub(r"comm_size\w*=\S+", "", text))
            size = sum(file.stat().st_size for file in self.folder.glob("ezt*/**/*") if file.is_file())
            if values and size:
                self.add("size", f"{mpi}: calls of the benchmark", "eztrace", size / values["messages"])

    def streams(self, mpi):
        program = self.build / f"bench/mpi_call_bench_{mpi}"
        stream = ["stream", 0.2 if self.quick else 30]
        self.call_rows("stream", mpi, "direct", self.output(program, *stream))
        text, capture, size = self.captured(mpi, program, *stream)
        recorded, lost = self.counts(capture)
        values = self.call_rows("stream", mpi, "comshu", text, None, recorded, lost)
        issued = int(values.get("issued", 0))
        self.rows[-1]["issued"] = self.rows[-2]["issued"] = issued
        if not recorded:
            return
        self.add("size", f"{mpi}: calls of the benchmark", "comshu, unpacked", size / recorded, issued=issued,
                 recorded=recorded, lost=lost)
        self.output(self.build / "bin/comshu", "pack", capture)
        size = sum(file.stat().st_size for file in capture.rglob("*.cst"))
        self.add("size", f"{mpi}: calls of the benchmark", "comshu", size / recorded, issued=issued, recorded=recorded,
                 lost=lost)

    def halo(self, mpi):
        program = self.build / f"examples/{mpi}/halo2d"
        if not program.exists():
            return
        capture = self.folder / "halo"
        shutil.rmtree(capture, ignore_errors=True)
        self.output(self.build / "bin/comshu", "run", "-p", "mpi", "-o", capture, "--", f"mpiexec.{mpi}", "-n", 2, program,
                    101, 200 if self.quick else 20000)
        recorded, lost = self.counts(capture)
        if recorded:
            size = sum(file.stat().st_size for file in capture.rglob("*.cst"))
            self.add("size", f"{mpi}: Jacobi iteration, two ranks", "comshu", size / recorded, issued=recorded + lost,
                     recorded=recorded, lost=lost)

    # Reading.

    def reading(self):
        for program, millions in (("comshu_read_bench", 1 if self.quick else 100), ("comshu_match_bench", 0.5 if self.quick else 10)):
            if not (self.build / "bench" / program).exists():
                continue
            text = self.output(self.build / "bench" / program, millions)
            for name, rest in re.findall(r"^([a-z, ]+?) {2,}(.*) million records/s$", text, re.M):
                values = list(map(float, re.findall(r"[\d.]+", rest)))
                self.add("read", name, "comshu", values[1], *values[2:4])

    # Start-up.

    def start(self, mpi):
        program = self.build / f"bench/mpi_call_bench_{mpi}"
        runs = 3 if self.quick else 25

        def timed(case, who, make, **changes):
            took = []
            for _ in range(runs):
                begin = time.monotonic()
                self.output(*make(), **changes)
                took.append((time.monotonic() - begin) * 1000)
                shutil.rmtree(self.folder / "start", ignore_errors=True)
            self.add("start", f"{mpi}: {case}", who, min(took), statistics.median(took), took[0])

        capture = self.folder / "start"
        comshu = [self.build / "bin/comshu", "run", "-p", "mpi", "-o", capture, "--"]
        alone, launched = "without a launcher", "mpiexec -n 1"
        timed(alone, "direct", lambda: [program, "start"])
        timed(alone, "comshu, in the program", lambda: [program, "start"], LD_PRELOAD=self.preload(mpi),
              COMSHU_DIR=str(capture))
        timed(alone, "comshu run", lambda: [*comshu, program, "start"])
        launcher = [f"mpiexec.{mpi}", "-n", 1]
        timed(launched, "direct", lambda: [*launcher, program, "start"])
        timed(launched, "comshu run", lambda: [*comshu, *launcher, program, "start"])
        if mpi == "openmpi" and shutil.which("eztrace"):
            timed(launched, "eztrace", lambda: [*launcher, "eztrace", "-o", capture, "-t", "openmpi", program, "start"])

    def run(self, only):
        mpis = [mpi for mpi in ("mpich", "openmpi") if (self.build / f"bench/mpi_call_bench_{mpi}").exists()]
        steps = {"event": [self.events], "dbg": [self.dbg], "call": [lambda m=m: self.calls(m) for m in mpis],
                 "stream": [lambda m=m: self.streams(m) for m in mpis], "size": [lambda m=m: self.halo(m) for m in mpis],
                 "read": [self.reading], "start": [lambda m=m: self.start(m) for m in mpis]}
        for group, work in steps.items():
            if only and group not in only:
                continue
            print(f"bench: {figures.GROUPS[group][0]} ...", file=sys.stderr, flush=True)
            for step in work:
                step()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only")
    options = parser.parse_args()
    build = options.build.resolve()
    out = (options.out or build / "bench").resolve()
    with tempfile.TemporaryDirectory(prefix="comshu-bench-") as name, lttng.Daemon(name) as daemon:
        found = {"machine": figures.machine(), "quick": options.quick, "rows": []}
        bench = Bench(build, pathlib.Path(name), options.quick, daemon)
        bench.run(options.only.split(",") if options.only else None)
        found["rows"] = bench.rows
    out.mkdir(parents=True, exist_ok=True)
    figures.write(found, out / "figures.json")
    text = figures.text(found)
    (out / "figures.txt").write_text(text)
    print(text, end="")
    wrong = [] if options.only else list(figures.problems(found))
    for line in wrong:
        print(f"bench: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
