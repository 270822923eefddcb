#!/bin/bash
# Sets up, builds and runs the whole suite: preset release, then what is labelled for a sanitizer in
# builds of its own, then the fuzz targets for a few seconds. Prints what each part took. Programs of
# MPI want the cores to themselves, so the suite runs one test at a time; what the sanitizers and
# fuzzers run are unit tests, one per core.
#
# --long: every repetition and the whole of each matrix. Without it, tests that repeat draw a sample
# by COMSHU_TEST_SEED; to repeat a run, set the seed that it printed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

export COMSHU_TEST_LONG=0
exclude=(-LE long)
[ "${1:-}" != --long ] || { export COMSHU_TEST_LONG=1; exclude=(); }
export COMSHU_TEST_SEED=${COMSHU_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
# A slow machine must not change what commands say.
export COMSHU_PROGRESS_MS=3600000
# In a container there is often no user but root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_NET_DEVICES=lo

# Open MPI makes one folder for all runs of a user, and removes it when it is empty: of two runs at a time one may
# find it half there and give up.
sessions=/tmp/ompi.$(uname -n).$(id -u)
mkdir -p -m 700 "$sessions"
keep=$(mktemp -p "$sessions" comshu.XXXXXX)
trap 'rm -f "$keep"; rmdir "$sessions" 2>/dev/null' EXIT

logs=build/test-logs
mkdir -p $logs
parts=()
failures=0

part() { # NAME COMMAND...: runs it, notes the time
    local name=$1 begin=$SECONDS rc=0
    shift
    printf '\n=== %s\n' "$name"
    "$@" || rc=$?
    parts+=("$(printf '%-18s %4d s  %s' "$name" $((SECONDS - begin)) "$([ $rc = 0 ] && echo ok || echo FAILED)")")
    [ $rc = 0 ] || failures=$((failures + 1))
    return $rc
}

build() { # PRESET [TARGET]
    cmake --preset "$1" >$logs/configure-$1.log 2>&1 || { tail -n 40 $logs/configure-$1.log; return 1; }
    [ "$1" != release ] || sed -n '/^-- comshu/,/^-- Configuring/p' $logs/configure-$1.log
    cmake --build --preset "$1" --parallel "$(nproc)" ${2:+--target $2} >$logs/build-$1.log 2>&1 ||
        { grep -E -m 20 -A 5 'error|Error' $logs/build-$1.log; tail -n 20 $logs/build-$1.log; return 1; }
}

suite() { # PRESET ARGUMENTS...
    local preset=$1 fixed=()
    shift
    # ThreadSanitizer of gcc 12 cannot start where the kernel spreads addresses further than it knows.
    [ $preset != tsan ] || { setarch -R true 2>/dev/null && fixed=(setarch -R); }
    "${fixed[@]}" ctest --test-dir build/$preset --output-on-failure \
        --output-junit "$PWD/$logs/$preset.xml" "$@"
}

finish() {
    printf '\n=== what each part took (seed %s)\n' "$COMSHU_TEST_SEED"
    printf '%s\n' "${parts[@]}"
    tools/sum_tests.py $logs/*.xml || failures=$((failures + 1))
    [ $failures = 0 ] || exit 1
    exit 0
}

rm -f $logs/*.xml
printf 'seed %s\n' "$COMSHU_TEST_SEED"
part setup tools/setup.sh || finish
part "build release" build release || finish
part "suite release" suite release -j "$(nproc)" --no-tests=error "${exclude[@]}"
for sanitizer in asan tsan; do
    part "build $sanitizer" build $sanitizer comshu_sanitized &&
        part "suite $sanitizer" suite $sanitizer -j "$(nproc)" -L "^$sanitizer\$" "${exclude[@]}"
done
if command -v clang++-14 >/dev/null; then
    part "build fuzz" build fuzz comshu_fuzzers && part "suite fuzz" suite fuzz -j "$(nproc)" -L '^fuzz$'
fi
finish
