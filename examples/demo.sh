#!/bin/bash
# Captures a Jacobi iteration on two ranks and shows what it did: BUILD OUT [MPI]
# MPI is openmpi or mpich; without it, the first of these that the build found.
set -euo pipefail

build=$1
out=$2
mpi=${3:-${MPI:-}}
for name in openmpi mpich; do
    [ -n "$mpi" ] || { [ -x "$build/examples/$name/halo2d" ] && mpi=$name; }
done
[ -n "$mpi" ] || { echo "demo: the build found no MPI: see the table at the end of configure" >&2; exit 1; }

# In a container there is often no user but root, and no network that UCX could use.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_NET_DEVICES=${UCX_NET_DEVICES:-lo}

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}
run "$build/bin/comshu" run -p mpi --force -o "$out" -- \
    "mpiexec.$mpi" -n 2 "$build/examples/$mpi/halo2d" 1024 1000
run "$build/bin/comshu" read "$out"
