"""Prints what the QMPI layer adds to a call, for one MPI: ns per call, the least of many batches, and
instructions of a call of MPI_Comm_size by callgrind, where valgrind is installed.

    qmpi_bench.py --mpi openmpi --mpiexec MPIEXEC --layer libqmpi-openmpi.so --folder DIR

DIR holds qmpi_bench and the tools libbench_*.so. Every row is run several times, the rows in turn, so
that a slow moment of the machine does not hit one row alone. "Added" is MPI_Comm_size less the direct
PMPI_Comm_size of the same process; the median of the runs.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile

COLUMNS = ["PMPI_Comm_size", "MPI_Comm_size", "added", "MPI_Comm_rank", "Irecv+Send+Wait"]


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


def measure(options, row, best):
    values = {}
    for line in start(options, *row[:2], arguments=row[2:]).stdout.splitlines():
        name, value = line.rsplit(" ", 1)
        values[name] = float(value)
    for name, value in values.items():
        best[name] = min(value, best.get(name, 1e30))
    added = best.setdefault("all added", [])
    added.append(values["MPI_Comm_size"] - values["PMPI_Comm_size"])
    best["added"] = statistics.median(added)


def instructions(options, preload, environment, library=None):
    if library is not None or shutil.which("valgrind") is None:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        start(options, preload, environment, arguments=["count"],
              prefix=["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}",
                      "--collect-atstart=no", "--toggle-collect=Counted"])
        with open(out, encoding="ascii", errors="replace") as file:
            total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
    return f"{int(total.group(1)) / 1000:.0f}" if total else "-"


def rows_of(options):
    """(name, libraries to preload, environment, argument if any) of each row."""
    def tool(name):
        return os.path.join(options.folder, f"libbench_{name}.so")

    def row(name, tools):
        return (name, [options.layer], {"QMPI_TOOLS": ":".join(tools)})

    rows = [("no layer", [], {}), ("layer, no tool", [options.layer], {})]
    for count in (1, 2, 4, 8, 16):
        rows.append(row(f"{count:2} tools, keep the next function",
                        [tool(f"keep{i}") for i in range(count)]))
    for name, how in (("keep", "keep"), ("inline", "ask inline"), ("call", "ask by function call")):
        for count in (1, 2, 4, 8, 16):
            rows.append(row(f"{count:2} instances of one, {how}", [tool(name)] * count))
    for name, how in (("address_inline", "calling address inline"),
                      ("address_call", "calling address by call"),
                      ("classify", "classify that address")):
        rows.append(row(f" 1 tool, keep, {how}", [tool(name)]))
    library = os.path.join(options.folder, "libqmpi_bench.so")
    rows.append(("no layer, called from a library", [], {}, library))
    rows.append((*row(" 1 tool, keep, called from a library", [tool("keep")]), library))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mpi", "mpiexec", "layer", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    rows = rows_of(options)
    best = [{} for _ in rows]
    for _ in range(options.runs):
        for row, values in zip(rows, best):
            measure(options, row[1:], values)
    print(f"{options.mpi}: ns per call (Irecv+Send+Wait: three calls); instructions of MPI_Comm_size")
    print(f"{'':40}" + "".join(f"{c:>16}" for c in COLUMNS) + f"{'instructions':>14}")
    for row, values in zip(rows, best):
        print(f"{row[0]:40}" + "".join(f"{values[c]:16.2f}" for c in COLUMNS)
              + f"{instructions(options, *row[1:]):>14}", flush=True)


if __name__ == "__main__":
    main()
