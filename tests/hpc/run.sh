#!/bin/sh
# Runs the tests of a build on another machine, or on this one, and keeps what came of it under the commit
# that was tested.
#
#   tests/hpc/run.sh [--via local|ssh:HOST|sbatch] [--build DIR] [--out DIR] [-- CTEST OPTIONS]
#
# DIR is the build folder, the same path on every machine (build/release). Refused on a tree with changes
# that are not committed: what is measured must be what the commit says. Results go to
# OUT/<commit>/<host>-<time>.txt (build/hpc); options of sbatch come from SBATCH_* as always.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
via=local
build=$root/build/release
out=$root/build/hpc
while [ $# -gt 0 ]; do
    case $1 in
        --via) via=$2; shift 2 ;;
        --build) build=$(cd "$2" && pwd); shift 2 ;;
        --out) mkdir -p "$2"; out=$(cd "$2" && pwd); shift 2 ;;
        --) shift; break ;;
        *) echo "run.sh: $1: unknown; see the head of this file" >&2; exit 2 ;;
    esac
done

cd "$root"
changes=$(git status --porcelain)
if [ -n "$changes" ]; then
    echo "run.sh: the tree has changes that are not committed; results would belong to no commit:" >&2
    echo "$changes" | head -5 >&2
    exit 1
fi
commit=$(git rev-parse HEAD)
mkdir -p "$out/$commit"

# The tests, as one line for another machine's shell.
line="cd '$build' && hostname && ctest --output-on-failure"
for option in "$@"; do line="$line '$option'"; done

result=$out/$commit/part.$$
trap 'rm -f "$result"' EXIT
code=0
case $via in
    local) sh -c "$line" >"$result" 2>&1 || code=$? ;;
    ssh:*) ssh -o BatchMode=yes "${via#ssh:}" "$line" >"$result" 2>&1 || code=$? ;;
    sbatch) sbatch --wait --output="$result" --wrap="$line" >&2 || code=$? ;;
    *) echo "run.sh: --via $via: give local, ssh:HOST or sbatch" >&2; exit 2 ;;
esac
host=$(head -1 "$result")
file=$out/$commit/${host:-unknown}-$(date -u +%Y%m%dT%H%M%SZ).txt
{
    echo "commit $commit"
    echo "via $via"
    echo "exit $code"
    cat "$result"
} >"$file"
echo "$file"
exit "$code"
