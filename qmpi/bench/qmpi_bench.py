"""Prints what the QMPI layer adds to a call, for one MPI.

    qmpi_bench.py --mpiexec MPIEXEC --program qmpi_bench --layer libqmpi-X.so --tool libbench_tool.so
"""

import argparse
import os
import subprocess

COLUMNS = ["PMPI_Comm_size", "MPI_Comm_size", "MPI_Comm_rank", "Irecv+Send+Wait"]


def run(options, preload, environment):
    variables = dict(environment, UCX_NET_DEVICES="lo")
    if preload:
        variables["LD_PRELOAD"] = ":".join(preload)
    command = [options.mpiexec, "-n", "1"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if options.mpi == "openmpi" else ["-genv", name, value]
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    best = {}
    for _ in range(options.runs):
        done = subprocess.run(command + [options.program], env=env, capture_output=True, text=True,
                              check=True)
        for line in done.stdout.splitlines():
            name, value = line.rsplit(" ", 1)
            best[name] = min(float(value), best.get(name, 1e30))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mpi", "mpiexec", "program", "layer", "tool"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    both = [options.layer, options.tool]
    rows = [("no layer", [], {}), ("layer, no tool", [options.layer], {})]
    for how, ask in (("next kept", {}), ("asks inline", {"QMPI_BENCH_ASK": "inline"}),
                     ("asks by call", {"QMPI_BENCH_ASK": "call"})):
        for count in (1, 2, 4, 8, 16):
            rows.append((f"{count} pass-through, {how}", both,
                         {"QMPI_TOOLS": ":".join(["bench"] * count), **ask}))
    print(f"{options.mpi}: ns per call (the last column: three calls)")
    print(f"{'':34}" + "".join(f"{c:>17}" for c in COLUMNS))
    for name, preload, environment in rows:
        best = run(options, preload, environment)
        print(f"{name:34}" + "".join(f"{best[c]:17.2f}" for c in COLUMNS))


if __name__ == "__main__":
    main()
