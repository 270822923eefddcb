"""Prints what the QMPI layer adds to a call, for one MPI: ns per call, the least of many batches, and
instructions of a call of MPI_Comm_size by callgrind, where valgrind is installed.

    qmpi_bench.py --mpi openmpi --mpiexec MPIEXEC --layer libqmpi-openmpi.so --folder DIR

DIR holds qmpi_bench and the tools libbench_{keep,inline,call}.so.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile

COLUMNS = ["PMPI_Comm_size", "MPI_Comm_size", "MPI_Comm_rank", "Irecv+Send+Wait"]


def start(options, preload, environment, prefix=(), arguments=()):
    variables = dict(environment, UCX_NET_DEVICES="lo")
    if preload:
        variables["LD_PRELOAD"] = ":".join(preload)
    command = [options.mpiexec, "-n", "1"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if options.mpi == "openmpi" else ["-genv", name, value]
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    program = os.path.join(options.folder, "qmpi_bench")
    return subprocess.run([*command, *prefix, program, *arguments], env=env, capture_output=True,
                          text=True, check=True)


def times(options, preload, environment):
    best = {}
    for _ in range(options.runs):
        for line in start(options, preload, environment).stdout.splitlines():
            name, value = line.rsplit(" ", 1)
            best[name] = min(float(value), best.get(name, 1e30))
    return best


def instructions(options, preload, environment):
    if shutil.which("valgrind") is None:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        start(options, preload, environment, arguments=["count"],
              prefix=["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}",
                      "--collect-atstart=no", "--toggle-collect=Counted"])
        with open(out, encoding="ascii", errors="replace") as file:
            total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
    return f"{int(total.group(1)) / 1000:.0f}" if total else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mpi", "mpiexec", "layer", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rows = [("no layer", [], {}), ("layer, no tool", [options.layer], {})]
    for how, name in (("keep the next function", "keep"), ("ask inline", "inline"),
                      ("ask by function call", "call")):
        tool = os.path.join(options.folder, f"libbench_{name}.so")
        for count in (1, 2, 4, 8, 16):
            rows.append((f"{count:2} tools, {how}", [options.layer, tool],
                         {"QMPI_TOOLS": ":".join(["bench"] * count)}))
    print(f"{options.mpi}: ns per call (Irecv+Send+Wait: three calls); instructions of MPI_Comm_size")
    print(f"{'':34}" + "".join(f"{c:>17}" for c in COLUMNS) + f"{'instructions':>14}")
    for name, preload, environment in rows:
        best = times(options, preload, environment)
        print(f"{name:34}" + "".join(f"{best[c]:17.2f}" for c in COLUMNS)
              + f"{instructions(options, preload, environment):>14}", flush=True)


if __name__ == "__main__":
    main()
