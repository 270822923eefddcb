#!/bin/bash
# What a call of MPI costs through the QMPI layer, with chains of pass-through tools:
# bench/qmpi_bench.sh BUILD_DIR
set -u
build=$(cd "${1:?usage: bench/qmpi_bench.sh BUILD_DIR}" && pwd)
for mpi in mpich openmpi; do
    folder=$build/bench/qmpi/$mpi
    [ -x "$folder/qmpi_bench" ] || continue
    python3 -B "$(dirname "$0")/../qmpi/bench/qmpi_bench.py" --mpi $mpi --mpiexec mpiexec.$mpi \
        --folder "$folder" --layer "$build/lib/comshu/libqmpi-$mpi.so" || exit 1
    echo
done
# How the processor takes jumps, which is what instances of one tool cost.
[ ! -x "$build/bench/qmpi/jump_bench" ] || "$build/bench/qmpi/jump_bench"
