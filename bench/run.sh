#!/bin/bash
# Every benchmark, one table after the other: bench/run.sh BUILD_DIR
# Figures of a machine that does anything else at the same time are worth nothing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=$(cd "${1:?usage: bench/run.sh BUILD_DIR}" && pwd) || exit

failed=0
bench() {
    printf '\n=== %s\n' "${1##*/}"
    "$@" || { echo "${1##*/} failed" >&2; failed=1; }
}

echo "$(nproc) CPUs,$(sed -n 's/^model name.*://p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg)"
for program in "$build"/bench/comshu_*_bench; do
    bench "$program"
done
for script in bench/*_bench.sh; do
    [ ! -x "$script" ] || bench "$script" "$build"
done
exit $failed
