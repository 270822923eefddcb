#!/bin/sh
# Runs the tests of a build on another machine, or on this one, and keeps what came of it under the commit
# that the build was made of. docs/cluster.md tells how to use it.
#
# What runs there is a script: it refuses a build that is not the one of this commit, and marks in its output
# where it began and ended, so that what a login prints is told apart from results, and a job that was killed
# from one that ended. Exit code 0: all tests passed; 1: not so; 2: nothing was run.
set -eu

usage='usage: tests/hpc/run.sh [--via local|ssh:HOST|sbatch] [--build DIR] [--out DIR] [-- CTEST OPTIONS]'
mark=comshu-hpc

stop() { echo "run.sh: $2" >&2; exit "$1"; }
wrong() { echo "run.sh: $1" >&2; echo "$usage" >&2; exit 2; }
absolute() { case $1 in /*) printf %s "$1" ;; *) printf %s "$PWD/$1" ;; esac; }
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

root=$(cd "$(dirname "$0")/../.." && pwd -P)
via=local
build=$root/build/release
out=$root/build/hpc
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) echo "$usage"; exit 0 ;;
        --via | --build | --out) [ -n "${2-}" ] || wrong "$1: a value is missing" ;;
    esac
    case $1 in
        --via) via=$2; shift 2 ;;
        --build) build=$(absolute "$2"); shift 2 ;;
        --out) out=$(absolute "$2"); shift 2 ;;
        --) shift; break ;;
        *) wrong "$1: unknown" ;;
    esac
done
case $via in
    local) tool=ctest ;;
    ssh:?*) tool=ssh ;;
    sbatch) tool=sbatch ;;
    *) wrong "--via $via: give local, ssh:HOST or sbatch" ;;
esac
command -v "$tool" >/dev/null || wrong "--via $via: $tool is not found here"

cd "$root"
commit=$(git rev-parse HEAD) || stop 2 "$root: not a git working tree with a commit"
changes=$(git status --porcelain)
if [ -n "$changes" ]; then
    echo "run.sh: the tree has changes that are not committed; results would belong to no commit:" >&2
    echo "$changes" | head -5 >&2
    exit 1
fi

new_out=
[ -d "$out" ] || new_out=$out
mkdir -p "$out" 2>/dev/null || wrong "--out $out: cannot be made"
work=$(mktemp -d "$out/part.XXXXXX" 2>/dev/null) || wrong "--out $out: cannot be written"
trap 'rm -rf "$work"; [ -z "$new_out" ] || rmdir "$new_out" 2>/dev/null || true' EXIT
waiting=
# Who stops waiting does not leave a job behind that nobody waits for.
leave() {
    if [ -n "$waiting" ]; then
        kill "$waiting" 2>/dev/null || true
        number=$(sed -n 's/^Submitted batch job \([0-9]*\).*/\1/p' "$said")
        [ -z "$number" ] || scancel "$number" || true
    fi
    exit "$1"
}
trap 'leave 129' HUP
trap 'leave 130' INT
trap 'leave 143' TERM
job=$work/job
output=$work/output
said=$work/said

COMSHU_TEST_SEED=${COMSHU_TEST_SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
# A slow machine must not change what commands say.
COMSHU_PROGRESS_MS=3600000
settings=
for name in COMSHU_TEST_SEED COMSHU_TEST_LONG COMSHU_PROGRESS_MS OMPI_ALLOW_RUN_AS_ROOT \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM UCX_NET_DEVICES; do
    eval "value=\${$name-}"
    [ -z "$value" ] || settings="$settings export $name=$(quoted "$value");"
done
options=
for option in "$@"; do options="$options $(quoted "$option")"; done
{
    echo '#!/bin/sh'
    echo "mark=$mark commit=$commit root=$(quoted "$root") build=$(quoted "$build")"
    cat <<'JOB'
exec 2>&1
refuse() { echo "$mark refused $1 $(uname -n): $2"; exit "$1"; }
[ -d "$build" ] || refuse 2 "$build: no such build folder"
cd "$build" || refuse 2 "$build: cannot be entered"
command -v ctest >/dev/null || refuse 2 "ctest is not found"
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' CMakeCache.txt 2>/dev/null)
[ -n "$source" ] || refuse 2 "$build: not a build folder of cmake"
[ "$(cd "$source" && pwd -P)" = "$root" ] || refuse 1 "$build: built from $source, not from $root"
built=$(cat commit 2>/dev/null) || refuse 1 "$build: not built whole; cmake --build $build"
[ "$built" = "$commit" ] ||
    refuse 1 "$build: built from commit $built, not $commit; cmake --build $build"
newer=$(find . -path '*/CMakeFiles/*.dir/*.o' -newer commit | head -1)
[ -z "$newer" ] || refuse 1 "$build: $newer was built after the whole; cmake --build $build"
[ "${1-}" != check ] || exit 0
echo "$mark began $(uname -n)"
JOB
    echo "$settings"
    echo "ctest --output-on-failure --no-tests=error$options </dev/null"
    cat <<'JOB'
code=$?
echo "$mark ended $code"
exit "$code"
JOB
} >"$job"

# A job that would be refused does not wait for its turn.
refused() {
    line=$(sed -n "s/^$mark refused //p" "$output" 2>/dev/null | tail -1)
    [ -z "$line" ] || stop "${line%% *}" "${line#* }"
}
: >"$said"
case $via in
    local) sh "$job" >"$output" || true ;;
    ssh:*) ssh -o BatchMode=yes -- "${via#ssh:}" sh -s <"$job" >"$output" 2>"$said" || true ;;
    sbatch)
        sh "$job" check >"$output" || true
        refused
        rm "$output"
        sbatch --wait --job-name=comshu-tests --output="$(printf %s "$output" | sed 's/%/%%/g')" "$job" >"$said" 2>&1 &
        waiting=$!
        wait "$waiting" || true
        waiting=
        ls "$work" >/dev/null
        ;;
esac
refused
host=$(sed -n "s/^$mark began //p" "$output" 2>/dev/null | head -1)
if [ -z "$host" ]; then
    why=$(cat "$said" "$output" 2>/dev/null | sed '/^[[:space:]]*$/d' | tail -1)
    stop 2 "--via $via: the tests did not begin: ${why:-no word of why}"
fi
code=$(sed -n "s/^$mark ended //p" "$output" | tail -1)
folder=$out/$commit
mkdir -p "$folder"
file=$folder/$host-$(date -u +%Y%m%dT%H%M%SZ).txt
[ ! -e "$file" ] || file=${file%.txt}-$$.txt
{
    echo "commit $commit"
    echo "via $via"
    echo "build $build"
    echo "host $host"
    echo "seed $COMSHU_TEST_SEED"
    echo "exit ${code:-none: the job did not end}"
    sed -n "/^$mark began /,\$p" "$output" | sed -e "/^$mark began /d" -e "/^$mark ended /d"
} >"$work/result"
mv "$work/result" "$file"
echo "$file"
[ -n "$code" ] || stop 1 "the job did not end"
[ "$code" = 0 ] || stop 1 "not all tests passed: ctest ended with exit code $code"
