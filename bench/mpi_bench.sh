#!/bin/bash
# What one MPI call costs without and with comshu (and EZTrace), on one rank: bench/mpi_call_bench.c.
#
#   bench/mpi_bench.sh BUILD_DIR [millions of calls back to back, 30 unless given]
#
# "added" is the cost above that of the same calls without any tool, "x rdtsc" that in units of one
# reading of the time-stamp counter in the same run. A figure counts only where nothing was lost.
set -u
build=$(cd "${1:?usage: bench/mpi_bench.sh BUILD_DIR [millions]}" && pwd)
millions=${2:-30}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_NET_DEVICES=lo
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

value() { sed -n "s/.*\b$2=\([0-9.]*\).*/\1/p" <<<"$1"; }

# issued recorded lost, summed over the streams of the last run
counts() {
    [ -x "$build/test/mpi_stream_dump" ] || { echo "lost: not known without the tests built"; return; }
    for stream in "$folder"/capture/run/*.cst; do
        "$build/test/mpi_stream_dump" "$stream"
    done | awk -F'"recorded":|,"lost":|,"waited"' '/"ProcessEnd"/ {r += $2; l += $3}
        END {printf "%d issued, %d recorded, %d lost", r + l, r, l}'
}

row() { # name, output of the benchmark, what was lost
    local added
    for case in comm_size self_message; do
        added=$(awk -v a="$(value "$2" $case)" -v b="$(value "$direct" $case)" \
            -v r="$(value "$2" rdtsc)" 'BEGIN {printf "%8.1f ns  added %8.1f ns = %6.2f x rdtsc (%.1f ns)",
            a, a - b, (a - b) / r, r}')
        printf '  %-22s %-13s %s  %s\n' "$1" "$case" "$added" "$3"
    done
}

comshu() { # prefix of the command, arguments of the benchmark
    rm -rf "$folder/capture" && mkdir -p "$folder/capture/run"
    env LD_PRELOAD="$preload" COMSHU_DIR="$folder/capture" COMSHU_PASS=run $1 "$program" $2
}

for mpi in mpich openmpi; do
    program=$build/bench/mpi_call_bench_$mpi
    [ -x "$program" ] || continue
    lib=$build/lib/comshu
    preload=$lib/libqmpi-$mpi.so:$lib/libcomshu_engine.so:$lib/libcomshu_mpi-$mpi.so
    for mode in burst "stream $millions"; do
        echo "$mpi, $mode: ns per call (self_message: of Irecv, Send, Wait)"
        direct=$("$program" $mode)
        row "no tool" "$direct" ""
        output=$(comshu "" "$mode") && row "comshu, free" "$output" "$(counts)"
        output=$(comshu "taskset -c 0" "$mode") && row "comshu, bound" "$output" "$(counts)"
        if [ "$mpi" = openmpi ] && [ "$mode" = burst ] && command -v eztrace >/dev/null; then
            output=$(cd "$folder" && eztrace -t openmpi "$program" burst 1500 20 2>/dev/null |
                grep rdtsc=) && row "eztrace -t openmpi" "$output" ""
        fi
    done
done
